"""Cached post documents: used while the post is unchanged, and never afterwards."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask
from sqlalchemy import event, select

from blogsvc.models import Connection, Post, db, transaction
from blogsvc.models.due_deliveries import release_lane
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Posts = Callable[..., Post]


def seen(api: Api, post_id: str) -> tuple[object, object]:
    """Return the post from its own path and from the list; both must agree."""
    alone = api.get(f"/posts/{post_id}").json
    (listed,) = api.get("/posts").json["data"]
    assert alone == listed
    return alone["updatedAt"], [(copy["state"], copy["nextAttemptAt"], copy["url"]) for copy in alone["deliveries"]]


def test_an_unchanged_post_is_not_loaded_from_the_database_again(app: Flask, api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post(live=True).id}"
    api.get(path)
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    answer = api.get(path)
    event.remove(db.engine, "before_cursor_execute", note)
    assert answer.json["title"] == "A post"
    assert not any("post.content" in statement or "delivery.state" in statement for statement in asked)


def test_every_change_to_a_delivery_shows_in_the_post_at_once(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None], time: Time
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    faces = [seen(api, post.id)]
    outside.always(status=503)
    tick()
    faces.append(seen(api, post.id))
    outside.always(json={"url": "https://hook.example/one"})
    time.passes(seconds=1)
    api.post(f"/deliveries/{post.deliveries[1].id}/retry")
    faces.append(seen(api, post.id))
    tick()
    faces.append(seen(api, post.id))
    api.post(f"/deliveries/{post.deliveries[1].id}/withdraw")
    tick()
    faces.append(seen(api, post.id))

    assert len({repr(face) for face in faces}) == len(faces)


def test_a_change_to_a_delivery_does_not_change_the_row_of_its_post(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None]
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    row = select(Post.version).where(Post.id == post.id)
    document, version = seen(api, post.id), db.session.scalar(row)
    outside.always(status=503)
    tick()
    assert seen(api, post.id) != document
    assert db.session.scalar(row) == version


def test_releasing_a_lane_shows_in_its_posts(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None], time: Time
) -> None:
    post = a_post(live=True, platforms=[connect()])
    outside.always(status=503)
    tick()
    before = seen(api, post.id)
    with transaction():
        release_lane(Connection.named("hook").id, time.passes(seconds=1))
    assert seen(api, post.id) != before


@pytest.mark.parametrize("change", [{"title": "New"}, {"content": "New."}, {"tags": ["new"]}, {"platforms": []}])
def test_every_edit_shows_in_the_post_at_once(api: Api, a_post: Posts, change: dict[str, object]) -> None:
    path = f"/posts/{a_post().id}"
    tag = api.get(path).headers["ETag"]
    api.put(path, json=change)
    answer = api.get(path)
    assert answer.headers["ETag"] != tag
    assert {name: answer.json[name] for name in change} == change
