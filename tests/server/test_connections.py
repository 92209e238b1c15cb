"""Clients that send slowly, half or nothing: the real server gives them up, and answers all others meanwhile."""

from __future__ import annotations

import http.client
import json
import re
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from time import monotonic

import pytest

from tests.clock import eventually
from tests.images import png
from tests.running_server import Served, serving
from tests.siege import connections
from tests.tiers import exhaustive

PATIENCE = 20.0  # seconds
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server that waits one second for a client, and has four threads."""
    place = tmp_path_factory.mktemp("connections")
    with serving(place, shared_database_url, BLOGSVC_CLIENT_TIMEOUT_SECONDS="1") as served:
        yield served


def sent(served: Served, data: bytes, *, half_close: bool = False) -> bytes:
    """Send bytes, and return everything until the server closes the connection."""
    with socket.create_connection(("127.0.0.1", served.server.port), PATIENCE) as line:
        line.sendall(data.replace(b"{key}", served.key.encode()))
        if half_close:
            line.shutdown(socket.SHUT_WR)
        said = b""
        try:
            while part := line.recv(65536):
                said += part
        except ConnectionResetError:
            pass
        return said


def status(said: bytes) -> int | None:
    found = re.match(rb"HTTP/1\.1 (\d{3}) ", said)
    return int(found[1]) if found else None


def document(said: bytes) -> dict[str, object]:
    found: dict[str, object] = json.loads(said.partition(b"\r\n\r\n")[2])
    return found


def head(path: str, length: str, kind: str = "application/json") -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {{key}}\r\nContent-Type: {kind}\r\n{length}\r\n\r\n"
    ).encode()


def titles(served: Served) -> list[str]:
    return [post["title"] for post in served.call("GET", "/posts?limit=100&fields=title").json["data"]]


def cpu_seconds(served: Served) -> float:
    assert served.server.process is not None
    words = Path(f"/proc/{served.server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / 100


def test_http2_without_tls_is_not_spoken(served: Served) -> None:
    assert connections.half_open_http2(served.server.port) == b""
    before, began = cpu_seconds(served), monotonic()
    while monotonic() < began + 0.5:
        assert served.call("GET", "/me").status == 200
    assert sent(served, b"") == b""  # takes the second that the server waits for headers
    assert cpu_seconds(served) - before < monotonic() - began  # threads that spin would take more than one processor


def test_slow_bodies_take_no_thread_and_are_given_up(served: Served) -> None:
    with connections.slow_bodies(served.server.port, 40) as attack:
        assert attack.opened >= 40
        assert served.call("POST", "/posts", {"title": "Meanwhile"}).status == 201
        eventually(lambda: attack.statuses.count(408) >= 40)
    assert set(attack.statuses) == {408}


def test_a_slow_body_gets_a_problem_document_or_a_page(served: Served) -> None:
    said = sent(served, head("/api/v1/posts", "Content-Length: 100") + b'{"title": "Slow"')
    assert status(said) == 408
    assert document(said)["detail"] == "The body took too long: 16 bytes of 100 arrived. Nothing was changed."
    said = sent(served, head("/login", "Content-Length: 100", "application/x-www-form-urlencoded") + b"email=")
    assert status(said) == 408
    assert b"<title>The request took too long" in said


@pytest.mark.parametrize(
    ("length", "body"),
    [
        ("Content-Length: 100", b'{"title": "Cut off"}'),
        ("Transfer-Encoding: chunked", b'14\r\n{"title": "Cut off"}\r\n'),
        ("Transfer-Encoding: chunked", b'14\r\n{"title": "Cut off"}\r\n1'),
        ("Transfer-Encoding: chunked", b'14\r\n{"title": "Cut off"}\r\nzz\r\n'),
    ],
)
def test_a_body_that_breaks_off_is_not_taken_for_a_complete_one(served: Served, length: str, body: bytes) -> None:
    assert status(sent(served, head("/api/v1/posts", length) + body, half_close=True)) in (None, 400)
    assert served.call("POST", "/posts", {"title": "Afterwards"}).status == 201
    assert "Cut off" not in titles(served)


def test_an_operation_that_reads_no_body_is_not_done_if_the_body_breaks_off(served: Served) -> None:
    post = served.make(title="Kept")
    request = head(f"/api/v1/posts/{post['id']}", "Content-Length: 100").replace(b"POST", b"DELETE")
    assert status(sent(served, request + b"{", half_close=True)) in (None, 400)
    assert served.call("GET", f"/posts/{post['id']}").status == 200
    assert "Kept" in titles(served)


def test_a_chunked_body_that_is_not_chunked_gets_an_error_that_says_so(served: Served) -> None:
    said = sent(served, head("/api/v1/posts", "Transfer-Encoding: chunked") + b"4\r\n{}  \r\nzz\r\n")
    assert status(said) == 400
    assert document(said)["detail"] == "The body is incomplete: 4 bytes arrived. Nothing was changed."


def test_the_body_of_a_read_is_ignored(served: Served) -> None:
    request = head("/api/v1/me", "Content-Length: 100").replace(b"POST", b"GET")
    assert status(sent(served, request)) == 200


@pytest.mark.parametrize(
    "beginning", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: a", b"GET /ready HTTP/1.1\r\nHost: x\r\n\r\n"]
)
def test_a_silent_connection_is_closed(served: Served, beginning: bytes) -> None:
    assert status(sent(served, beginning)) == (200 if beginning.endswith(b"\r\n\r\n") else None)


def test_large_headers_are_refused(served: Served) -> None:
    assert status(sent(served, b"GET / HTTP/1.1\r\nHost: x\r\nX-Large: " + b"a" * 64 * 1024)) == 431


def test_1200_idle_connections_do_not_stop_other_clients(served: Served) -> None:
    with connections.idle_connections(served.server.port, 1200) as attack:
        assert attack.opened >= 1200
        assert served.call("GET", "/me").status == 200
        assert served.call("POST", "/posts", {"title": "Between"}).status == 201


@exhaustive
def test_10000_slow_headers_do_not_stop_other_clients(served: Served) -> None:
    with connections.slow_headers(served.server.port, 10_000) as attack:
        assert attack.opened >= 9_000
        assert served.call("GET", "/me").status == 200
        assert served.call("POST", "/posts", {"title": "Between"}).status == 201


@exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no timeout for it")
def test_a_client_that_receives_nothing_is_given_up(served: Served) -> None:
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        line.connect(("127.0.0.1", served.server.port))
        request = b"GET /static/vendor/lucide-static@1.62.0/sprite.svg HTTP/1.1\r\nHost: x\r\n\r\n"
        line.sendall(request * 100)  # more than the system keeps for a connection
        ours = f":{line.getsockname()[1]:04X}"
        assert ours in Path("/proc/net/tcp").read_text()
        eventually(lambda: not _is_connected(served, ours))


def _is_connected(served: Served, peer: str) -> bool:
    """Return whether the server has a connection with that port, according to the system."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text().splitlines()]
    return any(row[1].endswith(f":{served.server.port:04X}") and row[2].endswith(peer) for row in rows)


def test_a_large_image_is_received_and_counted_once(served: Served) -> None:
    image = png()
    large = image + bytes(3 * MIB)  # decoders ignore what follows the image
    small, large_too = served.upload(image), served.upload(large)
    assert (small.status, large_too.status) == (201, 201)
    left = [int(answer.headers["X-RateLimit-Remaining"]) for answer in (small, large_too)]
    assert left[0] - left[1] == 1


def test_an_image_that_is_too_large_is_refused_before_it_is_sent(served: Served) -> None:
    said = sent(served, head("/api/v1/media", f"Content-Length: {30 * MIB}", "multipart/form-data; boundary=b"))
    assert status(said) == 413
    assert "20 MiB" in str(document(said)["detail"])


@pytest.mark.parametrize("size", [5 * MIB, 40 * MIB])
@pytest.mark.parametrize("length", ["declared", "chunked"])
def test_a_client_that_sends_all_of_a_body_that_is_too_large_gets_the_answer(
    served: Served, size: int, length: str
) -> None:
    for _ in range(5):
        headers = {"Authorization": f"Bearer {served.key}", "Content-Type": "application/json"}
        body = bytes(size) if length == "declared" else iter([bytes(MIB)] * (size // MIB))
        with closing(http.client.HTTPConnection("127.0.0.1", served.server.port, timeout=60)) as connection:
            connection.request("POST", "/api/v1/posts", body, headers, encode_chunked=length == "chunked")
            answer = connection.getresponse()
            assert (answer.status, json.loads(answer.read())["title"]) == (413, "Request too large")


def test_the_rest_of_a_body_that_is_too_large_is_dropped_within_a_bound(served: Served) -> None:
    request = head("/api/v1/posts", f"Content-Length: {1000 * MIB}").replace(b"{key}", served.key.encode())
    with socket.create_connection(("127.0.0.1", served.server.port), PATIENCE) as line:
        line.sendall(request)
        arrived, part = 0, bytes(MIB)
        with suppress(OSError):  # the server closes the connection
            while arrived < 1000:
                line.sendall(part)
                arrived += 1
    assert 64 <= arrived < 128


def test_bodies_that_are_dropped_take_no_memory_from_others(served: Served) -> None:
    request = head("/api/v1/posts", "Transfer-Encoding: chunked").replace(b"{key}", b"wrong")
    part = b"%x\r\n" % MIB + bytes(MIB) + b"\r\n"
    with ExitStack() as lines:
        for _ in range(40):
            line = lines.enter_context(socket.create_connection(("127.0.0.1", served.server.port), PATIENCE))
            line.sendall(request + 2 * part)
            assert status(line.recv(65536)) in (401, 429)
        assert served.make()["title"] == "A post"


def test_a_large_body_without_a_valid_key_is_refused_before_it_is_sent(served: Served) -> None:
    request = head("/api/v1/media", f"Content-Length: {10 * MIB}", "multipart/form-data; boundary=b")
    assert status(sent(served, request.replace(b"{key}", b"wrong"))) == 401


def test_slow_large_uploads_take_no_thread(served: Served) -> None:
    request = head("/api/v1/media", f"Content-Length: {10 * MIB}", "multipart/form-data; boundary=b")
    lines = [socket.create_connection(("127.0.0.1", served.server.port), PATIENCE) for _ in range(8)]
    try:
        for line in lines:
            line.sendall(request.replace(b"{key}", served.key.encode()))
        assert served.call("POST", "/posts", {"title": "Meanwhile"}).status == 201
        assert {status(line.recv(65536)) for line in lines} == {408}
    finally:
        for line in lines:
            line.close()
