"""DELETE /posts/{id} and the trash."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.models import Post
from blogsvc.posts import editing
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside

Posts = Callable[..., Post]


def test_a_deleted_post_is_found_in_the_trash_only(api: Api, a_post: Posts, time: Time) -> None:
    path = f"/posts/{a_post().id}"
    answer = api.delete(path)
    assert (answer.status_code, answer.data) == (204, b"")
    assert api.get(path).status_code == 404
    assert api.get(f"{path}?trashed=true").json["deletedAt"] == "2026-11-24T09:00:00Z"


@pytest.mark.parametrize("rest", ["", "/publish", "/unpublish", "/events", "/analytics"])
def test_a_post_in_the_trash_cannot_be_changed(api: Api, a_post: Posts, rest: str) -> None:
    path = f"/posts/{a_post(live=True).id}"
    api.delete(path)
    method = "POST" if rest.endswith("publish") else "GET"
    assert api(method, path + rest).status_code == 404
    assert api.put(path, title="x").status_code == 404
    assert api.delete(path).status_code == 404


def test_unsent_deliveries_of_a_deleted_post_are_not_sent(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=[connect()])
    api.delete(f"/posts/{post.id}")
    tick()
    assert outside.requests == []


def test_delete_with_withdraw_removes_the_copies(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    answer = api.delete(f"/posts/{post.id}?withdraw=true")
    assert answer.status_code == 202
    assert {copy["platform"]: copy["state"] for copy in answer.json["deliveries"]} == {
        "site": "withdrawn",
        "hook": "queued",
    }
    tick()
    assert outside.requests[-1].json()["type"] == "post.deleted"


def test_delete_without_withdraw_keeps_the_copies(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None], outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    api.delete(f"/posts/{post.id}")
    tick()
    assert [seen.json()["type"] for seen in outside.requests] == ["post.published"]


@pytest.mark.parametrize(("live", "status"), [(False, "draft"), (True, "unpublished")])
def test_a_restored_post_is_not_public(api: Api, a_post: Posts, live: bool, status: str) -> None:
    path = f"/posts/{a_post(live=live).id}"
    api.delete(path)
    answer = api.post(f"{path}/restore")
    assert answer.status_code == 200
    assert (answer.json["status"], answer.json["deletedAt"]) == (status, None)
    assert api.get(path).json == answer.json


def test_a_restored_post_is_no_longer_scheduled(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt="2026-12-01T09:00:00Z")
    api.delete(path)
    assert api.post(f"{path}/restore").json["scheduledAt"] is None


def test_only_posts_in_the_trash_can_be_restored(api: Api, a_post: Posts) -> None:
    answer = api.post(f"/posts/{a_post().id}/restore")
    assert (answer.status_code, answer.json["state"]) == (409, "draft")
    assert api.post("/posts/post_nothing/restore").status_code == 404


def test_invalid_parameters_delete_nothing(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    assert faults(api.delete(f"{path}?withdraw=maybe")) == {"?withdraw": "wrong_type"}
    assert faults(api.delete(f"{path}?force=1")) == {"?force": "unknown"}
    assert api.get(path).status_code == 200


def test_the_deliveries_of_a_deleted_post_stay_readable(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Callable[[], None]
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    api.delete(f"/posts/{post.id}?withdraw=true")
    tick()

    copies = api.get(f"/posts/{post.id}/deliveries").json["data"]
    assert {copy["state"] for copy in copies} == {"withdrawn"}
    assert api.get(f"/deliveries/{copies[0]['id']}").json["state"] == "withdrawn"


def test_the_trash_is_emptied_after_thirty_days_except_posts_with_copies_to_remove(
    api: Api, a_post: Posts, connect: Callable[..., str], outside: Outside, tick: Callable[[], None], time: Time
) -> None:
    gone = a_post(live=True, title="Gone")
    stays = a_post(live=True, title="Stays", platforms=[connect()])
    tick()
    outside.always(status=503)
    for post in (gone, stays):
        api.delete(f"/posts/{post.id}?withdraw=true")
    time.passes(days=29)
    assert editing.empty_trash(time()) == 0

    time.passes(days=2)
    assert editing.empty_trash(time()) == 1
    assert api.get(f"/posts/{gone.id}?trashed=true").status_code == 404
    assert api.get(f"/posts/{stays.id}?trashed=true").status_code == 200
    assert api.post("/posts", title="Gone").json["slug"] == "gone"
