"""Deliveries: attempts, retries, resolving and withdrawing."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.base import Receipt
from blogsvc.context import Tools
from blogsvc.models import CopySearch, Delivery, ExtraCopy, Post, transaction
from blogsvc.models.extra_copy import count_extra_copies
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import NOW
from tests.connectors.fake_wordpress import PASSWORD, SITE, USERNAME, FakeWordPress
from tests.outside import Outside

Posts = Callable[..., Post]
Tick = Callable[[], None]


@pytest.fixture
def hook(api: Api, a_post: Posts, connect: Callable[..., str]) -> str:
    """Return the path of a queued delivery."""
    return f"/deliveries/{a_post(live=True, platforms=[connect()]).deliveries[0].id}"


@pytest.fixture
def uncertain(hook: str) -> str:
    """Return the path of a delivery that was sent without a response."""
    with transaction():
        delivery = Delivery.get(hook.rpartition("/")[2])
        delivery.choose(NOW)
        delivery.claim(NOW, timedelta(seconds=30), "a-process")
        delivery.postpone("uncertain", None, "no_answer", "No answer came.", NOW)
    return hook


def test_a_delivery_lists_every_attempt(api: Api, hook: str, tick: Tick, outside: Outside) -> None:
    outside.always(status=500)
    tick()
    outside.always()
    assert api.get(hook).json["state"] == "retrying"
    api.post(f"{hook}/retry")
    tick()

    found = api.get(hook).json
    assert found["state"] == "delivered"
    assert found["attempts"] == 2
    first, second = found["attemptLog"]
    assert (first["number"], first["operation"]) == (1, "create")
    assert first["error"]["code"]
    assert (second["number"], second["error"]) == (2, None)
    assert second["milliseconds"] == 0


def test_a_delivery_has_an_etag(api: Api, hook: str) -> None:
    tag = api.get(hook).headers["ETag"]
    assert api.get(hook, headers={"If-None-Match": tag}).status_code == 304


def test_a_failed_delivery_can_be_retried(api: Api, hook: str, tick: Tick, outside: Outside) -> None:
    outside.always(status=400)
    tick()
    assert api.get(hook).json["state"] == "failed"
    outside.always()
    answer = api.post(f"{hook}/retry")
    assert (answer.status_code, answer.json["state"]) == (202, "queued")
    tick()
    assert api.get(hook).json["state"] == "delivered"


@pytest.mark.parametrize("move", ["retry", "resolve"])
def test_a_delivered_delivery_cannot_be_retried_or_resolved(api: Api, hook: str, tick: Tick, move: str) -> None:
    tick()
    answer = api.post(f"{hook}/{move}", json={"outcome": "retry"} if move == "resolve" else None)
    assert answer.status_code == 409
    assert (answer.json["state"], answer.json["allowed"]) == ("delivered", ["withdraw"])


def test_an_uncertain_delivery_can_be_resolved_as_delivered(api: Api, uncertain: str, outside: Outside) -> None:
    assert api.get(uncertain).json["state"] == "uncertain"
    answer = api.post(f"{uncertain}/resolve", outcome="delivered", url="https://there.example/1")
    assert (answer.status_code, answer.json["state"]) == (200, "delivered")
    assert answer.json["url"] == "https://there.example/1"
    assert outside.requests == []


def test_an_uncertain_delivery_can_be_resolved_as_retry(api: Api, uncertain: str, tick: Tick, outside: Outside) -> None:
    tick()
    assert outside.requests == [], "never automatically"
    assert api.post(f"{uncertain}/resolve", outcome="retry").json["state"] == "queued"
    tick()
    assert len(outside.requests) == 1


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"#/outcome": "required"}),
        ({"outcome": "perhaps"}, {"#/outcome": "not_one_of"}),
        ({"outcome": True}, {"#/outcome": "not_one_of"}),
        ({"outcome": "delivered", "url": "there"}, {"#/url": "not_a_url"}),
        ({"outcome": "retry", "why": "x"}, {"#/why": "unknown"}),
    ],
)
def test_an_invalid_outcome_is_rejected(api: Api, uncertain: str, body: object, expected: object) -> None:
    assert faults(api.post(f"{uncertain}/resolve", json=body)) == expected
    assert api.get(uncertain).json["state"] == "uncertain"


def test_withdrawing_one_copy_leaves_the_others(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, outside: Outside
) -> None:
    post = a_post(live=True, platforms=["site", connect()])
    tick()
    path = f"/deliveries/{post.delivery_to('hook').id}"
    assert api.post(f"{path}/withdraw").status_code == 202
    tick()
    assert outside.requests[-1].json()["type"] == "post.deleted"
    copies = {copy["platform"]: copy["state"] for copy in api.get(f"/posts/{post.id}").json["deliveries"]}
    assert copies == {"site": "delivered", "hook": "withdrawn"}
    assert api.post(f"{path}/withdraw").json["state"] == "withdrawn"


def test_withdrawing_the_copy_on_the_built_in_blog_takes_effect_at_once(api: Api, a_post: Posts) -> None:
    post = a_post(live=True)
    answer = api.post(f"/deliveries/{post.deliveries[0].id}/withdraw")
    assert (answer.status_code, answer.json["state"], answer.json["url"]) == (202, "withdrawn", None)
    assert api.get(f"/posts/{post.id}").json["status"] == "unpublished"


def test_a_dismissed_failed_copy_is_not_retried(api: Api, hook: str, tick: Tick, outside: Outside) -> None:
    outside.always(status=422)
    tick()
    assert api.get(hook).json["state"] == "failed"
    assert api.post(f"{hook}/leave").json["state"] == "withdrawn"
    again = api.post(f"{hook}/leave")
    assert (again.status_code, again.json["detail"]) == (409, "There is nothing to dismiss for this copy.")


@pytest.mark.parametrize("rest", ["", "/retry", "/resolve", "/leave", "/withdraw"])
def test_an_unknown_delivery_returns_404(api: Api, rest: str) -> None:
    body = {"outcome": "retry"} if rest == "/resolve" else None
    assert api("POST" if rest else "GET", f"/deliveries/dlv_nothing{rest}", json=body).status_code == 404


@pytest.fixture
def duplicated(hook: str) -> str:
    """Return the path of a delivery whose post is there twice."""
    with transaction():
        delivery = Delivery.get(hook.rpartition("/")[2])
        CopySearch.begin(delivery, NOW)
        ExtraCopy.record(delivery, Receipt("c2", "https://there.example/2"), NOW)
        count_extra_copies(delivery)
    return hook


def test_extra_copies_are_listed_and_can_be_removed(api: Api, duplicated: str) -> None:
    found = api.get(duplicated).json
    (extra,) = found["extraCopies"]
    assert found["extraCount"] == 1
    assert (extra["remoteId"], extra["url"], extra["isKept"]) == ("c2", "https://there.example/2", False)
    assert api.post(f"{duplicated}/remove-extra-copies").status_code == 202


def test_extra_copies_can_be_kept(api: Api, duplicated: str) -> None:
    kept = api.post(f"{duplicated}/leave").json
    assert (kept["extraCount"], kept["extraCopies"][0]["isKept"]) == (0, True)


def test_only_existing_extra_copies_can_be_removed(api: Api, hook: str) -> None:
    assert api.post(f"{hook}/remove-extra-copies").status_code == 409


@pytest.fixture
def on_wordpress(api: Api, a_post: Posts, tools: Tools, outside: Outside, tick: Tick) -> Post:
    FakeWordPress(outside)
    manage.connect("wordpress", "wordpress", {"url": SITE, "username": USERNAME, "password": PASSWORD}, tools)
    post = a_post(live=True, platforms=["wordpress"])
    tick()
    return post


def test_withdrawing_keeps_a_draft_unless_it_is_to_be_deleted(api: Api, on_wordpress: Post, tick: Tick) -> None:
    path = f"/deliveries/{on_wordpress.deliveries[0].id}"
    api.post(f"{path}/withdraw")
    tick()
    kept = api.get(path).json
    assert (kept["state"], kept["isDraft"], kept["url"]) == ("withdrawn", True, None)
    assert api.post(f"{path}/withdraw").status_code == 409
    api.post(f"{path}/withdraw", json={"delete": True})
    tick()
    assert (api.get(path).json["isDraft"], api.get(path).json["remoteId"]) == (False, None)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/posts/{id}/unpublish", {"delete": True}),
        ("DELETE", "/posts/{id}?deleteCopies=true", None),
        ("POST", "/posts/bulk", {"operations": [{"operation": "unpublish", "id": "{id}", "deleteCopies": True}]}),
        ("POST", "/posts/bulk", {"operations": [{"operation": "delete", "id": "{id}", "deleteCopies": True}]}),
    ],
    ids=["unpublish", "delete", "bulk unpublish", "bulk delete"],
)
def test_copies_are_deleted_with_the_post_on_demand(
    method: str, path: str, body: dict[str, Any] | None, api: Api, on_wordpress: Post, tick: Tick
) -> None:
    for one in (body or {}).get("operations", []):
        one["id"] = on_wordpress.id
    api(method, path.format(id=on_wordpress.id), json=body)
    tick()
    kept = api.get(f"/deliveries/{on_wordpress.deliveries[0].id}").json
    assert (kept["state"], kept["isDraft"]) == ("withdrawn", False)
