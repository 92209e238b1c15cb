"""Servers on loopback whose answers never end, and that count what they could send.

with EndlessServer(HTTP["early hints"]) as server:
    ...
    assert server.sent < 8 * MIB
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
import socket
import struct
import zlib
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock, Thread
from typing import Self

MIB = 1024 * 1024
# A server stops here, so that a client without a limit fails soon.
GIVE_UP = 96 * MIB
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"


@dataclass(frozen=True)
class Endless:
    """An answer: its beginning, and what follows again and again. Without the latter, it ends."""

    first: bytes
    again: bytes = b""


def _compressed(coding: bytes, first: bytes, again: bytes) -> Endless:
    return Endless(OK + b"Content-Encoding: " + coding + b"\r\n\r\n" + first, again)


def _deflate_start() -> bytes:
    packer = zlib.compressobj()
    return packer.compress(b"x") + packer.flush(zlib.Z_SYNC_FLUSH)


# Answers that are valid as far as they go; the last part of each repeats.
HTTP = {
    "a body": Endless(OK + b"\r\n", b"x" * 1000),
    "early hints": Endless(b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "tiny early hints": Endless(b"", b"HTTP/1.1 103 \r\n\r\n"),
    "headers": Endless(OK, b"X-A: b\r\n"),
    "one header": Endless(OK + b"X-A: ", b"b" * 1000),
    "a folded header": Endless(OK + b"X-A: b\r\n", b" b\r\n"),
    "empty deflate blocks": _compressed(b"deflate", _deflate_start(), EMPTY_BLOCK),
    "chunks of one byte": Endless(CHUNKED, b"1\r\nx\r\n"),
    "chunks of empty deflate blocks": Endless(
        OK + b"Transfer-Encoding: chunked\r\nContent-Encoding: deflate\r\n\r\n2\r\n" + zlib.compress(b"")[:2] + b"\r\n",
        b"5\r\n" + EMPTY_BLOCK + b"\r\n",
    ),
    "chunk extensions": Endless(CHUNKED, b"1;" + b"e" * 60_000 + b"\r\nx\r\n"),
    "one chunk extension": Endless(CHUNKED + b"1;", b"e" * 1000),
    "trailers": Endless(CHUNKED + b"0\r\n", b"X-A: b\r\n"),
}
# Answers that end, and after which the server goes on.
FINISHED = {
    "gzip with trailing bytes": _compressed(b"gzip", gzip.compress(b"done"), b"x" * 1000),
    "gzip with empty members": _compressed(b"gzip", gzip.compress(b"done"), gzip.compress(b"")),
    "deflate with trailing bytes": _compressed(b"deflate", zlib.compress(b"done"), b"\x00" * 1000),
    "a body longer than its length": Endless(OK + b"Content-Length: 4\r\n\r\ndone", b"x" * 1000),
}
# Refusals of a WebSocket, whose bodies nobody needs.
REFUSALS = {
    "a refusal with a body": Endless(b"HTTP/1.1 403 No\r\n\r\n", b"x" * 1000),
    "a refusal in chunks of one byte": Endless(b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "a refusal with chunk extensions": Endless(
        b"HTTP/1.1 403 No\r\nTransfer-Encoding: chunked\r\n\r\n", b"1;e\r\nx\r\n"
    ),
}
WEBSOCKET = {
    "empty fragments": Endless(b"\x01\x00", b"\x00\x00"),
    "tiny fragments": Endless(b"\x01\x01x", b"\x00\x01x"),
    "empty messages": Endless(b"", b"\x81\x00"),
    "pings": Endless(b"", b"\x89\x7d" + b"p" * 125),
    "empty pings": Endless(b"", b"\x89\x00"),
    "pongs": Endless(b"", b"\x8a\x00"),
    "large messages": Endless(b"", b"\x82\x7f" + struct.pack("!Q", MIB) + b"x" * MIB),
}
SMTP = {
    "a greeting": Endless(b"", b"220-mail.example\r\n"),
    "an empty greeting": Endless(b"", b"220-\r\n"),
    "a line": Endless(b"220 ", b"x" * 1000),
}


class EndlessServer:
    """Gives each connection the same answer until it is closed. It counts `connections` and the bytes `sent`."""

    def __init__(self, answer: Endless, *, is_websocket: bool = False, speaks_first: bool = False) -> None:
        self.answer = answer
        self.is_websocket, self.speaks_first = is_websocket, speaks_first
        self.sent = self.connections = 0
        self._lock = Lock()

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 64 * 1024)  # of its connections, too
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):  # closed
            while True:
                connection, _ = self._listener.accept()
                self.connections += 1
                Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        """Send without end, and read what the client sends meanwhile."""
        with connection, suppress(OSError):
            asked = b"" if self.speaks_first else _head(connection)
            Thread(target=_swallow, args=(connection,), daemon=True).start()
            connection.sendall((_accepted(asked) if self.is_websocket else b"") + self.answer.first)
            if again := self.answer.again:
                self._repeat(connection, again * max(1, 64 * 1024 // len(again)))

    def _repeat(self, connection: socket.socket, many: bytes) -> None:
        total = 0
        while total < GIVE_UP:
            sent = connection.send(many[total % len(many) :])
            total += sent
            with self._lock:
                self.sent += sent


def _head(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(4096)
    return received


def _swallow(connection: socket.socket) -> None:
    with suppress(OSError):
        while connection.recv(65536):
            pass


def _accepted(asked: bytes) -> bytes:
    """Return the server's part of the handshake of a WebSocket (RFC 6455, 4.2.2)."""
    found = re.search(rb"Sec-WebSocket-Key: (\S+)", asked, re.IGNORECASE)
    assert found
    proof = base64.b64encode(hashlib.sha1(found[1] + b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11").digest())
    upgrade = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    return upgrade + b"Sec-WebSocket-Accept: " + proof + b"\r\n\r\n"
