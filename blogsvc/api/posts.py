"""Posts: what is written here, and goes out here and elsewhere when its time has come."""

from __future__ import annotations

import json

from flask import url_for
from pydantic import BaseModel

from blogsvc import context
from blogsvc.api import document_cache, schemas, serializers
from blogsvc.api.framework import auth, cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.post_filters import PostsQuery, chosen
from blogsvc.models import Post, transaction
from blogsvc.models.revision import rendered
from blogsvc.posts import editing, publishing


def _reply(post: Post, status: int = 200) -> Reply:
    return Reply(serializers.post(post), status)


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
    """`scheduledAt` names an instant, `schedule` a wall time in a zone; without either it is a draft.

    A post that has a time needs content and the scope `posts:publish` too. A wall time stays what it is should the
    rules of its zone change. One that a change of the clocks skips or repeats is refused unless `fold` says which.
    """
    return _made(create(body))


def create(body: schemas.PostIn) -> Post:
    now, when = context.now(), body.when()
    if when is not None:
        auth.demand_scope("posts:publish")
    with transaction():
        post = editing.create(body.words(), body.platforms, now)
        if when is not None:
            publishing.schedule(post, when, now)
        return post


def _made(post: Post) -> Reply:
    return Reply(serializers.post(post), 201, {"Location": url_for("api.get_post", post_id=post.id)})


@operation(
    "GET",
    "/posts",
    "List posts",
    scope="posts:read",
    query=PostsQuery,
    answers={200: schemas.PostsOut},
)
def list_posts(query: PostsQuery) -> Reply:
    """Filters narrow together. `fields` leaves of each post what it names: without `content` a list is short."""
    order = cursors.read_cursor(query.cursor, query.sort)
    rows, cursor = cursors.page(chosen(query, order), order, query.limit)
    return Reply(
        _listed(rows, cursor, query), headers=cursors.link_to(cursor), fields=_fields(query.fields), has_etag=False
    )


def _listed(rows: list[cursors.Found], cursor: str | None, query: PostsQuery) -> BaseModel | str:
    if query.fields is None:
        texts = document_cache.texts([(row.id, row.version) for row in rows])
        return f'{{"data":[{",".join(texts)}],"nextCursor":{json.dumps(cursor)}}}'
    posts = document_cache.posts([row.id for row in rows])
    return schemas.PostsOut.model_construct(data=[serializers.post(row) for row in posts], next_cursor=cursor)


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
    """With its deliveries. `content` is what is written here by now; readers see what was published last."""
    if query.fields is None:
        version = Post.version_of(post_id, trashed=query.trashed)
        return Reply(document_cache.texts([(post_id, version)])[0])
    return Reply(serializers.post(Post.get(post_id, trashed=query.trashed)), fields=_fields(query.fields))


def change_post(post_id: str, body: schemas.PostChange) -> Reply:
    """A new time reschedules, `scheduledAt: null` takes a scheduled post back to a draft.

    A change of what is published stays here (`hasUnpublishedChanges`) until it is published again, or at once with
    `publish: true`. `If-Match` with the post's `ETag` guards against changing what somebody else has changed since.
    """
    render_change_ahead(post_id, body)
    return _reply(change(post_id, body))


def render_change_ahead(post_id: str, body: schemas.PostChange) -> None:
    if body.publish or body.when() is not None:
        rendered(Post.get(post_id).content if body.content is None else body.content)


def change(post_id: str, body: schemas.PostChange) -> Post:
    now = context.now()
    if body.publish or body.when() is not None:
        auth.demand_scope("posts:publish")
    if body.publish:
        auth.count("publish")
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(serializers.post(post))
        _apply(post, body)
        if body.publish:
            publishing.publish(post, now)
        return post


def _apply(post: Post, body: schemas.PostChange) -> None:
    now, when = context.now(), body.when()
    platforms = editing.default_platforms() if body.clears("platforms") else body.platforms
    if body.sets_time and when is None:
        publishing.unschedule(post, now)
    editing.edit(post, body.words(), platforms, now)
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
    "Put a post in the trash, take its copies down too, or erase it for good",
    scope="posts:write",
    query=schemas.DeleteQuery,
    answers={204: None, 202: schemas.PostOut},
    refuses=(404, 409, 412),
)
def delete_post(post_id: str, query: schemas.DeleteQuery) -> Reply:
    """It stays in the trash for 30 days, and can be restored. Deliveries that were still to be sent are cancelled."""
    if query.permanent:
        erase(post_id)
        return Reply(None, 204)
    post = discard(post_id, withdraw=query.withdraw)
    return _reply(post, 202) if query.withdraw else Reply(None, 204)


def discard(post_id: str, *, withdraw: bool) -> Post:
    with transaction():
        post = Post.get(post_id)
        etags.demand_match(serializers.post(post))
        editing.discard(post, context.now(), withdraw=withdraw)
        return post


def erase(post_id: str) -> None:
    with transaction():
        post = Post.get(post_id, trashed=True)
        etags.demand_match(serializers.post(post))
        editing.erase(post, context.now())


@operation(
    "POST",
    "/posts/<post_id>/restore",
    "Take a post out of the trash",
    scope="posts:write",
    answers={200: schemas.PostOut},
    refuses=(404, 409),
)
def restore_post(post_id: str) -> Reply:
    """It comes back as a draft, or as unpublished where it had been live."""
    return _reply(editing.restore(Post.get(post_id, trashed=True), context.now()))


@operation(
    "POST",
    "/posts/<post_id>/duplicate",
    "Write a draft with the words of another post",
    scope="posts:write",
    answers={201: schemas.PostOut},
    refuses=(404,),
)
def duplicate_post(post_id: str) -> Reply:
    return _made(editing.duplicate(Post.get(post_id), context.now()))
