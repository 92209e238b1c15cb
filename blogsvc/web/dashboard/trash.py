"""The trash: deleted posts, kept for 30 days."""

from __future__ import annotations

from flask import Response, request

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.models.retention import TRASH_KEPT_FOR
from blogsvc.posts import listing
from blogsvc.posts.post_filter import PostFilter
from blogsvc.posts.trash import erase, restore
from blogsvc.posts.trash import undo_discard as put_back
from blogsvc.web.dashboard import post_rows
from blogsvc.web.dashboard.bulk_results import MAX_BULK_POSTS, chosen, each, seen
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.request_values import asked_instant
from blogsvc.web.framework.routes import route


@route("GET", "/desk/trash", role="author")
def trash() -> Response:
    return show(
        "desk/trash.html",
        list=listing.page("trash", current_user.user(), PostFilter(), request.args.get("after", "")),
        kept_for=TRASH_KEPT_FOR,
        destinations=DestinationNames(),
        copies=post_rows.live_copies,
    )


@route("POST", "/desk/trash/restore", role="author", effect=Effect.WRITE)
def restore_posts() -> Response:
    now = context.now()
    each(chosen(), lambda post: restore(post, now), trashed=True).tell("restored from the trash")
    return go("desk.trash")


@route("POST", "/desk/trash/undo", role="author", effect=Effect.WRITE)
def undo_discard() -> Response:
    """Take back the last move to the trash: all posts that were discarded at the instant `at`, as they were."""
    now, at = context.now(), asked_instant()
    ids = listing.discarded_at(at, current_user.user(), MAX_BULK_POSTS)
    each(ids, lambda post: put_back(post, now), trashed=True).tell("put back")
    return go("desk.home")


@route("POST", "/desk/trash/erase", role="author", effect=Effect.ERASE)
def erase_posts() -> Response:
    """Delete posts permanently, after a confirmation."""
    if "all" in request.form:
        trash = listing.page("trash", current_user.user(), PostFilter(), most=MAX_BULK_POSTS)
        ids = [row.post.id for row in trash.lines]
    else:
        ids = chosen()
    posts = [post for post in seen(ids, trashed=True) if post.deleted_at is not None]
    if not posts:
        notice("Select posts first.", "trouble")
        return go("desk.trash")
    if "sure" not in request.form:
        return show("desk/erase.html", posts=posts, destinations=DestinationNames(), copies=post_rows.live_copies)
    now = context.now()
    each([post.id for post in posts], lambda post: erase(post, now), trashed=True).tell("deleted permanently")
    return go("desk.trash")
