"""The version history of a post: list, compare and restore revisions, whole or by paragraph."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Response, request, url_for

from blogsvc import context
from blogsvc.auth.reauthentication import Effect
from blogsvc.errors import Invalid, NotFound, Stale
from blogsvc.lib.text.diff import DiffHunk
from blogsvc.lib.text.plain import written_words
from blogsvc.models import Post, Revision
from blogsvc.models.creator import Creator
from blogsvc.posts import editing
from blogsvc.posts.compare import FieldChange, field_changes, text_changes
from blogsvc.posts.paragraphs import lost_paragraphs
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import go, notice, show
from blogsvc.web.framework.routes import route
from blogsvc.web.framework.wording import creator_name, revision_reason

VERSIONS_PER_PAGE = 25


@dataclass(frozen=True)
class VersionRow:
    """A revision as a row in the version history."""

    revision: Revision
    reason: str
    creator: str
    words: int
    marks: tuple[str, ...]


@dataclass(frozen=True)
class ComparedVersions:
    """Two versions and their differences. `new` is None for the current text."""

    old: Revision
    new: Revision | None
    text: list[DiffHunk]
    fields: list[FieldChange]
    # The first and last lines of paragraphs that only the old version has.
    paragraphs: list[range]

    @property
    def is_same(self) -> bool:
        return not self.text and not self.fields


@route("GET", "/desk/posts/<post_id>/history", role="author")
def post_history(post_id: str) -> Response:
    post = current_user.post(post_id)
    old = _requested(post)
    revisions = Revision.before(post.id, request.args.get("before", type=int), VERSIONS_PER_PAGE + 1)
    response = show(
        "desk/history.html",
        "desk/_history.html",
        post=post,
        versions=[_version_row(revision, post) for revision in revisions[:VERSIONS_PER_PAGE]],
        older=revisions[VERSIONS_PER_PAGE - 1].number if len(revisions) > VERSIONS_PER_PAGE else None,
        compared=_compared(post, old) if old else None,
        shown=_version_row(old, post) if old else None,
        is_text="text" in request.args,
        oldest=Revision.nearest(post.id, 0),
    )
    if old is not None and "near" in request.args:  # so that the address can be shared
        is_text = request.args.get("text")
        here = url_for("desk.post_history", post_id=post.id, version=old.number, text=is_text)
        response.headers["HX-Replace-Url"] = here
    return response


def _version_row(revision: Revision, post: Post) -> VersionRow:
    creator = creator_name(Creator.of(revision.created_by))
    words = written_words(revision.content)
    return VersionRow(revision, revision_reason(revision), creator, words, tuple(_marks(revision, post)))


def _marks(revision: Revision, post: Post) -> list[str]:
    """Return how a revision is used: "present", "live", "scheduled"."""
    marks = []
    if revision.number == post.revision_count and revision.fields() == post.fields():
        marks.append("present")
    if revision.id == post.site_revision_id or (revision.id == post.live_revision_id and post.is_live):
        marks.append("live")
    if revision.id == post.live_revision_id and post.state == "scheduled":
        marks.append("scheduled")
    return marks


def _requested(post: Post) -> Revision | None:
    """Return the version with the number in `version`, or the one nearest to the number that the slider sent."""
    if (near := request.args.get("near", type=int)) is not None:
        return Revision.nearest(post.id, near)
    number = request.args.get("version", type=int)
    return None if number is None else _numbered(post, number)


def _compared(post: Post, old: Revision) -> ComparedVersions:
    """Compare a version with the one in `to`, or with the current text."""
    other = request.args.get("to", type=int)
    new = _numbered(post, other) if other is not None else None
    before, after = old.fields(), new.fields() if new is not None else post.fields()
    text = text_changes(before, after)
    paragraphs = lost_paragraphs(text) if new is None else []
    return ComparedVersions(old, new, text, field_changes(before, after), paragraphs)


def _numbered(post: Post, number: int) -> Revision:
    if number < 1:
        raise NotFound(f"This post has no version {number}.")
    return Revision.numbered(post.id, number)


@route("POST", "/desk/posts/<post_id>/history", role="author", effect=Effect.WRITE)
def restore_version(post_id: str) -> Response:
    """Restore a version, or the paragraph of it that starts in the line `line`."""
    post, number = current_user.post(post_id), request.form.get("version", 0, type=int)
    if (line := request.form.get("line", type=int)) is not None:
        return _restore_paragraph(post, _numbered(post, number), line)
    before = post.revision_count
    post = editing.restore_revision(post, _numbered(post, number), context.now())
    is_news = post.revision_count > before
    notice(f"Version {number} is restored." if is_news else f"Your draft is already the same as version {number}.")
    return go("desk.post_history", post_id=post.id)


def _restore_paragraph(post: Post, revision: Revision, line: int) -> Response:
    try:
        editing.restore_paragraph(post, revision, line, request.form.get("rev", ""), context.now())
    except (Stale, NotFound):
        notice(
            "The draft has changed since you opened this page. Compare again, then restore the paragraph.", "trouble"
        )
    except Invalid as error:
        notice(str(error), "trouble")
    else:
        notice(f"The paragraph of version {revision.number} is restored.")
    return go("desk.post_history", post_id=post.id, version=revision.number)
