"""The trash: what was discarded, for 30 days."""

from __future__ import annotations

from flask import Response, request

from blogsvc import tooling, writing
from blogsvc.models import shelf
from blogsvc.models.shelf import Wanted
from blogsvc.web import rows, signed_in
from blogsvc.web.many import MOST, chosen, each, seen
from blogsvc.web.routes import route
from blogsvc.web.showing import go, notice, show


@route("GET", "/desk/trash", role="author")
def trash() -> Response:
    return show(
        "desk/trash.html",
        list=shelf.page("trash", signed_in.person(), Wanted(), request.args.get("after", "")),
        kept_for=writing.TRASH_IS_KEPT,
        places=rows.Places(),
        copies=rows.live_copies,
    )


@route("POST", "/desk/trash/restore", role="author")
def restore_posts() -> Response:
    now = tooling.now()
    each(chosen(), lambda post: writing.restore(post, now), trashed=True).tell("taken out of the trash, as a draft")
    return go("desk.trash")


@route("POST", "/desk/trash/erase", role="author")
def erase_posts() -> Response:
    """Asked once more first, since nothing brings them back."""
    ids = _all() if "all" in request.form else chosen()
    posts = [post for post in seen(ids, trashed=True) if post.deleted_at is not None]
    if not posts:
        notice("Choose some posts first.", "trouble")
        return go("desk.trash")
    if "sure" not in request.form:
        return show("desk/erase.html", posts=posts, places=rows.Places(), copies=rows.live_copies)
    now = tooling.now()
    each([post.id for post in posts], lambda post: writing.erase(post, now), trashed=True).tell("erased for good")
    return go("desk.trash")


def _all() -> list[str]:
    return [line.post.id for line in shelf.page("trash", signed_in.person(), Wanted(), most=MOST).lines]
