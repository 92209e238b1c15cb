"""Unreadable requests and HTTP errors."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from werkzeug.test import TestResponse

from blogsvc.config import Config
from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.databases import another

MIB = 1024 * 1024


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, busy_timeout_seconds=0.01)


def send(api: Api, body: bytes, **headers: str) -> TestResponse:
    sent = {"Authorization": f"Bearer {api.key}", "Content-Type": "application/json"}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return api.client.post("/api/v1/posts", data=body, headers=sent)


def assert_problem(answer: TestResponse, status: int, slug: str) -> None:
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/problem+json"
    assert set(answer.json) >= {"type", "title", "status", "detail", "instance"}
    assert answer.json["type"] == f"https://blog.example/api/v1/problems/{slug}"
    assert answer.json["status"] == status


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b'{"title": "x",}',
        b"{'title': 'x'}",
        b'{"title": "x"} {}',
        b'{"title": "x", "title": "y"}',
        b'{"title": "x", "overrides": {"site": {}, "site": {}}}',
        b'{"title": "x", "fold": NaN}',
        b'{"title": "x", "fold": -Infinity}',
        b'{"title": "x", "fold": ' + b"9" * 5000 + b"}",
        b'{"title": "\xff"}',
        b'{"title": "\xed\xa0\x80"}',
        '{"title": "x"}'.encode("utf-16"),
        b'\xef\xbb\xbf{"title": "x"}',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"title": "a\x01b"}',
        gzip.compress(b'{"title": "x"}', mtime=0),
    ],
    ids=lambda body: repr(body)[:30],
)
def test_an_invalid_json_body_returns_400(api: Api, body: bytes) -> None:
    assert_problem(send(api, body), 400, "unreadable")


def test_a_duplicate_key_is_named_even_in_a_very_large_object(api: Api) -> None:
    names = [f'"k{number}":0' for number in range(150_000)]
    answer = send(api, f'{{{",".join(names)},"twice":1,"twice":2}}'.encode())
    assert_problem(answer, 400, "unreadable")
    assert "'twice'" in answer.json["detail"]


@pytest.mark.parametrize("number", ["1e999", "-0", "1.5", "12345678901234567890"])
def test_a_huge_or_odd_number_is_rejected_as_the_wrong_type(api: Api, number: str) -> None:
    assert faults(send(api, f'{{"title": {number}}}'.encode())) == {"#/title": "wrong_type"}


def test_deep_nesting_is_read_and_rejected_as_an_unknown_field(api: Api) -> None:
    assert faults(send(api, b'{"title": "x", "a": ' + b"[" * 500 + b"]" * 500 + b"}")) == {"#/a": "unknown"}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_another_content_type_returns_415(api: Api, kind: str) -> None:
    assert_problem(send(api, b'{"title": "x"}', Content_Type=kind), 415, "unsupported-media-type")


def test_a_compressed_body_returns_415(api: Api) -> None:
    answer = send(api, gzip.compress(b'{"title": "x"}', mtime=0), Content_Encoding="gzip")
    assert_problem(answer, 415, "unsupported-media-type")


def test_a_charset_parameter_is_accepted(api: Api) -> None:
    answer = send(api, '{"title": "ü"}'.encode(), Content_Type="application/json; charset=utf-8")
    assert answer.json["title"] == "ü"


def test_a_body_over_two_mib_is_rejected(api: Api) -> None:
    def padded(size: int) -> bytes:
        body = json.dumps({"title": "x"}).encode()
        return body + b" " * (size - len(body))

    assert send(api, padded(2 * MIB)).status_code == 201
    assert_problem(send(api, padded(2 * MIB + 1)), 413, "too-large")


@pytest.mark.parametrize("accept", ["text/html", "application/xml", "application/json;q=0"])
def test_a_client_that_does_not_accept_json_gets_406(api: Api, accept: str) -> None:
    assert_problem(api.get("/posts", headers={"Accept": accept}), 406, "not-acceptable")


@pytest.mark.parametrize("accept", ["*/*", "application/*", "text/html, application/json;q=0.1", ""])
def test_a_client_that_accepts_json_gets_json(api: Api, accept: str) -> None:
    assert api.get("/posts", headers={"Accept": accept}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PATCH", "/posts", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("POST", "/posts/post_1", {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "PUT"}),
        ("GET", "/posts/post_1/publish", {"OPTIONS", "POST"}),
        ("DELETE", "/me", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_a_method_that_is_not_allowed_returns_405_with_allow(
    api: Api, method: str, path: str, allowed: set[str]
) -> None:
    answer = api(method, path)
    assert_problem(answer, 405, "method-not-allowed")
    assert set(answer.headers["Allow"].split(", ")) == allowed


@pytest.mark.parametrize(
    "path", ["/api/v1/nothing", "/api/v1/nothing/", "/api", "/api/v2/posts", "/api/v1/posts/a/b/c", "/api/"]
)
def test_an_unknown_path_returns_a_problem(api: Api, path: str) -> None:
    assert_problem(api.client.get(path), 404, "not-found")


@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS", "DELETE"])
def test_the_root_of_the_api_is_no_page_of_the_blog(api: Api, method: str) -> None:
    assert_problem(api.client.open("/api", method=method), 404, "not-found")


def test_an_operation_without_parameters_rejects_any(api: Api) -> None:
    assert faults(api.get("/me?verbose=1")) == {"?verbose": "unknown"}


def test_head_is_get_without_a_body(api: Api) -> None:
    answer = api.client.head("/api/v1/me", headers={"Authorization": f"Bearer {api.key}"})
    assert (answer.status_code, answer.data) == (200, b"")


@pytest.fixture
def locked_database(api: Api, config: Config) -> Iterator[None]:
    """Lock the database as another process would. The key was used before, so that its first use needs no write."""
    api.get("/me")
    with another(config.rows_url, writes=True):
        yield


def test_a_write_to_a_locked_database_returns_503_with_retry_after(api: Api, locked_database: None) -> None:
    answer = api.post("/posts", title="x")
    assert_problem(answer, 503, "unavailable")
    assert int(answer.headers["Retry-After"]) >= 1


def test_reads_work_while_the_database_is_locked(api: Api, locked_database: None) -> None:
    assert api.get("/posts").status_code == 200


def test_a_first_use_that_cannot_be_recorded_does_not_block_reads(
    a_post: Callable[..., Post], api: Api, new_key: Callable[..., str], config: Config
) -> None:
    fresh = Api(api.client, new_key())
    with another(config.rows_url, writes=True):
        assert fresh.get("/posts").status_code == 200
        assert fresh.get("/me").json["lastUsedAt"] is None
    assert fresh.get("/me").json["lastUsedAt"] is not None
