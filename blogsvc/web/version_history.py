"""The version history of a post: list, compare and restore revisions."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request

from blogsvc import context
from blogsvc.errors import NotFound
from blogsvc.lib.text import written_words
from blogsvc.lib.text_diff import DiffHunk
from blogsvc.models import Post, Revision
from blogsvc.posts import editing
from blogsvc.posts.compare import FieldChange, field_changes, text_changes
from blogsvc.web import current_person
from blogsvc.web.rendering import go, notice, show
from blogsvc.web.routes import route
from blogsvc.web.wording import REVISION_REASONS

VERSIONS_PER_PAGE = 25


@dataclass(frozen=True)
class VersionRow:
    """A revision as a row in the version history."""

    revision: Revision
    reason: str
    words: int
    marks: tuple[str, ...]


@dataclass(frozen=True)
class ComparedVersions:
    """Two versions and their differences. `new` is None for the current text."""

    old: Revision
    new: Revision | None
    text: list[DiffHunk]
    fields: list[FieldChange]

    @property
    def is_same(self) -> bool:
        return not self.text and not self.fields


@route("GET", "/desk/posts/<post_id>/history", role="author")
def post_history(post_id: str) -> Response:
    post = current_person.post(post_id)
    revisions = Revision.before(post.id, request.args.get("before", type=int), VERSIONS_PER_PAGE + 1)
    return show(
        "desk/history.html",
        "desk/_history.html",
        post=post,
        versions=[_version_row(revision, post) for revision in revisions[:VERSIONS_PER_PAGE]],
        older=revisions[VERSIONS_PER_PAGE - 1].number if len(revisions) > VERSIONS_PER_PAGE else None,
        compared=_compared(post),
    )


def _version_row(revision: Revision, post: Post) -> VersionRow:
    reason = REVISION_REASONS.get(revision.reason, revision.reason.capitalize())
    if revision.restored_from is not None:
        reason = f"{reason}: version {revision.restored_from}"
    return VersionRow(revision, reason, written_words(revision.content), tuple(_marks(revision, post)))


def _marks(revision: Revision, post: Post) -> list[str]:
    """Return how a revision is used: "present", "live", "scheduled"."""
    found = []
    if revision.number == post.revision_count and revision.words() == post.words():
        found.append("present")
    if revision.id == post.site_revision_id or (revision.id == post.live_revision_id and post.is_live):
        found.append("live")
    if revision.id == post.live_revision_id and post.state == "scheduled":
        found.append("scheduled")
    return found


def _compared(post: Post) -> ComparedVersions | None:
    """Compare the requested version with another, or with the current text. None if no version is requested."""
    number = request.args.get("version", type=int)
    if number is None:
        return None
    old, other = _numbered(post, number), request.args.get("to", type=int)
    new = _numbered(post, other) if other is not None else None
    before, after = old.words(), new.words() if new is not None else post.words()
    return ComparedVersions(old, new, text_changes(before, after), field_changes(before, after))


def _numbered(post: Post, number: int) -> Revision:
    if number < 1:
        raise NotFound(f"This post has no version {number}.")
    return Revision.numbered(post.id, number)


@route("POST", "/desk/posts/<post_id>/history", role="author")
def restore_version(post_id: str) -> Response:
    post, number = current_person.post(post_id), request.form.get("version", 0, type=int)
    before = post.revision_count
    post = editing.restore_revision(post, _numbered(post, number), context.now())
    is_news = post.revision_count > before
    notice(f"Version {number} is restored." if is_news else f"Your draft is already the same as version {number}.")
    return go("desk.post_history", post_id=post.id)
