"""A real HTTP server on loopback that records requests, and misbehaves when told to.

    with Receiver() as receiver:
        receiver.will("hang", "500", "ok")      # for the next requests, then "ok"
        ...
        assert [r.json() for r in receiver.accepted] == [...]

Behaviours: "ok"; "hang" and "hang-after" (no response before or after accepting); "reset-before" and
"reset-after"; "429" (Retry-After: 1), "500", "500-after" (accepted all the same), "503", "410", ...:
any status; "slow" (with a short delay); "rubbish" (no HTTP); "drip" (one byte now and then); "html".
"""

from __future__ import annotations

import json as json_
import socket
import struct
import threading
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import SystemRandom
from types import TracebackType
from typing import Any, Self

PORTS = range(10_000, 32_000)  # below those that Linux and macOS choose
_CHOICE = SystemRandom()  # not seeded like `random`, which gives all tests the same numbers
A_MOMENT = 0.2  # seconds
BETWEEN_DRIPS = 0.02  # seconds


@dataclass(frozen=True)
class Received:
    method: str
    path: str
    headers: Message
    body: bytes

    def json(self) -> Any:
        return json_.loads(self.body)


class Receiver:
    """`requests` are all requests, `accepted` those that were executed. All responses have `headers`."""

    def __init__(self, port: int = 0, moment: float = A_MOMENT, **answer: Any) -> None:
        self.requests: list[Received] = []
        self.accepted: list[Received] = []
        self.connections = 0
        self.moment = moment
        self.answer = answer
        self.headers: dict[str, str] = {}
        self.closing = threading.Event()
        self._arrived = threading.Condition()
        self._next: list[str] = []
        self._usual = "ok"
        self._server = _Server(("127.0.0.1", port), self)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/in"

    def will(self, *behaviours: str) -> None:
        """Set the behaviours of the next requests, one each."""
        self._next.extend(behaviours)

    def always(self, behaviour: str) -> None:
        """Set the behaviour of all requests that `will` does not cover."""
        self._usual = behaviour

    def wait_for(self, count: int, seconds: float = 10.0) -> bool:
        """Wait for this number of requests; return False on timeout."""
        with self._arrived:
            return self._arrived.wait_for(lambda: len(self.requests) >= count, seconds)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def behaviour(self) -> str:
        return self._next.pop(0) if self._next else self._usual

    def remember(self, received: Received) -> None:
        with self._arrived:
            self.requests.append(received)
            self._arrived.notify_all()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], receiver: Receiver) -> None:
        super().__init__(address, _Request)
        self.receiver = receiver

    def process_request(self, request: Any, client_address: Any) -> None:
        self.receiver.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: clients that disconnect are part of the tests."""


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 10
    # Otherwise each body waits 40 ms for the confirmation of its headers.
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        receiver = self.server.receiver
        behaviour = receiver.behaviour()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        received = Received(self.command, self.path, self.headers, body)
        receiver.remember(received)
        if behaviour in ("ok", "slow", "drip") or behaviour.endswith("-after"):
            receiver.accepted.append(received)
        with suppress(OSError):
            self._behave(behaviour.removesuffix("-after").removesuffix("-before"))

    do_GET = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815  the library's names

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _behave(self, behaviour: str) -> None:
        if behaviour.isdigit():
            self._answer(int(behaviour), {"error": f"as told: {behaviour}"}, {"Retry-After": "1"})
        else:
            getattr(self, f"_{behaviour}")()

    def _ok(self) -> None:
        self._answer(200, self.server.receiver.answer, {})

    def _slow(self) -> None:
        self.server.receiver.closing.wait(self.server.receiver.moment)
        self._ok()

    def _hang(self) -> None:
        self.server.receiver.closing.wait()
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.rfile.close()
        self.connection.close()

    def _rubbish(self) -> None:
        self.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")
        self.close_connection = True

    def _drip(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not self.server.receiver.closing.wait(BETWEEN_DRIPS):
            self.wfile.write(b"X-A: b\r\n")

    def _html(self) -> None:
        self._write(200, b"<!doctype html><title>Down for maintenance</title>", {"Content-Type": "text/html"})

    def _answer(self, status: int, value: Any, headers: dict[str, str]) -> None:
        body = json_.dumps(value).encode()
        self._write(status, body, {"Content-Type": "application/json", **headers})

    def _write(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        every = self.server.receiver.headers
        for name, value in {**headers, **every, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def free_port() -> int:
    """Return a port that nobody listens on, and that the system does not give to others.

    A server binds it later. Until then, one of the ports that the system chooses could become that of another
    listener, which would answer in place of the server.
    """
    while True:
        port = _CHOICE.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
