"""Revisions: the version history of a post."""

from __future__ import annotations

from typing import Any

from blogsvc import context
from blogsvc.api import schemas, serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.lib.text_facts import facts_of
from blogsvc.models import Post, Revision
from blogsvc.posts import editing


class RevisionOut(schemas.Out):
    """A saved version of a post.

    `restoredFrom` is the number of the revision that it restored. `createdBy` is the person or API key that wrote it,
    null if that was the command line or is not known. `updatedAt` is when an autosave last changed it. `reason` is
    `saved`, `autosaved`, `longest` (the next autosave was shorter), `before removal` (the next autosave removed more
    than 50 words or 20 %), `scheduled`, `published`, `restored`, `restored part` (one paragraph of it) or `set aside`
    (not kept in an edit conflict). New reasons can be added at any time.
    """

    number: int
    reason: str
    restored_from: int | None
    is_live: bool
    title: str
    created_by: schemas.MakerOut | None
    word_count: int
    created_at: schemas.Instant
    updated_at: schemas.Instant


class RevisionsOut(schemas.Out):
    data: list[RevisionOut]
    next_cursor: str | None


class RevisionInFullOut(RevisionOut, schemas.TextFieldsOut):
    """A revision with its text fields."""


def _facts(row: Revision, post: Post) -> dict[str, Any]:
    return {
        "number": row.number,
        "reason": row.reason,
        "restored_from": row.restored_from,
        "is_live": post.published_at is not None and row.id == post.live_revision_id,
        "title": row.title,
        "created_by": serializers.maker(row.created_by),
        "word_count": facts_of(row.content).words,
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
