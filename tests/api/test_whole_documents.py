"""GET, then PUT or PATCH of the whole document: what was read can be sent back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import PREFIX, Api
from tests.clock import Time

Posts = Callable[..., Post]


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize("state", ["draft", "scheduled", "published", "missed"])
def test_a_post_can_be_sent_back_as_it_was_read(
    api: Api, a_post: Posts, time: Time, tick: Callable[[], None], method: str, state: str
) -> None:
    path = f"/posts/{a_post(tags=['a'], overrides={'site': {'title': 'Other'}}).id}"
    if state != "draft":
        api.put(path, scheduledAt="2026-11-24T10:00:00Z")
        time.passes(hours={"scheduled": 0, "published": 1, "missed": 200}[state])
        tick()
        time.passes(minutes=10)
    read = api.get(path).json
    assert read["status"] == state
    answer = api(method, path, json=read)
    assert (answer.status_code, answer.json) == (200, read)
    changed = api(method, path, json={**read, "title": "New"}).json
    assert (changed["title"], changed["scheduledAt"], changed["status"]) == ("New", read["scheduledAt"], state)


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_an_unpublished_post_can_be_scheduled_for_the_time_it_had_before(api: Api, a_post: Posts, method: str) -> None:
    path, at = f"/posts/{a_post().id}", "2026-11-27T10:00:00Z"
    api.put(path, scheduledAt=at)
    api.post(f"{path}/publish")
    unpublished = api.post(f"{path}/unpublish").json
    assert (unpublished["status"], unpublished["scheduledAt"]) == ("unpublished", None)
    scheduled = api(method, path, scheduledAt=at).json
    assert (scheduled["status"], scheduled["scheduledAt"]) == ("scheduled", "2026-11-27T10:00:00.000Z")


def test_a_title_that_is_a_time_can_change_its_notation(api: Api, a_post: Posts) -> None:
    path, title = f"/posts/{a_post(title='2026-01-01T10:00:00Z').id}", "2026-01-01T11:00:00+01:00"
    assert api.put(path, json={**api.get(path).json, "title": title}).json["title"] == title


def test_the_unchanged_time_of_a_published_post_can_be_sent_in_another_notation(
    api: Api, a_post: Posts, time: Time, tick: Callable[[], None]
) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt="2026-11-24T10:00:00Z")
    time.passes(hours=1)
    tick()
    time.passes(hours=1)
    assert api.put(path, title="New", scheduledAt="2026-11-24T11:00:00+01:00").status_code == 200
    assert faults(api.put(path, scheduledAt="2026-11-24T10:00:01Z")) == {"#/scheduledAt": "in_past"}


def test_what_the_server_computes_is_ignored_whatever_its_value(api: Api, a_post: Posts, time: Time) -> None:
    path = f"/posts/{a_post(live=True).id}"
    read = api.get(path).json
    time.passes(minutes=1)
    api.patch(path, tags=["meanwhile"])
    moved = {"updatedAt": "2020-01-01T00:00:00Z", "wordCount": "many", "url": None, "deliveries": [{"state": "x"}]}
    answer = api.put(path, json={**read, **moved, "title": "Later"})
    assert answer.status_code == 200, answer.json
    assert (answer.json["title"], answer.json["url"], answer.json["wordCount"]) == (
        "Later",
        read["url"],
        read["wordCount"],
    )
    assert answer.json["tags"] == read["tags"], "what can be written is written"


def test_another_id_creation_time_or_status_is_an_error_among_the_others(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post().id}"
    read = api.get(path).json
    other = {"id": "post_2", "createdAt": "2020-01-01T00:00:00Z", "status": "published", "title": "", "mood": "good"}
    answer = api.put(path, json={**read, **other})
    assert faults(answer) == {
        "#/id": "read_only",
        "#/createdAt": "read_only",
        "#/status": "read_only",
        "#/title": "too_short",
        "#/mood": "unknown",
    }
    details = {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}
    assert "`id` is read-only" in details["#/id"]
    assert "POST /posts/{id}/publish" in details["#/status"]
    assert api.get(path).json == read


def test_no_time_is_no_change_to_a_published_post(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post(live=True).id}"
    answer = api.put(path, title="New", scheduledAt=None)
    assert (answer.status_code, answer.json["title"], answer.json["status"]) == (200, "New", "published")


def test_a_document_whose_status_changed_since_it_was_read_is_stale_rather_than_invalid(
    api: Api, a_post: Posts
) -> None:
    path = f"/posts/{a_post().id}"
    read = api.get(path)
    api.post(f"{path}/publish")
    late = {**read.json, "title": "Late"}
    assert api.put(path, json=late, headers={"If-Match": read.headers["ETag"]}).status_code == 412
    current = api.get(path).headers["ETag"]
    assert faults(api.put(path, json=late, headers={"If-Match": current})) == {"#/status": "read_only"}


def test_a_new_post_has_no_read_only_fields(api: Api) -> None:
    assert faults(api.post("/posts", title="x", id="post_1")) == {"#/id": "unknown"}


def other_documents(api: Api, connect: Callable[..., str], subscribe: Callable[..., dict[str, Any]]) -> list[str]:
    key = api.post("/keys", name="x", scopes=["posts:read"]).json
    return [f"/platforms/{connect()}", f"/webhooks/{subscribe()['id']}", f"/keys/{key['id']}"]


def test_other_documents_can_be_sent_back_as_they_were_read(
    api: Api, connect: Callable[..., str], subscribe: Callable[..., dict[str, Any]]
) -> None:
    for path in other_documents(api, connect, subscribe):
        read = api.get(path).json
        answer = api.patch(path, json=read)
        assert answer.status_code == 200, answer.json
        assert api.get(path).json == read
        assert faults(api.patch(path, json={**read, "createdAt": "2020-01-01T00:00:00Z"})) == {
            "#/createdAt": "read_only"
        }


def test_a_connection_keeps_its_connector(api: Api, connect: Callable[..., str]) -> None:
    assert faults(api.patch(f"/platforms/{connect()}", connector="ghost")) == {"#/connector": "read_only"}


MERGE_PATCH = {"Content-Type": "application/merge-patch+json"}


def test_a_merge_patch_is_merged_into_objects(api: Api, a_post: Posts, connect: Callable[..., str]) -> None:
    overrides = {"site": {"title": "Here", "summary": "Short"}, connect(): {"title": "There"}}
    path = f"/posts/{a_post(tags=['a'], overrides=overrides).id}"
    patch = {"overrides": {"site": {"summary": None, "content": "Text"}, "hook": None}, "tags": None}
    changed = api.patch(path, json=patch, headers=MERGE_PATCH)
    assert changed.status_code == 200
    assert changed.json["overrides"] == {"site": {"title": "Here", "content": "Text"}}
    assert (changed.json["tags"], changed.json["title"]) == ([], "A post")
    assert api.patch(path, json={"overrides": None}, headers=MERGE_PATCH).json["overrides"] == {}


def test_plain_json_replaces_objects(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post(overrides={'site': {'title': 'Here', 'summary': 'Short'}}).id}"
    assert api.patch(path, overrides={"site": {"title": "New"}}).json["overrides"] == {"site": {"title": "New"}}


def test_a_merge_patch_has_the_pointers_of_its_faults(api: Api, a_post: Posts) -> None:
    path = f"/posts/{a_post(overrides={'site': {'title': 'Here'}}).id}"
    answer = api.patch(path, json={"overrides": {"site": {"title": ""}}, "status": "published"}, headers=MERGE_PATCH)
    assert faults(answer).keys() == {"#/overrides/site/title", "#/status"}
    assert api.put(path, json={}, headers=MERGE_PATCH).status_code == 415


@pytest.mark.parametrize("stored", [{}, {"site": {"title": "Here"}}])
def test_a_merge_patch_that_is_nested_too_deeply_is_refused(api: Api, a_post: Posts, stored: dict[str, Any]) -> None:
    path = f"/posts/{a_post(overrides=stored).id}"
    headers = {**MERGE_PATCH, "Authorization": f"Bearer {api.key}"}
    for depth in range(100, 1100, 50):
        body = '{"overrides":' + '{"site":' * depth + "1" + "}" * (depth + 1)
        answer = api.client.patch(PREFIX + path, data=body, headers=headers)
        assert answer.status_code in (400, 422), depth
    assert "nested too deeply" in answer.json["detail"]
