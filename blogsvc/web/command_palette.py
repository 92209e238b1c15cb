"""The command palette and the list of keyboard shortcuts, from one list of commands."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request

from blogsvc.models.person import Role
from blogsvc.posts import listing
from blogsvc.posts.post_filter import PostFilter
from blogsvc.web import current_person
from blogsvc.web.rendering import show
from blogsvc.web.routes import route


@dataclass(frozen=True)
class Command:
    """A page to open or, without an address, a keyboard shortcut to list."""

    label: str
    address: str = ""
    keys: str = ""
    role: Role = "author"
    icon: str = "chevron-right"


MAX_POSTS_FOUND = 8
GO = (
    Command("Dashboard", "/desk", "g d", icon="inbox"),
    Command("Calendar", "/desk/calendar", "g c", icon="calendar"),
    Command("Queue", "/desk/queue", icon="clock"),
    Command("Insights", "/desk/insights", "g i", icon="chart-line"),
    Command("Media", "/desk/media", icon="image"),
    Command("Trash", "/desk/trash", icon="trash-2"),
    Command("Your account: name, password, passkeys", "/desk/settings/profile", icon="user"),
    Command("Blog settings: title, language, appearance", "/desk/settings/blog", role="owner", icon="book-open"),
    Command("Destinations", "/desk/settings/destinations", role="editor", icon="plug"),
    Command("People", "/desk/settings/people", role="owner", icon="users"),
    Command("API keys", "/desk/settings/keys", role="owner", icon="key-round"),
    Command("Webhooks", "/desk/settings/webhooks", role="owner", icon="webhook"),
    Command("Access: what can act for this blog", "/desk/settings/access", role="owner", icon="shield"),
    Command("Import", "/desk/settings/import", role="owner", icon="upload"),
    Command("Export", "/desk/settings/export", role="owner", icon="download"),
    Command("View blog", "/", icon="external-link"),
)
KEYS = (
    Command("New post", keys="n"),
    Command("Search", keys="/"),
    Command("Save draft", keys="Ctrl S"),
    Command("Publish (press twice)", keys="Ctrl Enter"),
    Command("Bold, italic, link, code", keys="Ctrl B · I · K · E"),
    Command("Numbered list, bulleted list, task list", keys="Ctrl Shift 7 · 8 · L"),
    Command("Decrease, increase indent", keys="Ctrl [ · ]"),
    Command("Commands", keys="Ctrl /"),
    Command("Close", keys="Esc"),
)


@route("GET", "/desk/commands", role="author")
def commands() -> Response:
    """Show commands and posts that match `q`. The search field gets only the list of results."""
    asked = request.args.get("q", "").strip()[:100]
    fragment = "desk/_commands_found.html" if request.headers.get("HX-Target") == "div#found" else "desk/_commands.html"
    keys = () if asked else KEYS
    return show("desk/commands.html", fragment, asked=asked, found=_matches(asked), keys=keys)


def _matches(asked: str) -> list[Command]:
    person, parts = current_person.person(), asked.lower().split()
    allowed = (command for command in GO if person.is_at_least(command.role))
    pages = [command for command in allowed if all(part in command.label.lower() for part in parts)]
    if not asked:
        return pages
    # The last changed posts that contain these words.
    posts = listing.page("all", person, PostFilter(words=asked), most=MAX_POSTS_FOUND).lines
    return pages + [Command(row.name or "Untitled", f"/desk/posts/{row.post.id}", icon="file-text") for row in posts]
