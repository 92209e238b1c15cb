"""The filters of the post list, and the database query for them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import ColumnElement, exists, select

from blogsvc.api import schemas
from blogsvc.api.framework import cursors
from blogsvc.lib.search_terms import terms
from blogsvc.models import Post, PostLabel
from blogsvc.models.post_conditions import has_label, has_state, has_words

Statuses = Annotated[
    list[schemas.PostStatus] | None,
    Field(json_schema_extra={"is_list": True}, description="Posts with any of these statuses."),
]
PlatformFilter = Annotated[schemas.PlatformName | None, Field(description="Posts with this destination.")]
After = Annotated[schemas.Instant | None, Field(description="After this time.")]
Before = Annotated[schemas.Instant | None, Field(description="Before this time.")]


class PostsQuery(schemas.Query):
    status: Statuses = None
    platform: PlatformFilter = None
    tag: Annotated[str | None, Field(description="Posts with exactly this tag.")] = None
    q: schemas.SearchQuery | None = None
    created_after: After = None
    created_before: Before = None
    updated_after: After = None
    updated_before: Before = None
    scheduled_after: After = None
    scheduled_before: Before = None
    published_after: After = None
    published_before: Before = None
    trashed: Annotated[bool, Field(description="Only posts in the trash.")] = False
    sort: Annotated[
        cursors.Sort, Field(description="The sort field; `-` sorts descending. Posts without a value come last.")
    ] = "-createdAt"
    limit: Annotated[int, Field(ge=1, le=100, description="The number of posts per page.")] = 20
    cursor: Annotated[str | None, Field(description="`nextCursor` of the previous page, with the same `sort`.")] = None
    fields: schemas.fields_of(schemas.PostOut) = None  # type: ignore[valid-type]


def chosen(query: PostsQuery, order: cursors.Order) -> cursors.Query:
    posts = select(Post.id, Post.version, order.column.label("place")).where(
        Post.deleted_at.is_not(None) if query.trashed else Post.deleted_at.is_(None)
    )
    if query.status:
        posts = posts.where(Post.state.in_(query.status))
    for kind, value in (("tag", query.tag), ("platform", query.platform)):
        if value is not None:
            label = exists().where(PostLabel.kind == kind, PostLabel.value == value, PostLabel.post_id == Post.id)
            posts = posts.where(label)
    if query.q is not None:
        posts = posts.where(has_words(terms(query.q)))
    return posts.where(*_time_conditions(query))


def _time_conditions(query: PostsQuery) -> list[ColumnElement[bool]]:
    spans = (
        (Post.created_at, query.created_after, query.created_before),
        (Post.updated_at, query.updated_after, query.updated_before),
        (Post.scheduled_at, query.scheduled_after, query.scheduled_before),
        (Post.published_at, query.published_after, query.published_before),
    )
    after = [column > start for column, start, _ in spans if start is not None]
    return after + [column < end for column, _, end in spans if end is not None]
