"""Posts: write, schedule and change posts."""

from __future__ import annotations

import json

from flask import url_for

from blogsvc import context
from blogsvc.api import document_cache, schemas, serializers
from blogsvc.api.framework import auth, cursors, etags, preferences
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.post_filters import PostsQuery, can_have_values, chosen
from blogsvc.connections.waiting import KnownDestinations
from blogsvc.models import Post, nouns, transaction
from blogsvc.models.post_conditions import is_scheduled
from blogsvc.models.post_versions import document_version, document_versions
from blogsvc.posts import editing, prepare, publishing, trash
from blogsvc.posts.prepare import PreparedPost, PreparedText
from blogsvc.posts.publish_request import PublishRequest


def _reply(post: Post, status: int = 200) -> Reply:
    return Reply(serializers.post(post), status)


def prepare_new(body: schemas.PostIn) -> PreparedText:
    fields, when = body.text_fields(), body.when()
    if when is None:
        return prepare.text(fields)
    auth.require_scope("posts:publish")
    draft = editing.unsaved(fields, body.platforms, context.now())
    return prepare.publication(draft, PublishRequest(when=when), context.tools(), fields)


@operation(
    "POST",
    "/posts",
    "Create a post",
    scope="posts:write",
    body=schemas.PostIn,
    answers={201: schemas.PostOut},
    prepare=prepare_new,
)
def create_post(body: schemas.PostIn, prepared: PreparedText) -> Reply:
    """Creates a draft, or schedules the post if you send `scheduledAt` (an instant) or `schedule` (a local time).

    A scheduled post needs content, and the key needs the scope `posts:publish` too. A local time in `schedule` keeps
    its meaning if the rules of its time zone change. If a clock change skips or repeats that time, set `fold`.
    """
    return _created_reply(create(body, prepared))


def create(body: schemas.PostIn, prepared: PreparedText) -> Post:
    now, when = context.now(), body.when()
    with transaction():
        post = editing.create(body.text_fields(), body.platforms, now, quota=auth.quota(), prepared=prepared)
        if isinstance(prepared, PreparedPost):
            publishing.publish_request(post, PublishRequest(when=when), now, context.tools(), prepared)
        return post


def _created_reply(post: Post) -> Reply:
    return Reply(serializers.post(post), 201, {"Location": url_for("api.get_post", post_id=post.id)})


@operation(
    "GET",
    "/posts",
    "List posts",
    scope="posts:read",
    query=PostsQuery,
    answers={200: schemas.PostsOut},
    is_remembered=True,
)
def list_posts(query: PostsQuery) -> Reply:
    """Returns the posts that match all filters. Use `fields` to return only some fields, for example no `content`."""
    order = cursors.read_cursor(query.cursor, query.sort)
    matching = chosen(query, order)
    rows, cursor = cursors.page(matching, order, query.limit, can_have_values=can_have_values(query, order))
    count = cursors.count(matching) if query.count else None
    document: schemas.PostsOut | str
    if query.fields is None:
        texts = document_cache.texts(document_versions([(row.id, row.version) for row in rows]))
        document = f'{{"data":[{",".join(texts)}],"nextCursor":{json.dumps(cursor)},"count":{json.dumps(count)}}}'
    else:
        posts = document_cache.posts([row.id for row in rows])
        known = KnownDestinations()
        data = [serializers.post(post, known) for post in posts]
        document = schemas.PostsOut.model_construct(data=data, next_cursor=cursor, count=count)
    return Reply(document, headers=cursors.link_to(cursor), fields=_fields(query.fields), has_etag=False)


def _fields(names: list[str] | None) -> frozenset[str] | None:
    """Return the Python names of the fields that a request names in camelCase."""
    if names is None:
        return None
    return frozenset(name for name, field in schemas.PostOut.model_fields.items() if (field.alias or name) in names)


@operation(
    "GET",
    "/posts/<post_id>",
    "Get a post",
    scope="posts:read",
    query=schemas.PostQuery,
    answers={200: schemas.PostOut, 304: None},
    refuses=(404,),
    is_remembered=True,
)
def get_post(post_id: str, query: schemas.PostQuery) -> Reply:
    """Returns the post with its deliveries. `content` may include changes that are not published yet."""
    if query.fields is None:
        version = document_version(post_id, trashed=query.trashed)
        return Reply(document_cache.texts([(post_id, version)])[0])
    return Reply(serializers.post(Post.get(post_id, trashed=query.trashed)), fields=_fields(query.fields))


def stored_post(post_id: str) -> schemas.PostOut:
    return serializers.post(Post.get(post_id))


def change_post(post_id: str, body: schemas.PostChange, prepared: PreparedText) -> Reply:
    """Changes the fields that you send. A new time reschedules the post; `scheduledAt: null` makes it a draft again.

    Changes to a published post are saved but not published (`hasUnpublishedChanges`) until you publish the post
    again or send `publish: true`. You can send back a whole post as you read it: unchanged fields are ignored, and so
    is what the server computes, such as `deliveries` and `updatedAt`. Another `id`, `createdAt` or `status` is an
    error. Send the post's `ETag` as `If-Match` to avoid overwriting someone else's changes. `overrides` replaces all
    overrides; PATCH with `Content-Type: application/merge-patch+json` (RFC 7396) merges them into the stored ones.
    To publish, and to change a scheduled or missed post, the key needs the scope `posts:publish` too.
    """
    return _reply(change(post_id, body, prepared))


def prepare_change(post_id: str, body: schemas.PostChange) -> PreparedText:
    changes, when = body.text_fields(), body.when()
    if when is None and not body.publish:
        return prepare.text(changes, Post.get(post_id) if is_scheduled(post_id) else None)
    auth.require_scope("posts:publish")
    post = Post.get(post_id)
    platforms = {"platforms": _platforms(body) or post.platforms}
    return prepare.publication(post, PublishRequest(when=when), context.tools(), changes | platforms)


def change(post_id: str, body: schemas.PostChange, prepared: PreparedText) -> Post:
    now = context.now()
    if body.publish:
        auth.count("publish")
    with transaction(*_nouns_of(post_id, body)):
        post = Post.get(post_id)
        if post.state in ("scheduled", "missed"):
            auth.require_scope("posts:publish")
        etags.require_match(lambda: serializers.post(post))
        _apply(post, body, prepared)
        if body.publish and isinstance(prepared, PreparedPost):
            publishing.publish_request(post, PublishRequest(), now, context.tools(), prepared)
        return post


def _nouns_of(post_id: str, body: schemas.PostChange) -> list[str]:
    """Return what a change is limited to: the post, unless it may publish, or change the time or the destinations."""
    is_limited = not (body.publish or body.sets_time or "platforms" in body.model_fields_set)
    return [nouns.post(post_id)] if is_limited else []


def _platforms(body: schemas.PostChange) -> list[str] | None:
    return editing.default_platforms() if body.clears("platforms") else body.platforms


def _apply(post: Post, body: schemas.PostChange, prepared: PreparedText) -> None:
    now, when = context.now(), body.when()
    if body.sets_time and when is None:
        publishing.unschedule(post, now)
    editing.edit(post, body.text_fields(), _platforms(body), now, prepared)
    if when is not None and isinstance(prepared, PreparedPost):
        publishing.publish_request(post, PublishRequest(when=when), now, context.tools(), prepared)


for _method, _name in (("PUT", "replace_post"), ("PATCH", "update_post")):
    operation(
        _method,
        "/posts/<post_id>",
        "Update a post",
        scope=("posts:write", "posts:read"),
        body=schemas.PostChange,
        answers={200: schemas.PostOut},
        refuses=(404, 409, 412),
        stored=stored_post,
        name=_name,
        prepare=prepare_change,
    )(change_post)


@operation(
    "DELETE",
    "/posts/<post_id>",
    "Delete a post",
    scope=("posts:write", "posts:read"),
    query=schemas.DeleteQuery,
    answers={200: schemas.PostOut, 202: schemas.PostOut, 204: None},
    prefers="return",
    refuses=(404, 409, 412),
)
def delete_post(post_id: str, query: schemas.DeleteQuery) -> Reply:
    """Moves the post to the trash, cancels its pending deliveries and returns it. You can restore it for 30 days.

    `withdraw` also unpublishes the copies on other platforms, as drafts where the platform has drafts; `deleteCopies`
    deletes them; both return 202. `permanent` deletes the post for good and returns 204. If the post is not only a
    draft, but scheduled, missed, or ever published, the key needs the scope `posts:publish` too.
    """
    if query.permanent:
        erase(post_id)
        return Reply(None, 204)
    is_withdrawn = query.withdraw or query.delete_copies
    is_minimal = preferences.is_minimal() and not is_withdrawn
    post = discard(post_id, withdraw=is_withdrawn, delete_copies=query.delete_copies)
    return preferences.minimal_reply() if is_minimal else _reply(post, 202 if is_withdrawn else 200)


def discard(post_id: str, *, withdraw: bool, delete_copies: bool) -> Post:
    with transaction():
        post = Post.get(post_id)
        _require_deletable(post)
        etags.require_match(lambda: serializers.post(post))
        trash.discard(post, context.now(), withdraw=withdraw, delete_copies=delete_copies)
        return post


def erase(post_id: str) -> None:
    with transaction():
        post = Post.get(post_id, trashed=True)
        _require_deletable(post)
        etags.require_match(lambda: serializers.post(post))
        trash.erase(post, context.now())


def _require_deletable(post: Post) -> None:
    if not post.is_only_draft:
        auth.require_scope("posts:publish")


@operation(
    "POST",
    "/posts/<post_id>/restore",
    "Restore a post from the trash",
    scope=("posts:write", "posts:read"),
    answers={200: schemas.PostOut},
    refuses=(404, 409),
)
def restore_post(post_id: str) -> Reply:
    """The post becomes a draft, or unpublished if it was published before. The blog doesn't show it again.

    If copies are still on platforms, its status is the one that they give, such as `published`.
    """
    return _reply(trash.restore(Post.get(post_id, trashed=True), context.now()))


@operation(
    "POST",
    "/posts/<post_id>/duplicate",
    "Duplicate a post",
    scope=("posts:write", "posts:read"),
    answers={201: schemas.PostOut},
    refuses=(404,),
)
def duplicate_post(post_id: str) -> Reply:
    """Creates a draft with the text, tags and overrides of the post."""
    return _created_reply(editing.duplicate(Post.get(post_id), context.now(), quota=auth.quota()))
