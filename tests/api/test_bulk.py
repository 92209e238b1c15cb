"""POST /posts/bulk: many operations in one request, each with its own result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from flask.testing import FlaskClient

from blogsvc.config import Config
from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api

LATER = "2026-12-01T09:00:00.000Z"


def bulk(api: Api, *operations: dict[str, Any], **options: Any) -> Any:
    return api.post("/posts/bulk", json={"operations": list(operations)}, **options)


def statuses(answer: Any) -> list[int]:
    assert answer.status_code == 200
    return [result["status"] for result in answer.json["results"]]


def test_each_bulk_operation_has_its_own_result(api: Api, a_post: Callable[..., Post]) -> None:
    post, live = a_post(), a_post(live=True)
    answer = bulk(
        api,
        {"operation": "create", "post": {"title": "New"}},
        {"operation": "update", "id": post.id, "post": {"tags": ["x"]}},
        {"operation": "update", "id": "post_nothing", "post": {"tags": ["x"]}},
        {"operation": "publish", "id": post.id},
        {"operation": "unpublish", "id": live.id},
        {"operation": "duplicate", "id": live.id},
        {"operation": "delete", "id": live.id},
        {"operation": "restore", "id": live.id},
        {"operation": "restore", "id": post.id},
    )
    assert statuses(answer) == [201, 200, 404, 200, 200, 201, 200, 200, 409]
    results = answer.json["results"]
    assert results[3]["post"]["status"] == "published"
    assert results[2]["post"] is None
    assert results[2]["problem"]["title"]
    assert results[8]["problem"]["state"] == "published"
    assert api.get(f"/posts/{post.id}").json["tags"] == ["x"]


def test_a_bulk_operation_that_fails_changes_nothing(api: Api, a_post: Callable[..., Post]) -> None:
    a_post(slug="taken")
    post = a_post(title="Stays")
    answer = bulk(
        api,
        {"operation": "create", "post": {"title": "Empty", "scheduledAt": "2026-12-01T00:00:00Z"}},
        {"operation": "update", "id": post.id, "post": {"title": "Changed", "slug": "taken"}},
        {"operation": "update", "id": post.id, "post": {"tags": ["kept"]}},
    )
    assert statuses(answer) == [422, 422, 200]
    assert [error["pointer"] for error in answer.json["results"][1]["problem"]["errors"]] == [
        "#/operations/1/post/slug"
    ]
    found = api.get(f"/posts/{post.id}").json
    assert (found["title"], found["tags"]) == ("Stays", ["kept"])
    assert api.get("/posts?q=empty").json["data"] == []


def test_a_malformed_operation_fails_alone_with_pointers_into_the_request(api: Api) -> None:
    answer = bulk(
        api,
        {"operation": "create", "post": {"title": "Good"}},
        {"operation": "create", "post": {"titel": "Bad"}},
        {"operation": "update", "id": "post_1", "post": {"tags": ["a", 3]}},
        {"operation": "zap"},
        {"id": "post_1"},
        5,  # type: ignore[arg-type]
    )
    assert statuses(answer) == [201, 422, 422, 422, 422, 422]
    found = [
        [(fault["pointer"], fault["code"]) for fault in result["problem"]["errors"]]
        for result in answer.json["results"][1:]
    ]
    assert found == [
        [("#/operations/1/post/title", "required"), ("#/operations/1/post/titel", "unknown")],
        [("#/operations/2/post/tags/1", "wrong_type")],
        [("#/operations/3/operation", "not_one_of")],
        [("#/operations/4/operation", "required")],
        [("#/operations/5", "wrong_type")],
    ]
    assert [post["title"] for post in api.get("/posts").json["data"]] == ["Good"]


def test_a_whole_post_can_be_sent_back_in_bulk(api: Api, a_post: Callable[..., Post]) -> None:
    read = api.get(f"/posts/{a_post(live=True).id}").json
    sent = {**read, "title": "New", "updatedAt": "2020-01-01T00:00:00Z"}
    others = {**read, "status": "draft", "title": ""}
    changed, refused, lost = bulk(
        api,
        {"operation": "update", "id": read["id"], "post": sent},
        {"operation": "update", "id": read["id"], "post": others},
        {"operation": "update", "id": "post_nothing", "post": {"title": "x"}},
    ).json["results"]
    assert (changed["status"], changed["post"]["title"], changed["post"]["tags"]) == (200, "New", read["tags"])
    assert [(fault["pointer"], fault["code"]) for fault in refused["problem"]["errors"]] == [
        ("#/operations/1/post/status", "read_only"),
        ("#/operations/1/post/title", "too_short"),
    ]
    assert lost["status"] == 404


def test_each_operation_is_compared_with_what_the_ones_before_it_left(api: Api, a_post: Callable[..., Post]) -> None:
    post = a_post(title="Old")
    updates = ({"title": "New"}, {"title": "Old", "id": post.id}, {"scheduledAt": LATER}, {"scheduledAt": None})
    answer = bulk(api, *({"operation": "update", "id": post.id, "post": fields} for fields in updates))
    assert [result["post"]["title"] for result in answer.json["results"]] == ["New", "Old", "Old", "Old"]
    assert [result["post"]["status"] for result in answer.json["results"]] == ["draft", "draft", "scheduled", "draft"]


def test_a_key_that_may_not_read_learns_nothing_of_a_post(
    client: FlaskClient, new_key: Callable[..., str], a_post: Callable[..., Post]
) -> None:
    path = a_post().id
    for status in ("draft", "published"):
        answer = bulk(
            Api(client, new_key("posts:write")), {"operation": "update", "id": path, "post": {"status": status}}
        )
        assert statuses(answer) == [403]


@pytest.mark.parametrize("count", [0, 101])
def test_a_bulk_request_has_1_to_100_operations(api: Api, count: int) -> None:
    answer = bulk(api, *({"operation": "create", "post": {"title": "x"}} for _ in range(count)))
    assert list(faults(answer)) == ["#/operations"]


def test_a_hundred_posts_are_created_in_bulk_and_only_once_per_idempotency_key(api: Api) -> None:
    operations = [{"operation": "create", "post": {"title": f"Post {number}"}} for number in range(100)]
    first, again = (bulk(api, *operations, headers={"Idempotency-Key": "batch"}) for _ in range(2))
    assert statuses(first) == [201] * 100
    assert again.data == first.data
    assert len(api.get("/posts?limit=100").json["data"]) == 100


def test_a_key_without_posts_publish_cannot_publish_in_bulk(
    client: FlaskClient, new_key: Callable[..., str], a_post: Callable[..., Post]
) -> None:
    post = a_post()
    answer = bulk(
        Api(client, new_key("posts:read", "posts:write")),
        {"operation": "publish", "id": post.id},
        {"operation": "unpublish", "id": post.id},
        {"operation": "update", "id": post.id, "post": {"publish": True}},
        {"operation": "create", "post": {"title": "x", "content": "y", "scheduledAt": "2026-12-01T00:00:00Z"}},
        {"operation": "update", "id": post.id, "post": {"tags": ["x"]}},
    )
    assert statuses(answer) == [403, 403, 403, 403, 200]


class TestLimits:
    @pytest.fixture
    def config(self, config: Config) -> Config:
        return replace(config, publishes_per_minute=2)

    def test_bulk_publishing_counts_against_the_publish_limit(self, api: Api, a_post: Callable[..., Post]) -> None:
        answer = bulk(api, *({"operation": "publish", "id": a_post().id} for _ in range(3)))
        assert statuses(answer) == [200, 200, 429]
        assert answer.json["results"][2]["problem"]["tier"] == "publish"
