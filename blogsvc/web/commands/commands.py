"""Every action of the interface with its words and its shortcut: the one list behind the palette and the shortcuts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from blogsvc.models import SITE, Post
from blogsvc.models.user import Role, User


@dataclass(frozen=True)
class Command:
    """One action: a page to open, a form to send, or a button of the editor.

    `address` is a page or, with `is_form`, the address that a form is sent to. `act` names the edit or the view of the
    editor that the command changes; `copied` is the text that it copies. A command with neither is only a shortcut.
    """

    label: str
    address: str = ""
    keys: str = ""
    icon: str = "chevron-right"
    role: Role = "author"
    is_form: bool = False
    # The value of the form's field `post`.
    post: str = ""
    act: str = ""
    copied: str = ""
    # Other words to find the command by.
    words: str = ""


# The edits of markdown-edits.js, and the views of the editor.
EDITOR = (
    Command("Bold", act="bold", keys="Ctrl B", icon="bold", words="strong"),
    Command("Italic", act="italic", keys="Ctrl I", icon="italic", words="emphasis"),
    Command("Insert link", act="link", keys="Ctrl K", icon="link", words="url"),
    Command("Code", act="code", keys="Ctrl E", icon="code"),
    Command("Insert heading", act="heading", icon="heading", words="title section"),
    Command("Insert quote", act="quote", icon="quote", words="blockquote"),
    Command("Insert bulleted list", act="bullets", keys="Ctrl Shift 8", icon="list"),
    Command("Insert numbered list", act="numbers", keys="Ctrl Shift 7", icon="list-ordered"),
    Command("Insert task list", act="tasks", keys="Ctrl Shift L", icon="list-checks", words="checkbox to-do"),
    Command("Insert image", act="image", icon="image-plus", words="photo picture upload"),
    Command("Edit image: alt text and caption", act="describe", keys="F2", icon="image", words="describe picture"),
    Command("Insert table", act="table", icon="table"),
    Command("Insert footnote", act="footnote", icon="footprints", words="reference note"),
    Command("Insert code block", act="block", icon="code", words="fence listing"),
    Command("Insert divider", act="divider", icon="ellipsis", words="horizontal rule line break"),
    Command("Increase indent", act="indent", keys="Ctrl ]", icon="arrow-right"),
    Command("Decrease indent", act="outdent", keys="Ctrl [", icon="arrow-left"),
    Command("Focus mode", act="focus", keys="Ctrl .", icon="maximize", words="distraction free zen full screen"),
)
GO = (
    Command("Dashboard", "/desk", "g d", "inbox", words="home posts drafts write"),
    Command("Calendar", "/desk/calendar", "g c", "calendar", words="schedule plan"),
    Command("Queue", "/desk/queue", icon="clock", words="slots"),
    Command("Analytics", "/desk/analytics", "g a", "chart-line", words="views statistics figures"),
    Command("Media", "/desk/media", icon="image", words="images library photos alt text"),
    Command("Trash", "/desk/trash", icon="trash-2", words="deleted restore"),
    Command("Your account: name, password, passkeys", "/desk/settings/profile", icon="user", words="profile settings"),
    Command("Blog settings: title, language, logo", "/desk/settings/blog", icon="book-open", role="owner"),
    Command(
        "Look of the blog: color, typeface, CSS",
        "/desk/settings/look",
        icon="eye",
        role="owner",
        words="theme appearance design font dark cards style settings",
    ),
    Command(
        "Redirects and missing addresses",
        "/desk/settings/redirects",
        icon="arrow-right",
        role="owner",
        words="404 not found old addresses links settings",
    ),
    Command("Authors", "/desk/settings/authors", icon="pencil", role="editor", words="byline guests people settings"),
    Command("Tags", "/desk/settings/tags", icon="tag", role="editor", words="titles descriptions settings"),
    Command("Series", "/desk/settings/series", icon="list", role="editor", words="parts order settings"),
    Command("Destinations", "/desk/settings/destinations", icon="plug", role="editor", words="connections settings"),
    Command("Users", "/desk/settings/users", icon="users", role="owner", words="people authors invite roles settings"),
    Command("API keys", "/desk/settings/keys", icon="key-round", role="owner", words="tokens settings"),
    Command("Webhooks", "/desk/settings/webhooks", icon="webhook", role="owner", words="settings"),
    Command("Access: what can act for this blog", "/desk/settings/access", icon="shield", role="owner"),
    Command("Import", "/desk/settings/import", icon="upload", role="owner", words="wordpress ghost settings"),
    Command("Export", "/desk/settings/export", icon="download", role="owner", words="backup settings"),
    Command("View blog", "/", icon="external-link", words="site public"),
)
GENERAL = (
    Command("New post", "/desk/posts", "n", "plus", is_form=True, words="create write draft"),
    Command("Theme: light", "/desk/theme/light", icon="sun", is_form=True, words="appearance colors bright"),
    Command("Theme: dark", "/desk/theme/dark", icon="moon", is_form=True, words="appearance colors night"),
    Command(
        "Theme: same as system", "/desk/theme/system", icon="monitor", is_form=True, words="appearance colors auto"
    ),
    Command("Keyboard shortcuts", "/desk/commands?show=keys", "?", "keyboard", words="keys help"),
    Command("Sign out", "/logout", icon="log-out", is_form=True, words="log out leave"),
)
SHORTCUTS = (
    Command("Open this list of commands", keys="Ctrl K or Ctrl /"),
    Command("Search", keys="/"),
    Command("Save draft", keys="Ctrl S"),
    Command("Publish: open the dialog, press again to publish", keys="Ctrl Enter"),
    Command("Indent in a list or in code, or back", keys="Tab or Shift Tab"),
    Command("Leave a list or code for the next field", keys="Esc Tab"),
    Command("Next or previous post in a list", keys="j or k"),
    Command("Select the post", keys="x"),
    Command("Close", keys="Esc"),
)


def of_post(post: Post) -> Iterator[Command]:
    """Yield what can be done with a post."""
    base, site = f"/desk/posts/{post.id}", post.delivery_to(SITE)
    yield Command("Publish or schedule", f"{base}/publish", "Ctrl Enter", "send", words="send at time queue")
    yield Command("Preview", f"{base}/preview", icon="eye", words="read")
    yield Command(
        "Details: summary, tags, address, cover image",
        f"{base}/details",
        icon="sliders-horizontal",
        words="slug language canonical original destinations seo meta",
    )
    yield Command("Version history", f"{base}/history", icon="history", words="revisions restore compare")
    yield Command("Share draft: links and comments", f"{base}/share", icon="users", words="review feedback send")
    if post.deliveries:
        yield Command("Publishing status", f"{base}/status", icon="info", words="deliveries retry")
    yield Command("Duplicate", f"{base}/duplicate", icon="files", is_form=True, words="copy of the post")
    if site is not None and site.state == "delivered" and site.url:
        yield Command("Copy link", copied=site.url, icon="link-2", words="address url share")
        yield Command("View post on the blog", site.url, icon="external-link", words="open public")
    yield Command("Move to trash", "/desk/bulk/discard", icon="trash-2", is_form=True, post=post.id, words="delete")


def groups(user: User, post: Post | None, *, in_editor: bool) -> dict[str, list[Command]]:
    """Return the commands that a user can use on a page, by heading."""
    by_heading = {
        "This post": list(of_post(post)) if post else [],
        "Text": list(EDITOR) if post and in_editor else [],
        "Go to": [command for command in GO if user.is_at_least(command.role)],
        "More": list(GENERAL),
    }
    return {heading: commands for heading, commands in by_heading.items() if commands}


def shortcuts() -> dict[str, list[Command]]:
    """Return every keyboard shortcut, by heading."""
    return {
        "Everywhere": [*SHORTCUTS, *(command for command in (*GENERAL, *GO) if command.keys)],
        "In the text": [command for command in EDITOR if command.keys],
    }
