"""Request bodies on the event loop, with clients that are written down part by part."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from blogsvc.errors import Busy
from blogsvc.server import bodies
from blogsvc.server.bodies import Body, Receiver
from blogsvc.server.rsgi import WsgiBridge

MIB = 1024 * 1024
PATIENCE = 30.0  # seconds


class Client:
    """A client that sends parts of a body, and then nothing more, or the end."""

    def __init__(self, *parts: bytes, ends: bool = False) -> None:
        self.proto, self.parts, self.ends = self, parts, ends
        self.are_sent = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self.parts:
            yield part
        self.are_sent = True
        if self.ends:
            yield b""
        else:
            await asyncio.Event().wait()


def received(
    what: Callable[[Receiver], None], count: int, *, patience: float = PATIENCE, of: Sequence[Client] = ()
) -> dict[Any, Body]:
    """Return the bodies that were handed on by client, once there are `count`, and once all clients have sent theirs.

    Large ones are closed by then.
    """

    async def run() -> dict[Any, Body]:
        handed_on: dict[Any, Body] = {}
        receiver = Receiver(handed_on.__setitem__, patience)
        what(receiver)
        deadline = asyncio.get_running_loop().time() + PATIENCE
        while len(handed_on) < count or not all(client.are_sent for client in of if client not in handed_on):
            assert asyncio.get_running_loop().time() < deadline
            await asyncio.sleep(0.001)
        found, waiting = dict(handed_on), list(receiver.arriving.values())
        receiver.stop()
        await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.sleep(0)
        for body in handed_on.values():
            if body.file is not None:
                body.file.close()
        return found

    return asyncio.run(run())


def test_a_declared_body_is_complete_with_its_last_byte() -> None:
    client = Client(b"ab", b"cd")
    body = received(lambda receiver: receiver.begin(client, 4), 1)[client]
    assert (body.fault, body.stream().read()) == (None, b"abcd")


def test_a_chunked_body_is_complete_with_its_end() -> None:
    client = Client(b"ab", b"cd", ends=True)
    body = received(lambda receiver: receiver.begin(client, None), 1)[client]
    assert (body.fault, body.stream().read()) == (None, b"abcd")


def test_if_bodies_take_too_much_memory_the_largest_is_given_up() -> None:
    small = Client(*[b"a"] * 10)
    large = [Client(bytes(2 * MIB - 1)) for _ in range(bodies.MAX_MEMORY // (2 * MIB) + 5)]

    def begin(receiver: Receiver) -> None:
        for client in large:
            receiver.go_on(client, Body(2 * MIB, 0, PATIENCE), 2 * MIB)
        receiver.begin(small, bodies.MAX_UNASKED)

    found = received(begin, 5, of=(small, *large))
    assert [type(body.fault) for body in found.values()] == [Busy] * 5
    assert small not in found


def test_the_memory_of_bodies_is_free_again_once_they_are_answered() -> None:
    complete, chunked, stopped = Client(bytes(MIB)), Client(b"ab", b"cd", ends=True), Client(bytes(MIB))
    receivers = []

    def begin(receiver: Receiver) -> None:
        receivers.append(receiver)
        receiver.begin(chunked, None)
        for client, size in ((complete, MIB), (stopped, 2 * MIB)):
            receiver.go_on(client, Body(size, 0, PATIENCE), 2 * MIB)

    found = received(begin, 2, of=(stopped,))
    (receiver,) = receivers
    assert receiver.memory == MIB + len(b"abcd")  # the one that was given up is free already
    for body in found.values():
        assert body.stream().read()
        receiver.forget(body)
    assert receiver.memory == 0


def test_a_client_that_sends_at_a_fair_rate_may_take_longer() -> None:
    slow, fair = Client(b"a"), Client(bytes(10 * bodies.MIN_RATE))

    def begin(receiver: Receiver) -> None:
        receiver.go_on(fair, Body(2 * MIB, 0, 0.05), 2 * MIB)
        receiver.begin(slow, bodies.MAX_UNASKED)

    assert list(received(begin, 1, patience=0.05)) == [slow]


def test_only_some_large_bodies_are_received_at_the_same_time() -> None:
    clients = [Client(b"a") for _ in range(bodies.MAX_LARGE + 1)]

    def begin(receiver: Receiver) -> None:
        for client in clients:
            receiver.go_on(client, Body(10 * MIB, 0, PATIENCE), 20 * MIB)

    found = received(begin, 1)
    assert list(found) == clients[-1:]
    assert isinstance(found[clients[-1]].fault, Busy)


class Requested:
    """A request as Granian passes it."""

    def __init__(self, method: str, path: str, **headers: str) -> None:
        self.scope = SimpleNamespace(
            method=method,
            path=path,
            headers=headers,
            server="127.0.0.1:80",
            client="127.0.0.1:1",
            query_string="",
            http_version="1.1",
            scheme="http",
            authority=None,
        )
        self.proto = self
        self.is_answered = Event()

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.answer = (status, dict(headers), body)
        self.is_answered.set()

    def done(self) -> None:
        pass

    def err(self, error: BaseException) -> None:
        raise AssertionError from error


def test_an_error_around_the_application_is_answered_in_json_below_the_api() -> None:
    def broken(_environ: dict[str, Any], _start_response: Callable[..., Any]) -> Iterable[bytes]:
        raise RuntimeError("out of order")

    request = Requested("GET", "/api/v1/me")
    WsgiBridge(broken, 1, PATIENCE).take(request)  # type: ignore[arg-type]
    assert request.is_answered.wait(PATIENCE)
    status, headers, body = request.answer
    assert (status, headers["content-type"]) == (500, "application/problem+json")
    assert json.loads(body)["status"] == 500


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_a_health_check_is_answered_while_all_threads_are_busy(path: str) -> None:
    go_on, busy = Event(), [Event(), Event()]

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/busy":
            busy.pop().set()
            go_on.wait(PATIENCE)
        start_response("200 OK", [])
        return [b""]

    bridge = WsgiBridge(app, 2, PATIENCE)
    began = list(busy)
    try:
        for _ in range(2):
            bridge.take(Requested("GET", "/busy"))  # type: ignore[arg-type]
        assert all(event.wait(PATIENCE) for event in began)
        check = Requested("GET", path)
        bridge.take(check)  # type: ignore[arg-type]
        assert check.is_answered.wait(PATIENCE)
    finally:
        go_on.set()
