"""Responses from memory on the real server: no reader sees an old page after a confirmed change."""

from __future__ import annotations

import http.client
import subprocess
import time
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from tests.running_server import Served, serving

READERS = 4
CHANGES = 12
PATIENCE = 10.0  # seconds


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("pages"), shared_database_url, {}) as served:
        yield served


def read(served: Served, path: str, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=60)
    try:
        connection.request("GET", path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    finally:
        connection.close()


def publish(served: Served, number: int, post: dict[str, str]) -> None:
    assert served.call("PATCH", f"/posts/{post['id']}", {"title": f"Title {number}."}).status == 200
    assert served.call("POST", f"/posts/{post['id']}/publish").status in (200, 202)


def test_a_confirmed_change_shows_in_every_later_request(served: Served) -> None:
    post = served.make(title="Title 0.", slug="confirmed")
    publish(served, 0, post)
    confirmed, is_over, old = [0], Event(), []

    def keep_reading() -> None:
        while not is_over.is_set():
            at_least = confirmed[0]
            page = read(served, "/confirmed")[2].decode()
            shown = int(page.partition("<title>Title ")[2].partition(".")[0])
            if shown < at_least:
                old.append((shown, at_least))

    readers = [Thread(target=keep_reading) for _ in range(READERS)]
    for reader in readers:
        reader.start()
    try:
        for number in range(1, CHANGES):
            publish(served, number, post)
            confirmed[0] = number
    finally:
        is_over.set()
        for reader in readers:
            reader.join()
    assert old == []


def test_the_server_sends_both_ways_the_same(served: Served) -> None:
    publish(served, 1, served.make(slug="same", content="Some words. " * 100))
    for headers in ({}, {"Accept-Encoding": "gzip"}, {"Accept-Encoding": "zstd"}, {"Accept-Encoding": "br"}):
        given = headers | {"X-Request-Id": "same"}
        first, again = read(served, "/same", given), read(served, "/same", given)
        tag = first[1]["etag"]
        unchanged = read(served, "/same", given | {"If-None-Match": tag})
        for answer in (first, again, unchanged):
            assert answer[1].pop("date")
        assert first == again
        assert (unchanged[0], unchanged[1]["etag"], unchanged[2]) == (304, tag, b"")


def test_a_change_by_another_process_shows_soon(served: Served) -> None:
    before = read(served, "/")[2]
    assert read(served, "/")[2] == before
    command = [served.server.command()[0], "blog", "--set", "title=Another title"]
    subprocess.run(command, env=served.server.environment, check=True, capture_output=True)
    end = time.monotonic() + PATIENCE
    while b"Another title" not in read(served, "/")[2]:
        assert time.monotonic() < end, "the change does not show"
