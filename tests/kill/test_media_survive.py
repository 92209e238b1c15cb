"""An acknowledged upload is there after a kill, and no image is ever without its files."""

from __future__ import annotations

import http.client
import json
import socket
import time
from contextlib import ExitStack, suppress
from itertools import count
from random import Random
from threading import Thread
from typing import Any

import pytest

from tests.api_client import BOUNDARY, File, encoded_form
from tests.images import jpeg
from tests.kill.server import Server, call

pytestmark = pytest.mark.exhaustive

ROUNDS = 6
PHOTO = jpeg(1000, 700)
NUMBERS = count()


def form() -> bytes:
    """Return an upload of a file that was not uploaded before: the same file would be stored once."""
    return encoded_form({"file": File(PHOTO + f"{next(NUMBERS)}".encode()), "alt": "A ferry"})


def upload(server: Server, key: str) -> Any:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=15)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
    try:
        connection.request("POST", "/api/v1/media", form(), headers)
        answer = connection.getresponse()
        return json.loads(answer.read()) if answer.status == 201 else None
    finally:
        connection.close()


def size_of(server: Server, url: str) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=15)
    try:
        connection.request("GET", "/media/" + url.rpartition("/")[2])
        answer = connection.getresponse()
        return len(answer.read()) if answer.status == 200 else -1
    finally:
        connection.close()


def test_acknowledged_uploads_are_complete_after_a_kill(server: Server, key: str) -> None:
    random, acknowledged = Random(), []

    def upload_until_killed() -> None:
        with suppress(OSError, http.client.HTTPException):
            while True:
                if media := upload(server, key):
                    acknowledged.append(media)

    for number in range(ROUNDS):
        server.start()
        server.wait_until_ready()
        threads = [Thread(target=upload_until_killed) for _ in range(2)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 20
        while len(acknowledged) <= number and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.4))  # anywhere in what follows
        server.kill()
        for thread in threads:
            thread.join()

    server.start()
    server.wait_until_ready()
    listed = call(server.port, "GET", "/api/v1/media?limit=100", key)[1]["data"]
    assert len(acknowledged) >= ROUNDS
    assert {media["id"] for media in acknowledged} <= {media["id"] for media in listed}
    for media in listed:
        for each in (media, *media["sizes"]):
            assert size_of(server, each["url"]) == each["bytes"]
    assert server.tracebacks() == []


def test_slow_uploads_block_neither_readers_nor_other_uploads(server: Server, key: str) -> None:
    server.start()
    server.wait_until_ready()
    body = form()
    head = (
        f"POST /api/v1/media HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: multipart/form-data; boundary={BOUNDARY}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with ExitStack() as crawling:
        for _ in range(6):
            one = crawling.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=15))
            one.sendall(head + body[: len(body) // 2])
        assert call(server.port, "GET", "/ready", timeout=15)[0] == 200
        assert upload(server, key) is not None
