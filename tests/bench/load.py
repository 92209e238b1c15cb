"""Clients that keep a server busy: a few connections, each of which sends its next request when it has the response."""

from __future__ import annotations

import socket
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

CONNECTIONS = 4
PATIENCE = 60.0


def send(port: int, method: str, path: str, headers: Mapping[str, str], body: bytes, seconds: float) -> int:
    """Send the same request again and again for this long. Returns the number of responses.

    Raises:
        RuntimeError: A response is not a 2xx or 304.
    """
    lines = {"Host": f"127.0.0.1:{port}", **headers}
    if body or method != "GET":
        lines["Content-Length"] = str(len(body))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{name}: {text}\r\n" for name, text in lines.items())
    request = head.encode() + b"\r\n" + body
    until = time.monotonic() + seconds
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        return sum(pool.map(lambda _: _send_until(port, request, until), range(CONNECTIONS)))


def _send_until(port: int, request: bytes, until: float) -> int:
    count = 0
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection.makefile("rb") as answers:
            while time.monotonic() < until:
                connection.sendall(request)
                _skip_response(answers, request)
                count += 1
    return count


def _skip_response(answers: socket.SocketIO, request: bytes) -> None:
    status = int(answers.readline().split(b" ", 2)[1])
    length, is_chunked = 0, False
    while (line := answers.readline()) != b"\r\n":
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
        is_chunked |= name.lower() == b"transfer-encoding"
    if not (200 <= status < 300 or status == 304):
        told = request.split(b"\r\n", 1)[0].decode()
        raise RuntimeError(f"{told} returned {status}: {answers.read(length).decode(errors='replace')}")
    if status == 304:
        return
    if is_chunked:
        while size := int(answers.readline(), 16):
            answers.read(size + 2)
        answers.readline()
    else:
        answers.read(length)
