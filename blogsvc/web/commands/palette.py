"""The command palette: every action and every post, found by typing a part of its name. Also the shortcuts."""

from __future__ import annotations

from flask import Response, request

from blogsvc.auth import accounts
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import NotFound
from blogsvc.lib.text.fuzzy import Fit, fit
from blogsvc.models import Post
from blogsvc.posts import listing
from blogsvc.posts.post_filter import PostFilter
from blogsvc.web.commands import commands as known
from blogsvc.web.commands.commands import Command
from blogsvc.web.framework import current_user
from blogsvc.web.framework.next_page import page_before
from blogsvc.web.framework.rendering import go, is_fragment, show
from blogsvc.web.framework.routes import route

MAX_POSTS_FOUND = 8


@route("GET", "/desk/commands", role="author")
def commands() -> Response:
    """Show the commands and posts that match `q`, or all shortcuts. The search field gets only the results.

    `post` is the post of the page that asks; its actions come first.
    """
    if request.args.get("show") == "keys":
        return show("desk/shortcuts.html", "desk/_shortcuts.html", shortcuts=known.shortcuts())
    query, post = request.args.get("q", "").strip()[:100], _post()
    fragment = "desk/_commands_found.html" if request.headers.get("HX-Target") == "div#found" else "desk/_commands.html"
    in_editor = post is not None and (page_before() or "").partition("?")[0] == f"/desk/posts/{post.id}"
    groups = known.groups(current_user.user(), post, in_editor=in_editor and is_fragment())
    if query:
        groups = {"": _matches(query, [command for group in groups.values() for command in group])}
    return show("desk/commands.html", fragment, query=query, groups=groups, post=post)


@route("POST", "/desk/theme/<scheme>", role="author", effect=Effect.ARRANGE)
def choose_theme(scheme: str) -> Response:
    """Change the user's color scheme. The palette has applied it to the open page by itself."""
    user = current_user.user()
    accounts.change_profile(user, user.name, user.time_zone, {"scheme": "" if scheme == "system" else scheme})
    return Response(status=204) if is_fragment() else go("desk.home")


def _post() -> Post | None:
    try:
        return current_user.post(request.args.get("post", ""))
    except NotFound:
        return None


def _matches(query: str, allowed: list[Command]) -> list[Command]:
    """Return the commands that match, best first, then the last changed posts that contain these words."""
    ranked = []
    for command in allowed:
        by_label, by_words = fit(command.label, query), fit(command.words, query)
        if by_label is not None:
            ranked.append((by_label.value, command))
        elif by_words is not None and by_words < Fit.INSIDE:
            ranked.append((Fit.INSIDE.value, command))
    found = [command for _, command in sorted(ranked, key=lambda pair: pair[0])]
    posts = listing.page("all", current_user.user(), PostFilter(query=query), most=MAX_POSTS_FOUND).lines
    return found + [Command(row.name or "Untitled", f"/desk/posts/{row.post.id}", icon="file-text") for row in posts]
