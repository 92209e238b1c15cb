"""When a request is sent again, and what is made of its answers."""

from __future__ import annotations

import asyncio
import pickle
import time
from datetime import datetime, timezone
from typing import Callable, Union

import httpx2
import pytest

from blogsvc_client import (
    APIConnectionError,
    APIError,
    AsyncClient,
    Client,
    ConflictError,
    InvalidError,
    LogEntry,
    RateLimitError,
    RequestTimeoutError,
)
from blogsvc_client._retries import back_off, retry_after

Outcome = Union[httpx2.Response, Exception]
POST = {"id": "post_1", "title": "Ink"}


class Server:
    """Answers in this order, and remembers what it was asked."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[httpx2.Request] = []
        self.log: list[LogEntry] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def client(self, max_retries: int = 4) -> Client:
        transport = httpx2.MockTransport(self)
        return Client("bsk_x", "http://[::1]", max_retries=max_retries, log=self.log.append, transport=transport)


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long it would have waited."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    return waited


def answer(status: int = 200, **headers: str) -> httpx2.Response:
    problem = {"type": "/problems/x", "detail": "No."}
    return httpx2.Response(status, json=POST if status < 400 else problem, headers=headers)


def in_progress() -> httpx2.Response:
    return httpx2.Response(409, json={"type": "/problems/request-in-progress"}, headers={"Retry-After": "0.5"})


def test_a_lost_request_is_sent_again_under_its_name(pauses: list[float]) -> None:
    server = Server(httpx2.ReadError("gone"), in_progress(), answer(503), answer())
    assert server.client().posts.create(title="Ink").title == "Ink"
    assert len({(request.headers["idempotency-key"], request.content) for request in server.asked}) == 1
    assert 0.25 <= pauses[0] <= 0.5
    assert pauses[1] == 0.5
    assert 1 <= pauses[2] <= 2
    assert [(entry.status, entry.error) for entry in server.log] == [
        (None, "APIConnectionError"),
        (409, None),
        (503, None),
        (200, None),
    ]


def test_what_no_retry_mends_is_an_error_at_once() -> None:
    server = Server(answer(409))
    with pytest.raises(ConflictError, match=r"No\. \(409 x\)"):
        server.client().posts.restore("post_1")
    with pytest.raises(APIError, match="text/html") as raised:
        Server(httpx2.Response(200, html="<p>Welcome")).client().me()
    assert raised.value.status == 200


def test_a_wait_that_is_too_long_is_left_to_the_caller(pauses: list[float]) -> None:
    with pytest.raises(RateLimitError) as raised:
        Server(answer(429, **{"Retry-After": "61"})).client().me()
    assert raised.value.retry_after == 61
    assert pauses == []


def test_it_gives_up() -> None:
    server = Server(*[httpx2.ReadTimeout("slow") for _ in range(3)])
    with pytest.raises(RequestTimeoutError, match=r"GET /api/v1/me was not answered: slow"):
        server.client(max_retries=2).me()
    assert [entry.retry_in is None for entry in server.log] == [False, False, True]


def test_a_lost_change_with_a_version_is_not_repeated_unless_it_never_left() -> None:
    server = Server(httpx2.ConnectError("no route"), httpx2.ReadError("gone"))
    with pytest.raises(APIConnectionError, match="may be done"):
        server.client().posts.update("post_1", title="Ink", if_match='"1"')
    assert len(server.asked) == 2


def test_what_is_gone_after_a_lost_delete_was_deleted() -> None:
    assert Server(httpx2.ReadError("gone"), answer(404)).client().posts.delete("post_1") is None
    with pytest.raises(APIError):
        Server(httpx2.ConnectError("no route"), answer(404)).client().posts.delete("post_1")


def test_nothing_new() -> None:
    client = Server(httpx2.Response(304), httpx2.Response(304)).client()
    assert client.posts.get("post_1", if_none_match='"1"') is None
    with pytest.raises(APIError):
        client.posts.get("post_1")


def test_an_error_can_be_pickled() -> None:
    problem = {"type": "/problems/invalid", "detail": "No.", "errors": [{"pointer": "#/title", "detail": "Too long."}]}
    with pytest.raises(InvalidError) as raised:
        Server(httpx2.Response(422, json=problem, headers={"X-Request-Id": "01J"})).client().me()
    copied = pickle.loads(pickle.dumps(raised.value))
    assert str(copied) == str(raised.value) == "#/title: Too long. (422 invalid, request 01J)"


def test_for_asyncio_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_seconds: float) -> None:
        pass

    monkeypatch.setattr(asyncio, "sleep", at_once)
    server = Server(httpx2.ReadError("gone"), answer(503), answer())

    async def title() -> str:
        transport = httpx2.MockTransport(server)
        async with AsyncClient("bsk_x", "http://localhost", log=server.log.append, transport=transport) as client:
            return (await client.posts.create(title="Ink")).title

    assert asyncio.run(title()) == "Ink"
    assert [entry.attempt for entry in server.log] == [1, 2, 3]


def test_other_options_are_for_the_other_client() -> None:
    server = Server(answer(503), answer(503), answer())
    client = server.client()
    with pytest.raises(APIError):
        client.with_options(max_retries=0).me()
    assert client.me()["title"] == "Ink"


@pytest.mark.parametrize("retry", [0, 1, 5, 5000])
def test_pauses_grow_to_eight_seconds(retry: int) -> None:
    longest = 0.5 * 2 ** min(retry, 4)
    assert longest / 2 <= back_off(retry) <= longest


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("3", 3),
        ("Thu, 01 Jan 2026 00:00:09 GMT", 9),
        ("Thu, 01 Jan 2026 00:00:09 -0000", 9),
        ("Wed, 31 Dec 2025 00:00:00 GMT", 0),
        ("soon", None),
        ("-1", None),
        ("", None),
    ],
)
def test_when_the_server_says(said: str, expected: float | None) -> None:
    assert retry_after({"retry-after": said}, datetime(2026, 1, 1, tzinfo=timezone.utc)) == expected


def test_the_key_is_in_no_text() -> None:
    server = Server(httpx2.ReadError("gone"))
    client = server.client(max_retries=0)
    with pytest.raises(APIConnectionError) as raised:
        client.me()
    seen: list[Callable[[], str]] = [lambda: repr(client), lambda: repr(raised.value), lambda: str(server.log)]
    assert not any("bsk_x" in text() for text in seen)
    assert server.asked[0].headers["authorization"] == "Bearer bsk_x"
