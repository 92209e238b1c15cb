"""Create a post, and open it in the editor."""

from __future__ import annotations

from datetime import datetime

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.lib.time import parse
from blogsvc.models import DraftComment, transaction
from blogsvc.models.post_fields import Kind
from blogsvc.posts import autosave, calendar
from blogsvc.web.editor import preview
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import day, go, is_fragment, local, notice, show, time_of_day
from blogsvc.web.framework.request_values import asked_day
from blogsvc.web.framework.routes import route
from blogsvc.web.publishing.publish_form import typed


@route("POST", "/desk/posts", role="author", effect=Effect.WRITE)
def new_post() -> Response:
    """Create a draft of a post or a page. If it was started from a queue slot or a day, that time is suggested."""
    at = _asked_time()
    fields = {name: request.form.get(name, "") for name in ("title", "content")}
    kind: Kind = "page" if request.form.get("kind") == "page" else "post"
    post = autosave.begin(current_user.user().id, context.now(), current_user.quota(), **fields, kind=kind)
    if at is not None:
        notice(f"This draft is for {day(at)}, {time_of_day(at)}. “Publish…” suggests this time.")
    return go("desk.edit_post", post_id=post.id, at=at and typed(local(at)))


def _asked_time() -> datetime | None:
    """Return the time of the queue slot `at`, or for the day `day`; None if there is neither, or it is malformed."""
    if "day" in request.form:
        return calendar.suggested_time(asked_day(), current_user.zone().key, context.now())
    try:
        return parse(request.form.get("at", ""))
    except ValueError:
        return None


@route("GET", "/desk/posts/<post_id>", role="author")
def edit_post(post_id: str) -> Response:
    post = current_user.post(post_id)
    return show(
        "desk/editor.html",
        post=post,
        at=request.args.get("at"),
        is_blank=not (post.title or post.content),
        preview=preview.preview_of(post, request.args.get("as", "")),
        facts=preview.facts_of(post.content),
        safe=preview.safe,
        # Hide the status of posts that were never published.
        has_status=bool(post.deliveries),
        open_comments=DraftComment.count(DraftComment.are_open(post.id)),
    )


@route("GET", "/desk/posts/<post_id>/schedule-status", role="author")
def schedule_status(post_id: str) -> Response:
    """Show whether there are changes that are not yet in the scheduled or live version."""
    post = current_user.post(post_id)
    return show("desk/schedule_status.html", "desk/_schedule_status_update.html", post=post)


@route("POST", "/desk/posts/<post_id>/update", role="author", effect=Effect.WRITE)
def update_schedule(post_id: str) -> Response:
    """Update the scheduled version to the current text."""
    with transaction():
        post = autosave.update_schedule(current_user.post(post_id), context.now())
    if is_fragment():
        return show("desk/_schedule_status_update.html", post=post)
    notice("The scheduled version is updated.")
    return go("desk.edit_post", post_id=post.id)
