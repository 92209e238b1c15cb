"""Revisions: the version history of a post."""

from __future__ import annotations

from typing import Any

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.lib.text.plain import written_words
from blogsvc.models import Post, Revision
from blogsvc.posts import editing


class RevisionOut(schemas.Out):
    """A saved version of a post."""

    number: int
    """The number of the revision. 1 is the oldest."""
    reason: str
    """Why the revision was saved.

    `saved`, `autosaved`, `scheduled` and `published`: the post was. `longest`: the next autosave was shorter. `before
    removal`: the next autosave removed more than 50 words or 20 %. `restored`: an older revision was restored.
    `restored part`: one paragraph of it was. `set aside`: not kept in an edit conflict. New reasons can be added at any
    time.
    """
    restored_from: int | None
    """The number of the revision that this one restored. Null if it restored none."""
    is_live: bool
    """True if readers of the blog and of up-to-date copies see this revision."""
    title: str
    """The title in this revision."""
    created_by: schemas.CreatorOut | None
    """The user or API key that wrote the revision. Null if that was the command line, or is not known."""
    word_count: int
    """The number of words in the text, without markup."""
    created_at: schemas.Instant
    """When the revision was saved first."""
    updated_at: schemas.Instant
    """When an autosave last changed the revision."""


class RevisionsOut(schemas.Out):
    """A page of revisions."""

    data: list[RevisionOut]
    """The revisions of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class RevisionInFullOut(RevisionOut, schemas.TextFieldsOut):
    """A revision with its text fields."""


def _facts(row: Revision, post: Post) -> dict[str, Any]:
    return {
        "number": row.number,
        "reason": row.reason,
        "restored_from": row.restored_from,
        "is_live": post.published_at is not None and row.id == post.live_revision_id,
        "title": row.title,
        "created_by": serializers.creator(row.created_by),
        "word_count": written_words(row.content),
        "created_at": row.created_at,
        "updated_at": row.saved_at,
    }


@operation(
    "GET",
    "/posts/<post_id>/revisions",
    "List the revisions of a post",
    scope="posts:read",
    query=cursors.PageQuery,
    answers={200: RevisionsOut},
    refuses=(404,),
)
def list_revisions(post_id: str, query: cursors.PageQuery) -> Reply:
    """Returns the revisions, newest first."""
    post = Post.get(post_id)
    rows, cursor = cursors.by_id(Revision, query, Revision.post_id == post.id, by="number")
    facts = (RevisionOut.model_construct(**_facts(row, post)) for row in rows)
    return cursors.listed(RevisionsOut, facts, cursor)


@operation(
    "GET",
    "/posts/<post_id>/revisions/<int:number>",
    "Get a revision",
    scope="posts:read",
    answers={200: RevisionInFullOut, 304: None},
    refuses=(404,),
)
def get_revision(post_id: str, number: int) -> Reply:
    """Returns the revision with all text fields of the post."""
    post = Post.get(post_id)
    row = Revision.numbered(post.id, number)
    return Reply(RevisionInFullOut.model_construct(**_facts(row, post), **schemas.text_fields_of(row)))


@operation(
    "POST",
    "/posts/<post_id>/revisions/<int:number>/restore",
    "Restore a revision",
    scope=("posts:write", "posts:read"),
    answers={200: schemas.PostOut},
    refuses=(404, 409),
)
def restore_revision(post_id: str, number: int) -> Reply:
    """Replaces the text of the post with that of the revision. The published version changes when you publish again."""
    post = Post.get(post_id)
    now = context.now()
    return Reply(serializers.post(editing.restore_revision(post, Revision.numbered(post.id, number), now)))
