"""Fifty concurrent clients with one Idempotency-Key against the real server: one executes, all get its response."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests.receiver import Receiver
from tests.running_server import Answer, Served, at_once, serving
from tests.tiers import exhaustive

CLIENTS = 50
REPLAYED = "Idempotency-Replayed"


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory, receiver: Receiver) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("once"), shared_database_url, {"hook": receiver.url}) as served:
        yield served


def retry_until_done(served: Served, path: str, body: Any, key: str, seconds: float = 30.0) -> Answer:
    """Repeat the request while the response is 409, until the first request is done."""
    end = time.monotonic() + seconds
    while (answer := served.call("POST", path, body, {"Idempotency-Key": key})).status == 409:
        assert time.monotonic() < end, answer.body
        time.sleep(0.02)
    return answer


def test_fifty_concurrent_requests_with_one_idempotency_key_create_one_post(served: Served) -> None:
    body = {"title": "Written once", "tags": ["once"]}
    answers = at_once(CLIENTS, lambda number: retry_until_done(served, "/posts", body, "one key for all"))
    assert {answer.status for answer in answers} == {201}
    assert len({answer.body for answer in answers}) == len({answer.headers["Location"] for answer in answers}) == 1
    assert sum(answer.headers[REPLAYED] != "true" for answer in answers) == 1
    assert [post["id"] for post in served.call("GET", "/posts?tag=once").json["data"]] == [answers[0].json["id"]]


@exhaustive
def test_fifty_idempotency_keys_create_fifty_posts(served: Served) -> None:
    answers = at_once(CLIENTS, lambda number: retry_until_done(served, "/posts", {"title": "Often"}, f"key {number}"))
    assert len({answer.json["id"] for answer in answers}) == CLIENTS
    assert not any(answer.headers[REPLAYED] for answer in answers)


def test_fifty_concurrent_publishes_with_one_idempotency_key_create_one_copy(
    served: Served, receiver: Receiver
) -> None:
    post = served.make(platforms=["hook"])
    answers = at_once(CLIENTS, lambda number: retry_until_done(served, f"/posts/{post['id']}/publish", {}, "publish"))
    assert {answer.status for answer in answers} == {202}
    assert len({answer.body for answer in answers}) == 1
    assert receiver.wait_for(2)  # the ping of connecting, and the copy
    assert [request.json()["type"] for request in receiver.requests] == ["ping", "post.published"]


def test_of_two_different_requests_with_one_idempotency_key_one_is_rejected(served: Served) -> None:
    answers = at_once(
        CLIENTS,
        lambda number: retry_until_done(served, "/posts", {"title": f"One of two: {number % 2}"}, "one key for two"),
    )
    done = [answer for answer in answers if answer.status == 201]
    assert {answer.status for answer in answers} == {201, 422}
    assert len(done) == CLIENTS // 2
    assert len({answer.json["id"] for answer in done}) == 1
