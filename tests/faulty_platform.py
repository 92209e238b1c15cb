"""A fake platform: a real HTTP server on loopback that stores copies, misbehaves, and records every request.

    with FaultyPlatform() as platform:
        platform.will("500-after", "hang")         # the next requests, one each
        platform.misbehaves(Random(7), 0.3)        # from now on, randomly
        platform.url("there")                      # one of any number of accounts, by name
        platform.account("there").made             # the copies that were made

Behaviours are those of `BEHAVIOURS` and any status; "-after" means that the request was executed all the same.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

BEFORE = ("hang", "reset", "rubbish", "429", "500", "503", "html")
AFTER = ("hang-after", "reset-after", "rubbish-after", "500-after", "html-after")
# "late" hangs like "hang-after", and answers after all. "held" is executed when the platform goes on, or after
# `hold_seconds()`: a proxy holds it.
BEHAVIOURS = (*BEFORE, *AFTER, "slow")
A_MOMENT = 0.2  # seconds


@dataclass(frozen=True)
class Call:
    """One request."""

    method: str
    path: str
    body: dict[str, Any]
    key: str | None
    at: float
    behaviour: str


@dataclass
class Account:
    """One account: its copies and the requests to it."""

    name: str
    copies: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_key: dict[str, str] = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)
    # Every copy that was ever created, and every publication of a draft: its post and its time.
    made: list[tuple[str, float]] = field(default_factory=list)
    shown: list[tuple[str, float]] = field(default_factory=list)
    # Its own behaviour, which takes precedence over that of the platform.
    usual: str | None = None

    def always(self, behaviour: str) -> None:
        self.usual = behaviour

    def copies_of(self, post_id: str) -> list[dict[str, Any]]:
        return [copy for copy in list(self.copies.values()) if copy["post"] == post_id]

    def titles_of(self, post_id: str) -> list[str]:
        return [copy["title"] for copy in self.copies_of(post_id)]

    @property
    def creates(self) -> list[Call]:
        return [call for call in self.calls if call.method == "POST"]

    def do(self, call: Call) -> tuple[int, dict[str, Any]]:
        """Execute a request, and return the status and the document."""
        url = urlsplit(call.path)
        match call.method, url.path.strip("/").split("/")[1:]:
            case "GET", ["me"]:
                return 200, {"name": self.name}
            case "GET", ["copies"]:
                return 200, self._found(parse_qs(url.query)["marker"][0])
            case "POST", ["copies"]:
                return 201, self._make(call)
            case "PUT", ["copies", copy_id] if copy_id in self.copies:
                return 200, self._change(self.copies[copy_id], call)
            case "DELETE", ["copies", copy_id] if self.copies.pop(copy_id, None):
                return 204, {}
        return 404, {"error": "no such copy"}

    def _change(self, copy: dict[str, Any], call: Call) -> dict[str, Any]:
        was_public = is_public(copy)
        copy.update(call.body)
        if is_public(copy) and not was_public:
            self.shown.append((copy["post"], time.time()))
        return copy

    def _found(self, marker: str) -> dict[str, Any]:
        return {"found": True, "copies": [c for c in self.copies.values() if c["marker"] == marker]}

    def _make(self, call: Call) -> dict[str, Any]:
        if call.key in self.by_key:
            return self.copies.get(self.by_key[call.key], {"id": self.by_key[call.key], "url": "http://was.example"})
        copy = {**call.body, "id": f"c{len(self.made)}", "url": f"http://{self.name}.example/c{len(self.made)}"}
        self.copies[copy["id"]] = copy
        self.made.append((copy["post"], call.at))
        if is_public(copy):
            self.shown.append((copy["post"], time.time()))
        if call.key is not None:
            self.by_key[call.key] = copy["id"]
        return copy


def is_public(copy: dict[str, Any]) -> bool:
    """Return True if readers see a copy, which may be a draft instead."""
    return not copy.get("is_draft") and copy.get("status") != "draft"


class FaultyPlatform:
    """The server, its accounts and its behaviour."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        self.address = address
        self.accounts: dict[str, Account] = {}
        self.lock = threading.RLock()
        self.going_on = threading.Event()
        self.hold_seconds: Callable[[], float] = lambda: 60.0
        self.held = 0  # requests that are held now
        self._next: list[str] = []
        self._mood: Callable[[], str] = lambda: "ok"
        self.wait = "1"
        self._server = _Server((address, 0), self)
        self.port = self._server.server_port

    def url(self, name: str) -> str:
        return f"http://{self.address}:{self.port}/{name}"

    def account(self, name: str) -> Account:
        with self.lock:
            return self.accounts.setdefault(name, Account(name))

    def will(self, *behaviours: str) -> None:
        """Set the behaviours of the next requests, one each."""
        self._next.extend(behaviours)

    def always(self, behaviour: str) -> None:
        self._mood = lambda: behaviour

    def misbehaves(self, random: Random, rate: float, behaviours: tuple[str, ...] = BEHAVIOURS) -> None:
        """Choose one of these behaviours randomly for each request."""
        self._mood = lambda: random.choice(behaviours) if random.random() < rate else "ok"

    def asks_to_wait(self, seconds: str) -> None:
        """Set the Retry-After of a 429."""
        self.wait = seconds

    def behaves(self) -> None:
        self._next.clear()
        self.always("ok")

    def goes_on(self) -> None:
        """Release hanging requests."""
        self.going_on.set()
        self.going_on = threading.Event()

    def goes_down(self) -> None:
        """Refuse every connection, until it comes up again at the same address."""
        self._server.shutdown()
        self._server.server_close()

    def comes_up(self) -> None:
        self._server = _Server((self.address, self.port), self)
        self._serve()

    def receive(self, method: str, path: str, body: bytes, key: str | None) -> tuple[str, int, dict[str, Any]]:
        """Record a request, and execute it if its behaviour requires. Return the behaviour and the response."""
        with self.lock:
            account = self.account(path.strip("/").split("/")[0])
            behaviour = account.usual or (self._next.pop(0) if self._next else self._mood())
            call = Call(method, path, json.loads(body or b"{}"), key, time.time(), behaviour)
            account.calls.append(call)
            if behaviour == "held":
                self.held += 1
                return behaviour, 200, {"call": call}
            is_done = behaviour in ("ok", "slow", "late") or behaviour.endswith("-after")
            status, document = account.do(call) if is_done else (200, {})
            return behaviour.removesuffix("-after"), status, document

    def execute_held(self, call: Call) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.held -= 1
            return self.account(call.path.strip("/").split("/")[0]).do(call)

    def wait_for(self, condition: Callable[[], Any], seconds: float = 10.0) -> bool:
        """Poll until the condition is true; return False on timeout."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.005)
        return True

    def _serve(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self) -> Self:
        self._serve()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.goes_on()
        self.goes_down()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], platform: FaultyPlatform) -> None:
        super().__init__(address, _Request)
        self.platform = platform

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: clients that are killed during a request are part of the tests."""


class _Request(BaseHTTPRequestHandler):
    """One request per connection, so that going down certainly refuses the next one."""

    timeout = 10
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        key = self.headers.get("Idempotency-Key")
        behaviour, status, document = self.server.platform.receive(self.command, self.path, body, key)
        with suppress(OSError):
            if behaviour.isdigit():
                wait = {"Retry-After": self.server.platform.wait} if behaviour == "429" else {}
                self._answer(int(behaviour), {"error": "as told"}, wait)
            elif behaviour == "ok":
                self._answer(status, document)
            else:
                getattr(self, f"_{behaviour}")(status, document)

    do_GET = do_PUT = do_DELETE = do_POST  # noqa: N815  the library's names

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _slow(self, status: int, document: dict[str, Any]) -> None:
        time.sleep(A_MOMENT)
        self._answer(status, document)

    def _late(self, status: int, document: dict[str, Any]) -> None:
        self.server.platform.going_on.wait(60)
        self._answer(status, document)

    def _held(self, status: int, document: dict[str, Any]) -> None:
        platform = self.server.platform
        platform.going_on.wait(platform.hold_seconds())
        self._answer(*platform.execute_held(document["call"]))

    def _hang(self, *_: Any) -> None:
        self.server.platform.going_on.wait(30)

    def _reset(self, *_: Any) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.rfile.close()
        self.connection.close()

    def _rubbish(self, *_: Any) -> None:
        self.wfile.write(b"\x00\xff this is no HTTP\r\n\r\n")

    def _html(self, *_: Any) -> None:
        self._write(200, b"<!doctype html><title>Down for maintenance</title>", {"Content-Type": "text/html"})

    def _answer(self, status: int, document: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        body = b"" if status == 204 else json.dumps(document).encode()
        self._write(status, body, {"Content-Type": "application/json", **(headers or {})})

    def _write(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
