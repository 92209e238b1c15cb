"""The worst texts on the real server: each has a clean answer, readers notice nothing, and memory is bounded."""

from __future__ import annotations

import http.client
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.running_server import Served, serving
from tests.siege.test_texts import QUICK
from tests.siege.texts import WORST
from tests.tiers import exhaustive

MAX_MEMORY_KIB = 450 * 1024  # at most, ever; 352 MiB were seen after 200 posts of up to 1 MiB, 125 after three
MAX_WAIT = 30.0  # seconds for a reader, on a machine ten times slower; 0.2 was seen


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("siege"), shared_database_url, {}) as served:
        yield served


@contextmanager
def a_reader(served: Served) -> Iterator[list[float]]:
    """Read a page and the state of the server all the time, and collect the seconds of each request."""
    seconds: list[float] = []
    ended = Event()

    def read() -> None:
        while not ended.wait(0.02):
            for path in ("/", "/health"):
                began = time.monotonic()
                connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)
                connection.request("GET", path)
                assert connection.getresponse().status == 200
                connection.close()
                seconds.append(time.monotonic() - began)

    thread = Thread(target=read)
    thread.start()
    try:
        yield seconds
    finally:
        ended.set()
        thread.join()


def viewed(served: Served, slug: str) -> float:
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=120)
    connection.request("GET", f"/{slug}")
    answer = connection.getresponse()
    assert answer.status == 200
    answer.read()
    connection.close()
    return time.monotonic() - began


def memory_kib(served: Served) -> int:
    """Return the most memory that the server had, without its workers."""
    assert served.server.process is not None
    status = Path(f"/proc/{served.server.process.pid}/status")
    if not status.exists():
        return 0
    return int(status.read_text().partition("VmHWM:")[2].split()[0])


def publish(served: Served, name: str) -> int:
    """Store the text, publish it, edit it and publish it again. Return the status of the last answer."""
    text = WORST[name]()
    made = served.call("POST", "/posts", {"title": name, "content": text})
    if made.status in (413, 422):  # longer than a text, or as JSON than a request, may be
        return made.status
    assert made.status == 201
    post = f"/posts/{made.json['id']}"
    published = served.call("POST", f"{post}/publish")
    assert published.status in (202, 422), (name, published.body[:300])
    again = served.call("PUT", post, {"title": name, "content": f"A first line.\n\n{text}"[:-20], "publish": True})
    assert again.status in (200, 422), (name, again.body[:300])
    if published.status == 202:
        viewed(served, made.json["slug"])
        assert viewed(served, made.json["slug"]) < MAX_WAIT
    assert served.call("GET", "/posts?limit=1").status == 200
    return published.status


def endure(served: Served, names: tuple[str, ...]) -> dict[str, int]:
    with a_reader(served) as seconds:
        found = {name: publish(served, name) for name in names}
    assert max(seconds) < MAX_WAIT
    assert memory_kib(served) < MAX_MEMORY_KIB
    print(f"readers: {len(seconds)}, max {max(seconds):.2f} s; {memory_kib(served) / 1024:.0f} MiB")
    return found


def test_readers_do_not_notice_texts_that_explode(served: Served) -> None:
    found = endure(served, QUICK[:3])
    assert set(found.values()) == {422}


@pytest.mark.long
@exhaustive
def test_readers_do_not_notice_the_worst_texts(served: Served) -> None:
    assert set(endure(served, tuple(WORST)).values()) <= {202, 413, 422}
