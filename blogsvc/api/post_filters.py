"""The filters of the post list, and the database query for them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import ColumnElement, select

from blogsvc.api import schemas
from blogsvc.api.framework import cursors
from blogsvc.connections.aliases import without_aliases
from blogsvc.lib.text.search_terms import terms
from blogsvc.models import Post
from blogsvc.models.post_conditions import has_label, has_state, has_words, is_between, is_page
from blogsvc.models.post_states import NEVER_SET

SEVERAL = Field(max_length=100, json_schema_extra={"is_list": True})
# Tags may contain commas.
REPEATED = Field(max_length=100, json_schema_extra={"is_list": "repeated"})


class PostsQuery(schemas.Query):
    kind: schemas.PostKind = "post"
    """Posts, or the pages of this blog."""
    status: Annotated[list[schemas.PostStatus] | None, SEVERAL] = None
    """Posts with any of these statuses."""
    platform: Annotated[list[schemas.PlatformName] | None, SEVERAL] = None
    """Posts with any of these destinations, for example `mastodon`."""
    tag: Annotated[list[str] | None, REPEATED] = None
    """Posts with any of these tags, for example `tag=gold&tag=silver`. Upper and lower case differ."""
    q: schemas.SearchQuery | None = None
    created_after: schemas.Instant | None = None
    """Posts created after this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    created_before: schemas.Instant | None = None
    """Posts created before this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    updated_after: schemas.Instant | None = None
    """Posts last changed after this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    updated_before: schemas.Instant | None = None
    """Posts last changed before this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    scheduled_after: schemas.Instant | None = None
    """Posts scheduled for a time after this one: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    scheduled_before: schemas.Instant | None = None
    """Posts scheduled for a time before this one: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    published_after: schemas.Instant | None = None
    """Posts first published after this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    published_before: schemas.Instant | None = None
    """Posts first published before this time: RFC 3339 with an offset, for example `2026-11-24T09:00:00Z`."""
    trashed: bool = False
    """True returns only posts in the trash, false only others."""
    sort: cursors.Sort = "-createdAt"
    """The field to sort by; `-` sorts descending. Posts without a value come last, as do drafts with `publishedAt`."""
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    """The maximum number of posts per page, 1 to 100."""
    cursor: str | None = None
    """`nextCursor` of the previous page, with the same `sort` and filters. Absent: the first page."""
    count: bool = False
    """True also returns the number of posts that match, as `count`."""
    fields: schemas.fields_of(schemas.PostOut) = None  # type: ignore[valid-type]


def chosen(query: PostsQuery, order: cursors.Order) -> cursors.Query:
    posts = select(Post.id, Post.version, order.column.label("place")).where(
        Post.deleted_at.is_not(None) if query.trashed else Post.deleted_at.is_(None)
    )
    posts = posts.where(is_page() if query.kind == "page" else Post.kind == "post")
    if query.status:
        # The index of a state has the posts by the time of their creation.
        is_in_order = len(set(query.status)) == 1 and order.column is Post.created_at
        posts = posts.where(has_state(query.status, is_walked=False if is_in_order else None))
    platforms = query.platform and without_aliases(query.platform)
    for kind, values in (("tag", query.tag), ("platform", platforms)):
        if values is not None:
            posts = posts.where(has_label(kind, values))
    if query.q is not None:
        posts = posts.where(has_words(terms(query.q)))
    return posts.where(*_time_conditions(query))


def can_have_values(query: PostsQuery, order: cursors.Order) -> bool:
    """Return False if no post with the statuses asked for has a value to sort by, so that none is looked for."""
    return not query.status or not NEVER_SET.get(order.column.key, frozenset()).issuperset(query.status)


def _time_conditions(query: PostsQuery) -> list[ColumnElement[bool]]:
    spans = (
        (Post.created_at, query.created_after, query.created_before),
        (Post.updated_at, query.updated_after, query.updated_before),
        (Post.scheduled_at, query.scheduled_after, query.scheduled_before),
        (Post.published_at, query.published_after, query.published_before),
    )
    return [is_between(*span) for span in spans if span[1:] != (None, None)]
