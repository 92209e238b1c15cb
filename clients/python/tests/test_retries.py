"""Retries, and how responses are handled."""

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
    BlogsvcError,
    Client,
    ConflictError,
    InvalidError,
    LogEntry,
    RateLimitError,
    RequestTimeoutError,
)
from blogsvc_client._retries import backoff, retry_after

Outcome = Union[httpx2.Response, Exception]
POST = {"id": "post_1", "title": "Ink"}


class Server:
    """Returns these outcomes in order and records the requests."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[httpx2.Request] = []
        self.log: list[LogEntry] = []

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def client(self, max_retries: int = 4, retry_for: float = 0) -> Client:
        transport = httpx2.MockTransport(self)
        log = self.log.append
        return Client(
            "bsk_x", "http://[::1]", max_retries=max_retries, retry_for=retry_for, log=log, transport=transport
        )


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that the client would have made. Only they take time."""
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    monkeypatch.setattr(time, "monotonic", lambda: sum(pauses))
    return pauses


def response(status: int = 200, **headers: str) -> httpx2.Response:
    problem = {"type": "/problems/x", "detail": "No."}
    return httpx2.Response(status, json=POST if status < 400 else problem, headers=headers)


def gateway_error(status: int) -> httpx2.Response:
    return httpx2.Response(status, html="<title>Bad Gateway</title>")


def in_progress() -> httpx2.Response:
    return httpx2.Response(409, json={"type": "/problems/request-in-progress"}, headers={"Retry-After": "0.5"})


def test_a_retry_sends_the_same_idempotency_key_and_body(pauses: list[float]) -> None:
    server = Server(httpx2.ReadError("gone"), in_progress(), response(503), response())
    assert server.client().posts.create(title="Ink").title == "Ink"
    assert len({(request.headers["idempotency-key"], request.content) for request in server.requests}) == 1
    assert 0.25 <= pauses[0] <= 0.5
    assert pauses[1] == 0.5
    assert 1 <= pauses[2] <= 2
    assert [(entry.status, entry.error) for entry in server.log] == [
        (None, "APIConnectionError"),
        (409, None),
        (503, None),
        (200, None),
    ]


def test_errors_that_a_retry_cannot_fix_are_raised_at_once() -> None:
    server = Server(response(409))
    with pytest.raises(ConflictError, match=r"No\. \(409 x\)"):
        server.client().posts.restore("post_1")
    with pytest.raises(APIError, match="text/html") as raised:
        Server(httpx2.Response(200, html="<p>Welcome")).client().me()
    assert raised.value.status == 200


def test_a_retry_after_beyond_the_maximum_is_raised(pauses: list[float]) -> None:
    with pytest.raises(RateLimitError) as raised:
        Server(response(429, **{"Retry-After": "61"})).client().me()
    assert raised.value.retry_after == 61
    assert pauses == []


def test_the_client_stops_after_the_maximum_number_of_retries() -> None:
    server = Server(*[httpx2.ReadTimeout("slow") for _ in range(3)])
    with pytest.raises(RequestTimeoutError, match=r"No response to GET /api/v1/me: slow"):
        server.client(max_retries=2).me()
    assert [entry.retry_in is None for entry in server.log] == [False, False, True]


def test_retry_for_keeps_trying_beyond_the_maximum_until_the_time_is_up(pauses: list[float]) -> None:
    server = Server(*[httpx2.ConnectError("refused") for _ in range(100)])
    with pytest.raises(APIConnectionError):
        server.client(max_retries=0, retry_for=60).posts.create(title="Ink")
    assert 56 <= sum(pauses) <= 60
    assert max(pauses) <= 4
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1


def test_retry_for_never_retries_less_than_the_maximum() -> None:
    server = Server(*[httpx2.ReadTimeout("slow") for _ in range(3)])
    with pytest.raises(RequestTimeoutError):
        server.client(max_retries=2, retry_for=0.1).me()
    assert len(server.requests) == 3


def test_retry_for_waits_as_long_as_the_server_asks(pauses: list[float]) -> None:
    def busy() -> httpx2.Response:
        return response(503, **{"Retry-After": "25"})

    with pytest.raises(APIError):
        Server(busy(), busy(), busy()).client(max_retries=0, retry_for=60).me()
    assert pauses == [25, 25]


def test_errors_of_a_proxy_are_retried_only_with_retry_for() -> None:
    server = Server(gateway_error(502), gateway_error(504), response())
    assert server.client(retry_for=60).posts.create(title="Ink").title == "Ink"
    with pytest.raises(APIError):
        Server(gateway_error(502), response()).client().me()


def test_a_502_of_the_api_itself_is_not_retried() -> None:
    server = Server(response(502), response())
    with pytest.raises(APIError):
        server.client(retry_for=60).platforms.verify("gazette")


def test_a_response_that_a_proxy_lost_counts_as_lost() -> None:
    assert Server(gateway_error(504), response(404)).client(retry_for=60).posts.delete("post_1") is None
    changing = Server(gateway_error(504), response()).client(retry_for=60)
    with pytest.raises(APIError):
        changing.posts.update("post_1", title="Ink", if_match='"1"')


@pytest.mark.parametrize("outcome", [httpx2.ReadError("gone"), response(422), httpx2.Response(200, html="<p>Hello")])
def test_an_error_has_the_idempotency_key_of_its_request(outcome: Outcome) -> None:
    server = Server(outcome)
    with pytest.raises(BlogsvcError) as raised:
        server.client(max_retries=0).posts.create(title="Ink")
    assert raised.value.idempotency_key == server.requests[0].headers["idempotency-key"]
    assert pickle.loads(pickle.dumps(raised.value)).idempotency_key == raised.value.idempotency_key


def test_an_error_of_a_request_without_an_idempotency_key_has_none() -> None:
    with pytest.raises(BlogsvcError) as raised:
        Server(response(404)).client().me()
    assert raised.value.idempotency_key is None


def test_a_request_with_if_match_is_retried_only_if_it_was_not_sent() -> None:
    server = Server(httpx2.ConnectError("no route"), httpx2.ReadError("gone"))
    with pytest.raises(APIConnectionError, match="may have made the change"):
        server.client().posts.update("post_1", title="Ink", if_match='"1"')
    assert len(server.requests) == 2


def test_a_404_after_a_lost_delete_is_a_success() -> None:
    assert Server(httpx2.ReadError("gone"), response(404)).client().posts.delete("post_1") is None
    with pytest.raises(APIError):
        Server(httpx2.ConnectError("no route"), response(404)).client().posts.delete("post_1")


def test_a_304_returns_none_only_with_if_none_match() -> None:
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


def test_the_async_client_retries_too(monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_sleep(_seconds: float) -> None:
        pass

    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    server = Server(httpx2.ReadError("gone"), response(503), response())

    async def title() -> str:
        transport = httpx2.MockTransport(server)
        async with AsyncClient("bsk_x", "http://localhost", log=server.log.append, transport=transport) as client:
            return (await client.posts.create(title="Ink")).title

    assert asyncio.run(title()) == "Ink"
    assert [entry.attempt for entry in server.log] == [1, 2, 3]


def test_with_options_does_not_change_the_original_client() -> None:
    server = Server(response(503), response(503), response())
    client = server.client()
    with pytest.raises(APIError):
        client.with_options(max_retries=0).me()
    assert client.me()["title"] == "Ink"


@pytest.mark.parametrize("retry", [0, 1, 5, 5000])
def test_the_backoff_grows_to_four_seconds(retry: int) -> None:
    maximum = 0.5 * 2 ** min(retry, 3)
    assert maximum / 2 <= backoff(retry) <= maximum


@pytest.mark.parametrize(
    ("value", "expected"),
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
def test_retry_after_is_parsed(value: str, expected: float | None) -> None:
    assert retry_after({"retry-after": value}, datetime(2026, 1, 1, tzinfo=timezone.utc)) == expected


def test_the_api_key_is_never_shown() -> None:
    server = Server(httpx2.ReadError("gone"))
    client = server.client(max_retries=0)
    with pytest.raises(APIConnectionError) as raised:
        client.me()
    texts: list[Callable[[], str]] = [lambda: repr(client), lambda: repr(raised.value), lambda: str(server.log)]
    assert not any("bsk_x" in text() for text in texts)
    assert server.requests[0].headers["authorization"] == "Bearer bsk_x"
