"""Clients that ask and do not read: what they leave waiting is bounded, and others notice nothing."""

from __future__ import annotations

import http.client
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from urllib.parse import urlsplit

import pytest

from blogsvc.config import STATIC
from blogsvc.server.connections import EVERY_SECONDS, MAX_OF_NETWORK, MAX_STOPPED
from tests.clock import eventually
from tests.images import noise
from tests.running_server import Answer, Served, serving
from tests.siege.connections import idle_connections, slow_readers

FONT = "/static/vendor/literata@5.3.0/literata-latin-wght-normal.woff2"  # 52 kB
LARGE = "/static/vendor/swagger-ui-dist@5.35.0/swagger-ui-bundle.js"
MIB = 1024 * 1024


@pytest.fixture
def served(database_url: str, tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, database_url) as served:
        yield served


def fetched(served: Served, path: str, headers: dict[str, str] | None = None, source: str = "127.0.0.1") -> Answer:
    line = http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=60, source_address=(source, 0))
    try:
        line.request("GET", path, headers=headers or {})
        answer = line.getresponse()
        return Answer(answer.status, answer.headers, answer.read())
    finally:
        line.close()


def memory_mib(served: Served, name: str) -> float:
    """Return VmRSS, the memory of the server now, or VmHWM, the most that it had."""
    assert served.server.process is not None
    text = Path(f"/proc/{served.server.process.pid}/status").read_text()
    return int(text.partition(f"{name}:")[2].split()[0]) / 1024


def open_files(served: Served) -> int:
    assert served.server.process is not None
    return len(list(Path(f"/proc/{served.server.process.pid}/fd").iterdir()))


@pytest.mark.parametrize("query", ["", "?v=wrong", "?x=1"])
def test_a_large_file_arrives_whole_from_flask_and_from_the_cache(served: Served, query: str) -> None:
    expected = (STATIC / LARGE.removeprefix("/static/")).read_bytes()
    for _ in range(3):
        answer = fetched(served, LARGE + query)
        assert (answer.status, answer.body) == (200, expected)
        assert answer.headers["Content-Length"] == str(len(expected))


def test_a_photograph_arrives_whole_or_in_part(served: Served) -> None:
    photograph = served.upload(noise(1200, 1200)).json
    path = urlsplit(photograph["url"]).path
    first = fetched(served, path)
    size = photograph["bytes"]
    assert (first.status, len(first.body), first.headers["Content-Length"]) == (200, size, str(size))
    for asked, begin, end in (("0-", 0, size), ("10-19", 10, 20), ("-7", size - 7, size), (f"5-{size * 2}", 5, size)):
        part = fetched(served, path, {"Range": f"bytes={asked}"})
        assert (part.status, part.body) == (206, first.body[begin:end])
        assert part.headers.get_all("Content-Length") == [str(end - begin)]
        assert part.headers.get_all("Content-Range") == [f"bytes {begin}-{end - 1}/{size}"]
    assert fetched(served, path, {"If-None-Match": first.headers["ETag"]}).status == 304


@pytest.mark.parametrize("query", ["", "?v=wrong"])
def test_600_clients_that_do_not_read_take_less_than_100_mib(served: Served, query: str) -> None:
    fetched(served, LARGE)
    before = memory_mib(served, "VmRSS")
    with slow_readers(served.server.port, 600, LARGE + query) as readers:
        eventually(lambda: readers.closed >= 1000)  # they come back
        assert fetched(served, LARGE).status == 200
        assert served.call("GET", "/me").status == 200
    assert memory_mib(served, "VmHWM") - before < 100
    eventually(lambda: open_files(served) < 100)


def test_a_network_that_leaves_responses_unread_gets_no_others(served: Served) -> None:
    with slow_readers(served.server.port, 400, FONT, header="Connection: close"):
        eventually(lambda: fetched(served, FONT, source="127.0.1.1").status == 503)
        refused = fetched(served, FONT, source="127.0.1.1")
        assert (refused.status, refused.headers["Retry-After"]) == (503, "1")
        assert b"wait to be read" in refused.body
        assert fetched(served, FONT).status == 200


def test_requests_that_are_abandoned_keep_no_other_network_waiting(served: Served) -> None:
    fetched(served, LARGE)
    is_over = Event()
    request = f"GET {LARGE} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: identity\r\n\r\n".encode()

    def abandon() -> None:
        while not is_over.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", served.server.port), 60) as line:
                line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                line.sendall(request)
                is_over.wait(0.003)

    threads = [Thread(target=abandon, daemon=True) for _ in range(8)]
    with idle_connections(served.server.port, 100):  # enough connections for the server to look at them
        for thread in threads:
            thread.start()
        began = monotonic()
        while monotonic() < began + 4:
            assert fetched(served, LARGE, source="127.0.0.9").status == 200
            assert fetched(served, FONT).status == 200
        is_over.set()
        for thread in threads:
            thread.join(60)
    assert memory_mib(served, "VmHWM") < 350


def test_slow_readers_of_many_networks_are_bounded_in_total(served: Served) -> None:
    fetched(served, LARGE)
    with slow_readers(served.server.port, 600, LARGE, networks=600) as readers:
        eventually(lambda: readers.closed >= 600 - MAX_STOPPED)
        assert fetched(served, LARGE).status == 200


def test_a_slow_reader_gets_everything_while_there_are_few(served: Served) -> None:
    expected = (STATIC / LARGE.removeprefix("/static/")).read_bytes()
    with slow_readers(served.server.port, 20, LARGE), socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        line.connect(("127.0.0.1", served.server.port))
        line.sendall(f"GET {LARGE} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        said = b""
        while part := line.recv(32768):
            said += part
            sleep(0.01)
    assert said.endswith(expected)


@pytest.mark.parametrize("proxies", [0, 1])
def test_one_network_cannot_have_all_connections_unless_it_is_a_proxy(
    database_url: str, tmp_path: Path, proxies: int
) -> None:
    settings = {"BLOGSVC_CLIENT_TIMEOUT_SECONDS": "120", "BLOGSVC_TRUSTED_PROXIES": str(proxies)}
    with (
        serving(tmp_path, database_url, **settings) as served,
        idle_connections(served.server.port, MAX_OF_NETWORK + 300) as attack,
    ):
        if proxies == 0:
            eventually(lambda: attack.closed >= 300)
        began = monotonic()
        while monotonic() < began + 3 * EVERY_SECONDS:
            assert served.call("GET", "/me", headers={"X-Forwarded-Proto": "https"}).status == 200
        assert (attack.closed == 0) is (proxies == 1)
