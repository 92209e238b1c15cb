"""An HTTP proxy on loopback that simulates faults between a client and the server.

    with FaultyProxy(server_port) as proxy:
        proxy.queue("lose")          # the next request reaches the server, but its response is lost
        proxy.requests               # all requests so far

Each behaviour applies to one request: `lose` (forwards the request and drops the response), `refuse` (closes the
connection without forwarding), `hang` (sends nothing until the client disconnects), `html` (200 with an HTML page),
`redirect`, `502` (the HTML page of a gateway that cannot reach the server), `504` (forwards the request, drops the
response and returns an HTML page), `500`, `503`, `503 1` or `429 1` (with Retry-After: 1), `503 date` (Retry-After as a
date, in one second), `409 request-in-progress`, and `ok`.
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
MAX_HANG = 30.0  # seconds
SLUGS = {"409": "request-in-progress", "429": "rate-limited", "500": "internal", "503": "unavailable"}


@dataclass(frozen=True)
class RecordedRequest:
    method: str
    path: str
    idempotency_key: str | None
    user_agent: str
    size: int


class FaultyProxy:
    def __init__(self, server_port: int) -> None:
        self.server_port = server_port
        self.requests: list[RecordedRequest] = []
        self.streams: set[socket.socket] = set()
        self.closing = threading.Event()
        self._behaviours: list[str] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), self)
        self.port = self._server.server_port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def queue(self, *behaviours: str) -> None:
        self._behaviours.extend(behaviours)

    def drop_streams(self) -> int:
        """Drop the connections of all open streams and return their number."""
        with self._lock:
            streams = list(self.streams)
        for stream in streams:
            with suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)
        return len(streams)

    def record(self, request: RecordedRequest) -> str:
        """Record a request and return the behaviour for it."""
        with self._lock:
            self.requests.append(request)
            return self._behaviours.pop(0) if self._behaviours else "ok"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self.drop_streams()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], proxy: FaultyProxy) -> None:
        super().__init__(address, _RequestHandler)
        self.proxy = proxy

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: clients that disconnect are part of the tests."""


class _RequestHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Send headers and body together and at once.
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        request = RecordedRequest(
            self.command,
            self.path,
            self.headers.get("Idempotency-Key"),
            self.headers.get("User-Agent", ""),
            len(body),
        )
        behaviour, _, argument = self.server.proxy.record(request).partition(" ")
        with suppress(OSError, http.client.HTTPException):
            match behaviour:
                case "ok":
                    self._forward(body)
                case "lose":
                    self._forward(body, is_lost=True)
                case "502":
                    self._write_page(502, "Bad Gateway")
                case "504":
                    self._forward(body, is_lost=True)
                    self._write_page(504, "Gateway Timeout")
                    self.close_connection = False
                case "hang":
                    self._hang()
                case "refuse":
                    pass
                case "html":
                    self._write_page(200, "Welcome")
                case "redirect":
                    self._write(307, b"", {"Location": "http://elsewhere.example/api/v1/me"})
                case _:
                    self._write_problem(behaviour, argument)
            if behaviour not in ("lose", "refuse", "hang"):
                return
        self.close_connection = True

    do_POST = do_PUT = do_PATCH = do_DELETE = do_GET  # noqa: N815  names of the base class

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _forward(self, body: bytes, is_lost: bool = False) -> None:
        # Unless a response is written, the connection is closed without one.
        self.close_connection = True
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.proxy.server_port, timeout=60)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            upstream.request(self.command, self.path, body or None, headers)
            response = upstream.getresponse()
            if response.headers.get_content_type() == "text/event-stream":
                self._stream(response)
                return
            content = response.read()
            if not is_lost:
                kept = {name: value for name, value in response.headers.items() if name.lower() not in HOP_BY_HOP}
                self._write(response.status, content, kept)
                self.close_connection = False
        finally:
            upstream.close()

    def _stream(self, response: http.client.HTTPResponse) -> None:
        proxy = self.server.proxy
        self.send_response(response.status)
        self.send_header("Content-Type", response.headers["Content-Type"])
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        proxy.streams.add(self.connection)
        try:
            while chunk := response.read1(65536):
                self.wfile.write(chunk)
                self.wfile.flush()
        finally:
            proxy.streams.discard(self.connection)

    def _hang(self) -> None:
        """Wait until the client disconnects."""
        deadline = time.monotonic() + MAX_HANG
        self.connection.settimeout(0.1)
        while time.monotonic() < deadline and not self.server.proxy.closing.is_set():
            with suppress(TimeoutError):
                if not self.connection.recv(1):
                    return

    def _write_page(self, status: int, title: str) -> None:
        self._write(status, f"<!doctype html><title>{title}</title>".encode(), {"Content-Type": "text/html"})

    def _write_problem(self, status: str, argument: str) -> None:
        slug = SLUGS[status]
        document = {
            "type": f"/api/v1/problems/{slug}",
            "title": "Simulated problem",
            "status": int(status),
            "detail": "The proxy simulates this problem.",
            "instance": "proxy",
        }
        headers = {"Content-Type": "application/problem+json", "X-Request-Id": "proxy"}
        if argument == "date":
            headers["Retry-After"] = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
        elif argument:
            headers["Retry-After"] = argument
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
