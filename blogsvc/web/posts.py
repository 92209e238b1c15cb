"""A post on the desk: begun, and opened in the editor."""

from __future__ import annotations

from datetime import datetime

from flask import Response, request

from blogsvc import context
from blogsvc.lib.time import parse
from blogsvc.models import transaction
from blogsvc.posts import autosave
from blogsvc.web import current_person, preview
from blogsvc.web.publish_form import typed
from blogsvc.web.rendering import day, go, is_fragment, local, notice, show, time_of_day
from blogsvc.web.routes import route


@route("POST", "/desk/posts", role="author")
def new_post() -> Response:
    """Begun at an open place of the calendar (`at`), it remembers that, and the publish sheet offers it."""
    at = _asked_time(request.form.get("at", ""))
    post = autosave.begin(current_person.person().id, context.now())
    if at is not None:
        notice(f"This draft is for {day(at)}, {time_of_day(at)}. “Publish…” suggests this time.")
    return go("desk.edit_post", post_id=post.id, at=at and typed(local(at)))


def _asked_time(text: str) -> datetime | None:
    """What a link or a form asks for; what is no time is passed over."""
    try:
        return parse(text)
    except ValueError:
        return None


@route("GET", "/desk/posts/<post_id>", role="author")
def edit_post(post_id: str) -> Response:
    post = current_person.post(post_id)
    return show(
        "desk/post.html",
        post=post,
        at=request.args.get("at"),
        is_blank=not (post.title or post.content),
        proof=preview.proof_of(post, request.args.get("as", "")),
        facts=preview.facts_of(post.content),
        safe=preview.safe,
        # Where it went and how that goes; there is nothing to tell of a post that never left.
        has_status=bool(post.deliveries),
    )


@route("GET", "/desk/posts/<post_id>/standing", role="author")
def standing(post_id: str) -> Response:
    """What has a time or is live, beside what was written since."""
    post = current_person.post(post_id)
    return show("desk/post_standing.html", "desk/_standing_news.html", post=post)


@route("POST", "/desk/posts/<post_id>/update", role="author")
def update_schedule(post_id: str) -> Response:
    """Let the newer words go out at the time that the post has."""
    with transaction():
        post = autosave.update_schedule(current_person.post(post_id), context.now())
    if is_fragment():
        return show("desk/_standing_news.html", post=post)
    notice("The scheduled version is updated.")
    return go("desk.edit_post", post_id=post.id)
