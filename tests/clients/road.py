"""The road between a client and the server: an HTTP proxy on loopback that loses, refuses, delays and forges.

    with Road(server_port) as road:
        road.will("lose")            # the next request reaches the server, its answer nobody
        road.seen                    # what came along

Of the next requests, one each: `lose` (done, and the answer lost), `refuse` (not done, no answer), `hang` (not done,
and silence until the client goes), `html` (200 and a page), `redirect`, `500`, `503 1` or `429 1` (with
Retry-After: 1), `503 date` (Retry-After as a date, a second from now), `409 request-in-progress`, and `ok`.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "host"}
LONGEST_HANG = 30.0  # seconds
SLUGS = {"409": "request-in-progress", "429": "rate-limited", "500": "internal", "503": "unavailable"}


@dataclass(frozen=True)
class Seen:
    """One request, as it came along."""

    method: str
    path: str
    idempotency_key: str | None
    user_agent: str
    size: int


class Road:
    def __init__(self, server_port: int) -> None:
        self.server_port = server_port
        self.seen: list[Seen] = []
        self.streams: set[socket.socket] = set()
        self.closing = threading.Event()
        self._next: list[str] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        self.port = self._server.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def will(self, *behaviours: str) -> None:
        self._next.extend(behaviours)

    def cut(self) -> int:
        """Break off every stream that is under way; how many that were."""
        with self._lock:
            streams = list(self.streams)
        for stream in streams:
            with suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
        return len(streams)

    def take(self, seen: Seen) -> str:
        """How to behave to this one."""
        with self._lock:
            self.seen.append(seen)
            return self._next.pop(0) if self._next else "ok"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.cut()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], road: Road) -> None:
        super().__init__(address, _Request)
        self.road = road

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes half-way is what this is for."""


class _Request(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body go out together, and at once.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        seen = Seen(
            self.command,
            self.path,
            self.headers.get("Idempotency-Key"),
            self.headers.get("User-Agent", ""),
            len(body),
        )
        behaviour, _, said = self.server.road.take(seen).partition(" ")
        with suppress(OSError, http.client.HTTPException):
            match behaviour:
                case "ok":
                    self._pass_on(body)
                case "lose":
                    self._pass_on(body, is_lost=True)
                case "hang":
                    self._hang()
                case "refuse":
                    pass
                case "html":
                    self._write(200, b"<!doctype html><title>Welcome</title>", {"Content-Type": "text/html"})
                case "redirect":
                    self._write(307, b"", {"Location": "http://elsewhere.example/api/v1/me"})
                case _:
                    self._problem(behaviour, said)
            if behaviour not in ("lose", "refuse", "hang"):
                return
        self.close_connection = True

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815  the library's names

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _pass_on(self, body: bytes, is_lost: bool = False) -> None:
        # Where nothing else is said, the connection ends without a word.
        self.close_connection = True
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.road.server_port, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            if answer.headers.get_content_type() == "text/event-stream":
                self._stream(answer)
                return
            text = answer.read()
            if not is_lost:
                kept = {name: value for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP}
                self._write(answer.status, text, kept)
                self.close_connection = False
        finally:
            upstream.close()

    def _stream(self, answer: http.client.HTTPResponse) -> None:
        road = self.server.road
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.headers["Content-Type"])
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        road.streams.add(self.connection)
        try:
            while some := answer.read1(65536):
                self.wfile.write(some)
                self.wfile.flush()
        finally:
            road.streams.discard(self.connection)

    def _hang(self) -> None:
        """Until the client has gone."""
        end = time.monotonic() + LONGEST_HANG
        self.connection.settimeout(0.1)
        while time.monotonic() < end and not self.server.road.closing.is_set():
            with suppress(TimeoutError):
                if not self.connection.recv(1):
                    return

    def _problem(self, status: str, said: str) -> None:
        slug = SLUGS[status]
        document = {
            "type": f"/api/v1/problems/{slug}",
            "title": "The road says so",
            "status": int(status),
            "detail": "The road says so.",
            "instance": "road",
        }
        headers = {"Content-Type": "application/problem+json", "X-Request-Id": "road"}
        if said == "date":
            headers["Retry-After"] = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
        elif said:
            headers["Retry-After"] = said
        self._write(int(status), json.dumps(document).encode(), headers)

    def _write(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response_only(status)
        for name, value in headers.items():
            if name.lower() != "content-length":
                self.send_header(name, value)
        if status not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
