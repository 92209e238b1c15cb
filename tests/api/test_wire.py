"""Malformed HTTP, byte for byte: the real server rejects it and still handles the next request."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from tests.running_server import Served, serving
from tests.tiers import matrix

BODY = b'{"title": "On the wire"}'
HEAD = "Host: blog.example\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\n"
ASKING = "GET /api/v1/me HTTP/1.1\r\n" + HEAD + "Connection: close\r\n"
KEPT_OPEN = "POST /api/v1/posts HTTP/1.1\r\n" + HEAD
POSTING = KEPT_OPEN + "Connection: close\r\n"


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("wire"), shared_database_url, {}) as served:
        yield served


@pytest.fixture(autouse=True)
def assert_server_still_responds(served: Served) -> Iterator[None]:
    """Check afterwards that the server still responds."""
    yield
    assert served.call("GET", "/me").status == 200


def exchange(served: Served, sent: str, body: bytes = b"") -> bytes:
    """Return everything that the server sends until it closes or pauses."""
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=2) as wire:
        wire.sendall(sent.replace("{key}", served.key).encode("latin-1") + body)
        said = b""
        try:
            while part := wire.recv(65536):
                said += part
        except (TimeoutError, ConnectionResetError):
            pass
    return said


def statuses(said: bytes) -> list[int]:
    return [int(found) for found in re.findall(rb"HTTP/1\.[01] (\d{3}) ", said)]


def posts(served: Served) -> int:
    return len(served.call("GET", "/posts?limit=100&fields=id").json["data"])


def chunked(*parts: bytes) -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (*parts, b""))


def test_a_chunked_body_is_read(served: Served) -> None:
    said = exchange(served, POSTING + "Transfer-Encoding: chunked\r\n\r\n", chunked(BODY[:7], BODY[7:]))
    assert statuses(said) == [201]
    assert b'"title":"On the wire"' in said


def test_chunks_without_an_end_are_not_read_forever(served: Served) -> None:
    before = posts(served)
    said = exchange(served, POSTING + "Transfer-Encoding: chunked\r\n\r\n", chunked(b" " * 65536)[:-5] * 40)
    assert statuses(said) in ([], [400], [413])
    assert posts(served) == before


@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: {size}\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: {size}\r\n",
        "Content-Length: {size}\r\nContent-Length: 0\r\n",
        "Content-Length: 0\r\nContent-Length: {size}\r\n",
        "Content-Length: +{size}\r\n",
        "Content-Length: {size}, 0\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 0x10\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n",
        "Transfer-Encoding:\x0bchunked\r\n",
    ],
)
def test_ambiguous_framing_does_not_smuggle_a_second_request(served: Served, framing: str) -> None:
    before = posts(served)
    hidden = b"0\r\n\r\n" + smuggled_request(served)
    said = exchange(served, KEPT_OPEN + framing.format(size=len(hidden)) + "\r\n", hidden)
    assert posts(served) == before
    assert all(status < 500 for status in statuses(said)[:1])


def test_the_smuggled_request_is_valid_on_its_own(served: Served) -> None:
    """Otherwise the test above would pass for a server that never reads a second request."""
    before = posts(served)
    said = exchange(served, KEPT_OPEN + "Content-Length: 0\r\n\r\n", smuggled_request(served))
    assert statuses(said) == [400, 201]
    assert posts(served) == before + 1


def smuggled_request(served: Served) -> bytes:
    head = f"POST /api/v1/posts HTTP/1.1\r\n{HEAD}Content-Length: {len(BODY)}\r\n\r\n"
    return head.replace("{key}", served.key).encode() + BODY


@pytest.mark.parametrize(
    "header",
    [
        "X-Request-Id: a\rSet-Cookie: b=c",
        "X-Request-Id: a\nSet-Cookie: b=c",
        "X-Request-Id: a\r\n Set-Cookie: b=c",
        "X-Request-Id: a\x00b",
        "X-Request-Id: \xff\xfe",
        "X-Request-Id: " + "a" * 30_000,
        "Accept: " + "a/b," * 5_000,
        "Accept: application/json;q=nan",
        "Accept: application/json;q=1e400",
        "If-None-Match: " + '"a",' * 5_000,
        "If-None-Match: \xff",
        "Authorization: Bearer \xff",
        "Cookie: " + "a=b;" * 5_000,
        "Range: bytes=0-0,1-1,2-",
        "Expect: 200-ok",
        "Upgrade: h2c\r\nConnection: Upgrade",
        "Content-Length: 5",
        "Host: evil.example",
        "Host: ",
        "X Y: z",
        ": z",
        "no colon",
    ],
)
def test_an_odd_header_does_not_break_the_response_or_the_server(served: Served, header: str) -> None:
    said = exchange(served, f"{ASKING}{header}\r\n\r\n")
    assert not any(status >= 500 for status in statuses(said)), said
    assert b"set-cookie" not in said.lower()
    assert b"evil.example" not in said


@pytest.mark.parametrize(
    "line",
    [
        "GET http://evil.example/api/v1/me HTTP/1.1",
        "GET //evil.example/api/v1/me HTTP/1.1",
        "GET /api/v1/../../etc/passwd HTTP/1.1",
        "GET /static/../../../etc/passwd HTTP/1.1",
        "GET /static/..%2f..%2f..%2fetc%2fpasswd HTTP/1.1",
        "GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1",
        "GET /static//etc/passwd HTTP/1.1",
        "GET /%00 HTTP/1.1",
        "GET /%ff%fe HTTP/1.1",
        "GET /?before=caf\xc3\xa9 HTTP/1.1",
        "GET /?before=\xd9\x85 HTTP/1.1",
        "GET /?before=\xe9 HTTP/1.1",
        "GET /api/v1/posts?tag=caf\xc3\xa9 HTTP/1.1",
        "GET /api/v1/posts/%00 HTTP/1.1",
        "GET /api/v1/posts/%ff HTTP/1.1",
        "GET /api/v1/posts?tag=%ff%00 HTTP/1.1",
        "GET /api/v1/posts?" + "a=b&" * 2_000 + " HTTP/1.1",
        "GET /api/v1/" + "a/" * 5_000 + " HTTP/1.1",
        "GET /api/v1/me#x HTTP/1.1",
        "GET api/v1/me HTTP/1.1",
        "GET * HTTP/1.1",
        "OPTIONS * HTTP/1.1",
        "TRACE /api/v1/me HTTP/1.1",
        "CONNECT evil.example:80 HTTP/1.1",
        "PRI * HTTP/2.0",
        "FOO /api/v1/me HTTP/1.1",
        "G\x00T /api/v1/me HTTP/1.1",
        "get /api/v1/me HTTP/1.1",
        "GET /api/v1/me",
        "GET /api/v1/me HTTP/9.9",
        "GET /api/v1/me HTTP/1.0",
        "",
    ],
)
def test_an_odd_request_line_is_answered_or_rejected(served: Served, line: str) -> None:
    said = exchange(served, f"{line}\r\n{HEAD}Connection: close\r\n\r\n")
    assert not any(status >= 500 for status in statuses(said)), said
    assert b"root:" not in said
    assert served.key.encode() not in said


@matrix("junk", [b"\x16\x03\x01\x02\x00\x01\x00", b"\x00" * 1000, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\r\n" * 1000])
def test_data_that_is_not_http_is_rejected(served: Served, junk: bytes) -> None:
    assert not any(status < 400 or status >= 500 for status in statuses(exchange(served, "", junk)))
