"""Posts: the six operations of the specification, and what follows from them."""

from __future__ import annotations

import json
from typing import Annotated

from flask import current_app, url_for
from pydantic import BaseModel, Field
from sqlalchemy import ColumnElement, exists, select

from blogsvc import preview, publishing, writing
from blogsvc.api import access, documents, etags, kept, pages, schemas
from blogsvc.api.operations import Reply, operation
from blogsvc.models import Label, Post, transaction
from blogsvc.models.event import timeline
from blogsvc.models.revision import rendered
from blogsvc.toolbox import Toolbox

# What a list needs to know of a text is said by `fields`; these are its statuses, repeated or with commas.
Statuses = Annotated[list[schemas.PostStatus] | None, Field(json_schema_extra={"is_list": True})]


class PostsQuery(schemas.Query):
    status: Statuses = None
    platform: schemas.PlatformName | None = None
    tag: str | None = None
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


@operation(
    "POST",
    "/posts",
    "Write a post, to be published later, at a time, or not yet",
    scope="posts:write",
    body=schemas.PostIn,
    answers={201: schemas.PostOut},
)
def create_post(body: schemas.PostIn) -> Reply:
    now, when = tools().now(), body.when()
    if when is not None:
        access.demand_scope("posts:publish")
        rendered(body.content or "")
    with transaction():
        post = writing.create(body.words(), body.platforms, now)
        if when is not None:
            publishing.schedule(post, when, now)
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
    now = tools().now()
    if body.publish or body.when() is not None:
        access.demand_scope("posts:publish")
        rendered(Post.get(post_id).content if body.content is None else body.content)
    if body.publish:
        access.count("publish")
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(documents.post(post))
        _apply(post, body)
        if body.publish:
            publishing.publish(post, now)
    return _reply(post)


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
    "Put a post in the trash, and with `withdraw` take its copies down",
    scope="posts:write",
    query=schemas.DeleteQuery,
    answers={204: None, 202: schemas.PostOut},
    refuses=(404, 412),
)
def delete_post(post_id: str, query: schemas.DeleteQuery) -> Reply:
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(documents.post(post))
        writing.discard(post, tools().now(), withdraw=query.withdraw)
    return _reply(post, 202) if query.withdraw else Reply(None, 204)


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
    "/posts/<post_id>/publish",
    "Publish a post, or bring its copies in step",
    scope="posts:publish",
    tier="publish",
    query=schemas.PublishQuery,
    body=schemas.PublishIn,
    is_body_needed=False,
    answers={202: schemas.PostOut, 200: schemas.DryRunOut},
    refuses=(404, 409),
)
def publish_post(post_id: str, query: schemas.PublishQuery, body: schemas.PublishIn) -> Reply:
    now = tools().now()
    if query.dry_run:
        return _trial(Post.get(post_id), body.platforms)
    rendered(Post.get(post_id).content)
    with transaction():
        post = Post.get(post_id)
        if body.at is None:
            publishing.publish(post, now, body.platforms)
        else:
            if body.platforms is not None:
                writing.edit(post, {}, body.platforms, now)
            publishing.schedule(post, body.at, now)
    return _reply(post, 202)


def _trial(post: Post, platforms: list[str] | None) -> Reply:
    post.demand_words("published")
    trials = preview.trials(post, platforms or post.platforms, tools())
    rows = [
        schemas.TrialOut(
            platform=trial.platform,
            operation=trial.operation,
            payload=dict(trial.payload.body) if trial.payload else None,
            warnings=list(trial.payload.warnings) if trial.payload else [],
            error=schemas.ErrorOut(code=trial.error.code, detail=str(trial.error)) if trial.error else None,
        )
        for trial in trials
    ]
    return Reply(schemas.DryRunOut(platforms=rows), has_etag=False)


@operation(
    "POST",
    "/posts/<post_id>/unpublish",
    "Take a post down here, and its copies wherever that can be done",
    scope="posts:publish",
    tier="publish",
    answers={202: schemas.PostOut},
    refuses=(404, 409),
)
def unpublish_post(post_id: str) -> Reply:
    return _reply(publishing.unpublish(Post.get(post_id), tools().now()), 202)


@operation(
    "GET",
    "/posts/<post_id>/events",
    "The timeline of a post, oldest first",
    scope="posts:read",
    answers={200: schemas.EventsOut},
    refuses=(404,),
)
def list_post_events(post_id: str) -> Reply:
    rows = timeline(Post.get(post_id).id)
    return Reply(schemas.EventsOut(data=[documents.event(row) for row in rows]), has_etag=False)


@operation(
    "GET",
    "/posts/<post_id>/deliveries",
    "Where a post went, and how that stands",
    scope="posts:read",
    answers={200: schemas.DeliveriesOut},
    refuses=(404,),
)
def list_post_deliveries(post_id: str) -> Reply:
    rows = Post.get(post_id, trashed=True).deliveries
    return Reply(schemas.DeliveriesOut(data=[documents.delivery(row) for row in rows]), has_etag=False)
