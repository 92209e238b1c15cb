"""Every answer under /api/v1 of the real server is JSON or empty, never a page, except the documentation."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator

import pytest

from blogsvc.api.framework.openapi import document
from tests.running_server import PREFIX, Answer, Served, serving

JSON_TYPES = {"application/json", "application/problem+json"}
OPERATIONS = [(verb.upper(), path) for path, verbs in document()["paths"].items() for verb in verbs]
PATHS = sorted({path for _, path in OPERATIONS} | {"", "/", "/nothing", "/openapi.json", "/docs", "/problems/invalid"})


@pytest.fixture(scope="module")
def served(shared_database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    many = dict.fromkeys(("BLOGSVC_READS_PER_MINUTE", "BLOGSVC_WRITES_PER_MINUTE"), "10000")
    with serving(tmp_path_factory.mktemp("json"), shared_database_url, **many, BLOGSVC_BAD_KEYS_PER_MINUTE="200") as it:
        yield it


def example(path: str) -> str:
    return re.sub(r"\{number\}", "1", re.sub(r"\{(?!number)\w+\}", "none", path))


def assert_json_or_empty(answer: Answer, what: object) -> None:
    kind = answer.headers.get_content_type() if "Content-Type" in answer.headers else None
    if answer.body:
        assert kind in JSON_TYPES, (what, kind)
        json.loads(answer.body)
    else:
        assert kind is None or kind in JSON_TYPES, (what, kind)


def test_every_operation_answers_in_json_with_and_without_a_key(served: Served) -> None:
    for method, path in OPERATIONS:
        if path == "/events/stream":
            continue
        for headers in ({}, {"Authorization": "Bearer wrong"}, {"Content-Type": "text/plain"}):
            body = None if method in ("GET", "DELETE") else {"no": "field"}
            assert_json_or_empty(served.call(method, example(path), body, headers), (method, path, headers))


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "TRACE", "FOO", "DELETE", "PATCH"])
def test_every_path_answers_other_methods_in_json_or_not_at_all(served: Served, method: str) -> None:
    for path in PATHS:
        if method == "HEAD" and path in ("/docs", "/events/stream"):
            continue
        assert_json_or_empty(served.call(method, example(path)), (method, path))


def test_options_lists_the_methods_in_an_empty_answer(served: Served) -> None:
    answer = served.call("OPTIONS", "/posts")
    assert (answer.status, answer.body, answer.headers["Content-Type"]) == (200, b"", None)
    assert set(answer.headers["Allow"].split(", ")) == {"GET", "HEAD", "OPTIONS", "POST"}


def test_allow_lists_the_methods_of_the_resource_and_not_of_one_with_a_similar_path(served: Served) -> None:
    for method in ("OPTIONS", "GET", "PUT", "DELETE"):
        answer = served.call(method, "/posts/bulk")
        assert answer.status == (200 if method == "OPTIONS" else 405), method
        assert set(answer.headers["Allow"].split(", ")) == {"OPTIONS", "POST"}, method
    assert "PUT" in served.call("OPTIONS", "/posts/post_1").headers["Allow"]


@pytest.mark.parametrize(("method", "path"), [("GET", "/posts/?limit=2&q=a%20b"), ("POST", "/posts/"), ("PUT", "/me/")])
def test_a_slash_at_the_end_redirects_with_the_same_method(served: Served, method: str, path: str) -> None:
    answer = served.call(method, path, None if method == "GET" else {"title": "x"}, {"Host": "evil.example"})
    address, _, query = path.partition("?")
    assert (answer.status, answer.body) == (308, b"")
    assert answer.headers["Location"] == PREFIX + address.rstrip("/") + (f"?{query}" if query else "")
    assert_json_or_empty(answer, path)


def test_the_redirect_keeps_a_query_that_is_not_encoded(served: Served) -> None:
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=30) as wire:
        wire.sendall("GET /api/v1/posts/?q=ä HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        said = wire.recv(65536).decode()
    assert "/api/v1/posts?q=%C3%A4\r\n" in said


def test_a_preflight_with_a_slash_at_the_end_is_answered_without_a_redirect(served: Served) -> None:
    for path in ("/posts/bulk/", "/posts/post_1/"):
        answer, plain = served.call("OPTIONS", path), served.call("OPTIONS", path.rstrip("/"))
        assert (answer.status, set(answer.headers["Allow"].split(", "))) == (
            200,
            set(plain.headers["Allow"].split(", ")),
        )


def test_a_slash_at_the_end_of_an_unknown_path_is_not_found(served: Served) -> None:
    assert served.call("GET", "/nothing/").status == 404


def test_the_index_names_the_resources(served: Served) -> None:
    index = served.call("GET", "").json
    assert index["resources"]["posts"] == f"{PREFIX}/posts"
    for link in (index["openapi"], index["problems"]):
        assert served.call("GET", link.removeprefix(PREFIX)).status == 200


def test_a_deleted_object_has_no_content_type(served: Served) -> None:
    path = f"/posts/{served.make()['id']}?permanent=true"
    answer = served.call("DELETE", path)
    assert (answer.status, answer.headers["Content-Type"]) == (204, None)


LARGE = "Content-Type: application/json\r\nContent-Length: 3000000\r\n\r\n" + " " * 3_000_000
ODD = {
    "a body that is too large": ("POST /api/v1/posts HTTP/1.1", LARGE, 413),
    "headers that are too large": ("GET /api/v1/me HTTP/1.1", "X: " + "a" * 500_000 + "\r\n\r\n", 431),
    "a path that is too long": ("GET /api/v1/" + "a" * 100_000 + " HTTP/1.1", "\r\n", 431),
    "a line that is no header": ("GET /api/v1/me HTTP/1.1", "no colon\r\n\r\n", 400),
    "an unknown version of HTTP": ("GET /api/v1/me HTTP/9.9", "\r\n", 400),
    "an unknown expectation": ("GET /api/v1/me HTTP/1.1", "Expect: 200-ok\r\n\r\n", None),
    "a length that is no number": ("POST /api/v1/posts HTTP/1.1", "Content-Length: x\r\n\r\n", 400),
    "a body that breaks off": ("POST /api/v1/posts HTTP/1.1", "Content-Length: 9\r\n\r\n{", 400),
}


@pytest.mark.parametrize("case", ODD)
def test_errors_of_the_http_server_itself_are_json_or_empty(served: Served, case: str) -> None:
    line, rest, status = ODD[case]
    head = f"{line}\r\nHost: x\r\nAuthorization: Bearer {served.key}\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", served.server.port), timeout=30) as wire:
        try:
            wire.sendall((head + rest).encode())
            wire.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # refused before all was sent
        said = b""
        try:
            while part := wire.recv(65536):
                said += part
        except ConnectionResetError:
            pass
    top, _, body = said.partition(b"\r\n\r\n")
    assert b"text/" not in top.lower(), said
    if body:
        json.loads(body)
    if said and status is not None:
        assert top.startswith(f"HTTP/1.1 {status} ".encode()), top
