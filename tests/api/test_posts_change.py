"""GET, PUT and PATCH /posts/{id}: partial updates with entity tags."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from flask import Flask

from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import Time

SOON, LATER = "2026-11-24T10:00:00.000Z", "2026-12-01T09:00:00.000Z"


@pytest.fixture
def full_post(api: Api) -> dict[str, Any]:
    """Return a post with a value in every field that can be cleared."""
    post: dict[str, Any] = api.post(
        "/posts",
        title="A post",
        content="Words",
        summary="Short",
        slug="own-slug",
        tags=["a"],
        platforms=[],
        canonicalUrl="https://example.org/",
        coverImage="https://example.org/a.png",
        coverAlt="A ferry",
        coverCaption="By *Ada*",
        language="en",
        kind="page",
        isPinned=True,
        isUnlisted=True,
        metaTitle="Another title",
        publishedAt="2019-05-04T10:00:00Z",
        overrides={"site": {"title": "Other"}},
    ).json
    return post


def test_absent_fields_are_kept(api: Api, full_post: dict[str, Any]) -> None:
    answer = api.put(f"/posts/{full_post['id']}", title="New title")
    assert answer.status_code == 200
    assert answer.json == full_post | {"title": "New title"}


@pytest.mark.parametrize(
    ("name", "cleared"),
    [
        ("content", ""),
        ("summary", ""),
        ("slug", "a-post"),
        ("tags", []),
        ("platforms", ["site"]),
        ("canonicalUrl", None),
        ("coverImage", None),
        ("coverAlt", ""),
        ("coverCaption", ""),
        ("kind", "post"),
        ("isPinned", False),
        ("isUnlisted", False),
        ("metaTitle", ""),
        ("language", None),
        ("overrides", {}),
    ],
)
def test_null_clears_a_field(api: Api, full_post: dict[str, Any], name: str, cleared: Any) -> None:
    answer = api.put(f"/posts/{full_post['id']}", json={name: None}).json
    assert answer == full_post | {name: cleared, "wordCount": answer["wordCount"]}


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_put_and_patch_behave_the_same(api: Api, full_post: dict[str, Any], method: str) -> None:
    assert api(method, f"/posts/{full_post['id']}", tags=["b"]).json == full_post | {"tags": ["b"]}


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
def test_an_unknown_post_returns_404(api: Api, method: str) -> None:
    answer = api(method, "/posts/post_nothing", json=None if method in {"GET", "DELETE"} else {"title": "x"})
    assert answer.status_code == 404
    assert answer.json["type"].endswith("/problems/not-found")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"title": None}, {"#/title": "wrong_type"}),
        ({"title": ""}, {"#/title": "too_short"}),
        ({"publish": None}, {"#/publish": "wrong_type"}),
        ({"publish": "yes"}, {"#/publish": "wrong_type"}),
        ({"publish": True, "scheduledAt": LATER}, {"#": "ambiguous"}),
        ({"slug": "feed"}, {"#/slug": "taken"}),
        ({"scheduledAt": "2026-11-20T09:00:00Z"}, {"#/scheduledAt": "in_past"}),
        ({"state": "published"}, {"#/state": "unknown"}),
    ],
)
def test_an_invalid_update_changes_nothing(
    api: Api, full_post: dict[str, Any], body: Any, expected: dict[str, str]
) -> None:
    assert faults(api.put(f"/posts/{full_post['id']}", json=body)) == expected
    assert api.get(f"/posts/{full_post['id']}").json == full_post


def test_scheduled_at_schedules_reschedules_and_null_unschedules(api: Api, a_post: Callable[..., Post]) -> None:
    path = f"/posts/{a_post().id}"
    for when, status in (
        (LATER, "scheduled"),
        ("2026-12-02T09:00:00.000Z", "scheduled"),
        (None, "draft"),
        (None, "draft"),
    ):
        post = api.put(path, scheduledAt=when).json
        assert (post["status"], post["scheduledAt"]) == (status, when)


def test_scheduled_at_replaces_a_local_time(api: Api, a_post: Callable[..., Post]) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, schedule={"localTime": "2027-07-01T09:00", "timeZone": "Europe/Berlin"})
    assert api.put(path, schedule=None).json["status"] == "draft"
    assert api.put(path, schedule=None, scheduledAt=LATER).json["scheduledAt"] == LATER


@pytest.mark.parametrize("when", [LATER, None])
def test_a_published_post_cannot_be_scheduled(
    api: Api, a_post: Callable[..., Post], time: Time, tick: Callable[[], None], when: str | None
) -> None:
    path = f"/posts/{a_post().id}"
    api.put(path, scheduledAt=SOON)
    time.passes(hours=1)
    tick()
    answer = api.put(path, scheduledAt=when)
    assert answer.status_code == 409
    assert answer.json["state"] == "published"
    assert set(answer.json["allowed"]) == {"edit", "publish", "unpublish", "delete"}


def test_an_edit_of_a_published_post_is_not_live_until_it_is_published_again(
    api: Api, a_post: Callable[..., Post]
) -> None:
    path = f"/posts/{a_post(live=True).id}"
    assert api.put(path, content="Newer").json["hasUnpublishedChanges"] is True
    assert api.put(path, content="Some *words*.").json["hasUnpublishedChanges"] is False, "back to what is live"
    answer = api.put(path, content="Newest", publish=True).json
    assert (answer["status"], answer["hasUnpublishedChanges"]) == ("published", False)


def test_an_old_slug_is_free_again_unless_it_was_public(api: Api, a_post: Callable[..., Post]) -> None:
    draft, live = a_post(title="Unseen"), a_post(title="Live", live=True)
    api.put(f"/posts/{draft.id}", slug="elsewhere")
    api.put(f"/posts/{live.id}", slug="moved")
    assert api.post("/posts", title="x", slug="unseen").status_code == 201
    assert faults(api.post("/posts", title="x", slug="live")) == {"#/slug": "taken"}
    assert api.put(f"/posts/{live.id}", slug="live").json["slug"] == "live", "the post can return to its old slug"
    assert api.post("/posts", title="x", slug="moved").status_code == 201, "no reader has seen it"


def test_if_none_match_returns_304_for_an_unchanged_post(api: Api, full_post: dict[str, Any]) -> None:
    path = f"/posts/{full_post['id']}"
    tag = api.get(path).headers["ETag"]
    unchanged = api.get(path, headers={"If-None-Match": f'"other", {tag}'})
    assert unchanged.status_code == 304
    assert unchanged.headers["ETag"] == tag
    api.put(path, summary="Other")
    assert api.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_the_etag_of_a_partial_response_is_that_of_the_whole_post(api: Api, full_post: dict[str, Any]) -> None:
    path = f"/posts/{full_post['id']}"
    whole, trimmed = api.get(path), api.get(f"{path}?fields=title")
    assert trimmed.json != whole.json
    assert trimmed.headers["ETag"] == whole.headers["ETag"]
    assert api.put(path, title="x", headers={"If-Match": trimmed.headers["ETag"]}).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("tag", ['"other"', "W/{tag}", "rubbish", "", ","])
def test_an_update_with_an_outdated_if_match_returns_412(
    api: Api, full_post: dict[str, Any], method: str, tag: str
) -> None:
    path = f"/posts/{full_post['id']}"
    tag = tag.replace("{tag}", api.get(path).headers["ETag"])
    answer = api(method, path, headers={"If-Match": tag}, json=None if method == "DELETE" else {"title": "x"})
    assert answer.status_code == 412
    assert answer.json["type"].endswith("/problems/stale")
    assert api.get(path).json == full_post


def test_a_weak_if_match_says_what_is_wrong_with_it(api: Api, full_post: dict[str, Any]) -> None:
    path = f"/posts/{full_post['id']}"
    weak = api.put(path, title="x", headers={"If-Match": "W/" + api.get(path).headers["ETag"]})
    assert (weak.status_code, "weak ETag" in weak.json["detail"]) == (412, True)
    assert "weak" not in api.put(path, title="x", headers={"If-Match": '"other"'}).json["detail"]


@pytest.mark.parametrize("tag", ["*", '"other", {tag}', "{tag}"])
def test_an_update_with_a_matching_if_match_succeeds(api: Api, full_post: dict[str, Any], tag: str) -> None:
    path = f"/posts/{full_post['id']}"
    tag = tag.replace("{tag}", api.get(path).headers["ETag"])
    assert api.put(path, title="x", headers={"If-Match": tag}).json["title"] == "x"


def test_of_twenty_concurrent_updates_with_the_same_if_match_one_succeeds(
    app: Flask, api: Api, full_post: dict[str, Any]
) -> None:
    path, start = f"/posts/{full_post['id']}", Barrier(20)
    tag = api.get(path).headers["ETag"]

    def change(number: int) -> int:
        own = Api(app.test_client(), api.key)
        start.wait()
        return own.put(path, title=f"Writer {number}", headers={"If-Match": tag}).status_code

    with ThreadPoolExecutor(20) as pool:
        codes = list(pool.map(change, range(20)))
    assert sorted(codes) == [200] + [412] * 19
    winner = codes.index(200)
    assert api.put(path, summary="Read after").json["title"] == f"Writer {winner}"


def test_fields_selects_the_fields_of_a_post(api: Api, full_post: dict[str, Any]) -> None:
    assert api.get(f"/posts/{full_post['id']}?fields=title,slug").json == {"title": "A post", "slug": "own-slug"}
    assert faults(api.get(f"/posts/{full_post['id']}?fields=nothing")) == {"?fields": "not_one_of"}
