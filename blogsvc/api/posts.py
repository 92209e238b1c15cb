"""Posts: the six operations of the specification, and what follows from them."""

from __future__ import annotations

import json
from typing import Annotated

from flask import current_app, url_for
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, exists, select

from blogsvc import publishing, writing
from blogsvc.api import access, documents, etags, kept, pages, schemas
from blogsvc.api.operations import Reply, operation
from blogsvc.lib.search import terms
from blogsvc.models import Label, Post, transaction
from blogsvc.models.revision import rendered
from blogsvc.models.search import has_words
from blogsvc.toolbox import Toolbox

# What a list needs to know of a text is said by `fields`; these are its statuses, repeated or with commas.
Statuses = Annotated[list[schemas.PostStatus] | None, Field(json_schema_extra={"is_list": True})]


class PostsQuery(schemas.Query):
    status: Statuses = None
    platform: schemas.PlatformName | None = None
    tag: str | None = None
    q: schemas.Question | None = None
    created_after: schemas.Instant | None = None
    created_before: schemas.Instant | None = None
    updated_after: schemas.Instant | None = None
    updated_before: schemas.Instant | None = None
    scheduled_after: schemas.Instant | None = None
    scheduled_before: schemas.Instant | None = None
    published_after: schemas.Instant | None = None
    published_before: schemas.Instant | None = None
    trashed: bool = False
    sort: pages.Sort = "-createdAt"
    limit: Annotated[int, Field(ge=1, le=100)] = 20
    cursor: str | None = None
    fields: schemas.fields_of(schemas.PostOut) = None  # type: ignore[valid-type]


def tools() -> Toolbox:
    box: Toolbox = current_app.extensions["toolbox"]
    return box


def _reply(post: Post, status: int = 200) -> Reply:
    return Reply(documents.post(post), status)


def render_ahead(body: schemas.PostIn) -> None:
    if body.when() is not None:
        rendered(body.content or "")


@operation(
    "POST",
    "/posts",
    "Write a post, to be published later, at a time, or not yet",
    scope="posts:write",
    body=schemas.PostIn,
    answers={201: schemas.PostOut},
    prepare=render_ahead,
)
def create_post(body: schemas.PostIn) -> Reply:
    return _made(create(body))


def create(body: schemas.PostIn) -> Post:
    now, when = tools().now(), body.when()
    if when is not None:
        access.demand_scope("posts:publish")
    with transaction():
        post = writing.create(body.words(), body.platforms, now)
        if when is not None:
            publishing.schedule(post, when, now)
        return post


def _made(post: Post) -> Reply:
    return Reply(documents.post(post), 201, {"Location": url_for("api.get_post", post_id=post.id)})


@operation(
    "GET",
    "/posts",
    "List posts",
    scope="posts:read",
    query=PostsQuery,
    answers={200: schemas.PostsOut},
)
def list_posts(query: PostsQuery) -> Reply:
    order = pages.read_cursor(query.cursor, query.sort)
    rows, cursor = pages.page(_chosen(query, order), order, query.limit)
    return Reply(
        _listed(rows, cursor, query), headers=pages.link_to(cursor), fields=_fields(query.fields), has_etag=False
    )


def _listed(rows: list[pages.Found], cursor: str | None, query: PostsQuery) -> BaseModel | str:
    if query.fields is None:
        texts = kept.texts([(row.id, row.version) for row in rows])
        return f'{{"data":[{",".join(texts)}],"nextCursor":{json.dumps(cursor)}}}'
    posts = kept.posts([row.id for row in rows])
    return schemas.PostsOut.model_construct(data=[documents.post(row) for row in posts], next_cursor=cursor)


def _chosen(query: PostsQuery, order: pages.Order) -> pages.Query:
    chosen = select(Post.id, Post.version, order.column.label("place")).where(
        Post.deleted_at.is_not(None) if query.trashed else Post.deleted_at.is_(None)
    )
    if query.status:
        chosen = chosen.where(Post.state.in_(query.status))
    for kind, value in (("tag", query.tag), ("platform", query.platform)):
        if value is not None:
            chosen = chosen.where(_labelled(kind, value))
    if query.q is not None:
        chosen = chosen.where(has_words(Post.id, terms(query.q)))
    return chosen.where(*_in_span(query))


def _labelled(kind: str, value: str) -> ColumnElement[bool]:
    return exists().where(Label.kind == kind, Label.value == value, Label.post_id == Post.id)


def _in_span(query: PostsQuery) -> list[ColumnElement[bool]]:
    spans = (
        (Post.created_at, query.created_after, query.created_before),
        (Post.updated_at, query.updated_after, query.updated_before),
        (Post.scheduled_at, query.scheduled_after, query.scheduled_before),
        (Post.published_at, query.published_after, query.published_before),
    )
    after = [column > start for column, start, _ in spans if start is not None]
    return after + [column < end for column, _, end in spans if end is not None]


def _fields(names: list[str] | None) -> frozenset[str] | None:
    """The document's Python names for the API's."""
    if names is None:
        return None
    return frozenset(name for name, field in schemas.PostOut.model_fields.items() if (field.alias or name) in names)


@operation(
    "GET",
    "/posts/<post_id>",
    "Read a post",
    scope="posts:read",
    query=schemas.PostQuery,
    answers={200: schemas.PostOut, 304: None},
    refuses=(404,),
)
def get_post(post_id: str, query: schemas.PostQuery) -> Reply:
    if query.fields is None:
        version = Post.version_of(post_id, trashed=query.trashed)
        return Reply(kept.texts([(post_id, version)])[0])
    return Reply(documents.post(Post.get(post_id, trashed=query.trashed)), fields=_fields(query.fields))


def change_post(post_id: str, body: schemas.PostChange) -> Reply:
    render_change_ahead(post_id, body)
    return _reply(change(post_id, body))


def render_change_ahead(post_id: str, body: schemas.PostChange) -> None:
    if body.publish or body.when() is not None:
        rendered(Post.get(post_id).content if body.content is None else body.content)


def change(post_id: str, body: schemas.PostChange) -> Post:
    now = tools().now()
    if body.publish or body.when() is not None:
        access.demand_scope("posts:publish")
    if body.publish:
        access.count("publish")
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(documents.post(post))
        _apply(post, body)
        if body.publish:
            publishing.publish(post, now)
        return post


def _apply(post: Post, body: schemas.PostChange) -> None:
    now, when = tools().now(), body.when()
    platforms = writing.default_platforms() if body.clears("platforms") else body.platforms
    if body.sets_time and when is None:
        publishing.unschedule(post, now)
    writing.edit(post, body.words(), platforms, now)
    if when is not None:
        publishing.schedule(post, when, now)


for _method, _name in (("PUT", "replace_post"), ("PATCH", "update_post")):
    operation(
        _method,
        "/posts/<post_id>",
        "Change a post: the fields that are sent; the rest stays",
        scope="posts:write",
        body=schemas.PostChange,
        answers={200: schemas.PostOut},
        refuses=(404, 409, 412),
        name=_name,
    )(change_post)


@operation(
    "DELETE",
    "/posts/<post_id>",
    "Put a post in the trash, with `withdraw` take its copies down, or with `permanent` erase it",
    scope="posts:write",
    query=schemas.DeleteQuery,
    answers={204: None, 202: schemas.PostOut},
    refuses=(404, 409, 412),
)
def delete_post(post_id: str, query: schemas.DeleteQuery) -> Reply:
    if query.permanent:
        erase(post_id)
        return Reply(None, 204)
    post = discard(post_id, withdraw=query.withdraw)
    return _reply(post, 202) if query.withdraw else Reply(None, 204)


def discard(post_id: str, *, withdraw: bool) -> Post:
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(documents.post(post))
        writing.discard(post, tools().now(), withdraw=withdraw)
        return post


def erase(post_id: str) -> None:
    with transaction():
        post = Post.get(post_id, trashed=True)
        etags.demand_match(documents.post(post))
        writing.erase(post, tools().now())


@operation(
    "POST",
    "/posts/<post_id>/restore",
    "Take a post out of the trash",
    scope="posts:write",
    answers={200: schemas.PostOut},
    refuses=(404, 409),
)
def restore_post(post_id: str) -> Reply:
    return _reply(writing.restore(Post.get(post_id, trashed=True), tools().now()))


@operation(
    "POST",
    "/posts/<post_id>/duplicate",
    "Write a draft with the words of another post",
    scope="posts:write",
    answers={201: schemas.PostOut},
    refuses=(404,),
)
def duplicate_post(post_id: str) -> Reply:
    return _made(writing.duplicate(Post.get(post_id), tools().now()))
