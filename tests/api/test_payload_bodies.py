"""Request bodies: every operation rejects unknown fields and invalid values with their pointers."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from werkzeug.test import TestResponse

from blogsvc.api.framework.openapi import document
from blogsvc.api.framework.operations import OPERATIONS, Operation
from blogsvc.models import Post
from tests.api_client import Api, File, validator
from tests.images import png
from tests.tiers import matrix

TAKING = [declared for declared in OPERATIONS if declared.body is not None and declared.max_bytes is None]
TAKES = matrix("declared", TAKING, ids=lambda declared: declared.name)
# What the body of an update must have, of those whose path names no object.
NEEDED: dict[str, dict[str, Any]] = {
    "set_tag_page": {"tag": "boats"},
    "replace_look": {
        "color": "#0b5c80",
        "scheme": "auto",
        "face": "harbour",
        "width": "normal",
        "layout": "list",
        "css": "",
    },
    "replace_navigation": {"header": [], "footer": []},
}
DEEP = 100_000

UNREADABLE = {
    "nothing": b"",
    "no JSON": b"{",
    "two": b"{}{}",
    "a key twice": b'{"a": 1, "a": 1}',
    "a key twice, escaped": b'{"a": 1, "\\u0061": 1}',
    "a key twice, deep": b'{"a": [{"b": {"c": 1, "c": 2}}]}',
    "not a number": b'{"a": NaN}',
    "infinity": b'{"a": [-Infinity]}',
    "5,000 digits": b'{"a": ' + b"9" * 5000 + b"}",
    "5,000 digits below zero": b'{"a": -' + b"9" * 5000 + b"}",
    "a leading zero": b'{"a": 01}',
    "hexadecimal": b'{"a": 0x1}',
    "a comment": b'{"a": 1 /* b */}',
    "a comma too many": b'{"a": 1,}',
    "single quotes": b"{'a': 1}",
    "bad UTF-8": b'{"a": "\xc3\x28"}',
    "overlong UTF-8": b'{"a": "\xc0\xaf"}',
    "UTF-8 of half a pair": b'{"a": "\xed\xa0\x80"}',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "UTF-32": '{"a": 1}'.encode("utf-32-le"),
    "a byte order mark": b'\xef\xbb\xbf{"a": 1}',
    "gzip that is not told": gzip.compress(b'{"a": 1}'),
    "a control character": b'{"a": "\x00"}',
    "arrays without an end": b"[" * DEEP,
    "deep arrays": b"[" * DEEP + b"]" * DEEP,
    "objects without an end": b'{"a":' * DEEP,
    "deep objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "deep arrays in a field": b'{"title":' + b"[" * DEEP + b"]" * DEEP + b"}",
}
ODD = (
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    -0.0,
    1e300,
    "",
    "x",
    "\u0000",
    [],
    [None],
    [[]],
    {},
    {"": None},
    {"a": {"a": {}}},
)
HUGE = b'{"title": 1e400, "content": -1e400, "a": 1e-400}'


@pytest.fixture
def send(
    api: Api, a_post: Callable[..., Post], connect: Callable[..., str], subscribe: Callable[..., dict[str, Any]]
) -> Callable[..., TestResponse]:
    """Return a function that sends bytes or JSON to an operation, on an existing object if it needs one."""
    make: dict[str, Callable[[], str]] = {
        "post_id": lambda: a_post(live=True).id,
        "name": connect,
        "webhook_id": lambda: str(subscribe()["id"]),
        "author": lambda: str(api.post("/authors", name="Ada").json["id"]),
        "series": lambda: str(api.post("/series", title="Boats").json["id"]),
        "redirect_id": lambda: str(api("POST", "/redirects", json={"path": "/old", "target": "/tags"}).json["id"]),
        "key_id": lambda: str(api.post("/keys", name="laptop", scopes=["posts:read"]).json["id"]),
        "media_id": lambda: str(api.post("/media", form={"file": File(png())}).json["id"]),
    }

    @cache
    def an_object(parameter: str) -> str:
        return make[parameter]() if parameter in make else "1"

    an_object("post_id")

    def one(declared: Operation, body: Any, **headers: str) -> TestResponse:
        path = re.sub(r"<(?:\w+:)?(\w+)>", lambda part: an_object(part[1]), declared.path)
        sent = {"Authorization": f"Bearer {api.key}", "Content-Type": "application/json", **headers}
        data = body if isinstance(body, bytes) else json.dumps(body)
        return api.client.open(f"/api/v1{path}", method=declared.method, data=data, headers=sent)

    return one


def schema_of(declared: Operation) -> dict[str, str]:
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", declared.path)
    content = document()["paths"][path][declared.method.lower()]["requestBody"]["content"]
    found: dict[str, str] = content["application/json"]["schema"]
    return found


def properties(declared: Operation) -> dict[str, Any]:
    assert declared.body is not None
    found: dict[str, Any] = declared.body.model_json_schema()["properties"]
    return found


@TAKES
def test_an_unreadable_body_returns_400(send: Callable[..., TestResponse], declared: Operation) -> None:
    for name, body in UNREADABLE.items():
        if body or declared.is_body_required:
            answer = send(declared, body)
            assert (answer.status_code, answer.json["type"].rpartition("/")[2]) == (400, "unreadable"), name


@TAKES
def test_an_odd_value_is_rejected_where_the_openapi_document_forbids_it(
    send: Callable[..., TestResponse], declared: Operation
) -> None:
    rules = validator(schema_of(declared))
    for name in properties(declared):
        for value in ODD:
            answer = send(declared, {name: value})
            assert answer.status_code < 500
            wrong = {f"#/{'/'.join(map(str, error.absolute_path))}" for error in rules.iter_errors({name: value})} - {
                "#/"
            }
            if wrong and all(pointer.startswith("#/operations/") for pointer in wrong):  # each fails alone
                assert [result["status"] for result in answer.json["results"]] == [422] * len(value), value
            elif wrong:
                assert answer.status_code == 422, (name, value)
                told = {error["pointer"].split("/")[1] for error in answer.json["errors"]}
                assert name in told, (name, value)


@TAKES
@pytest.mark.parametrize("body", [None, True, 1, 1.5, "x", [], [{}], [["title", "x"]]], ids=repr)
def test_a_body_that_is_not_an_object_is_rejected(
    send: Callable[..., TestResponse], declared: Operation, body: Any
) -> None:
    answer = send(declared, body)
    assert answer.status_code == 422
    assert [(error["pointer"], error["code"]) for error in answer.json["errors"]] == [("#", "wrong_type")]


@TAKES
def test_a_huge_number_is_rejected_as_the_wrong_type(send: Callable[..., TestResponse], declared: Operation) -> None:
    answer = send(declared, HUGE)
    assert answer.status_code == 422
    assert "#/a" in {error["pointer"] for error in answer.json["errors"]}


def read_only(declared: Operation) -> Iterator[str]:
    """Return every response field that the operation does not accept in requests, and names of table columns."""
    out = {name for schema in document()["components"]["schemas"].values() for name in schema.get("properties", {})}
    rows = {"state", "version", "site_revision_id", "live_revision_id", "deleted_at", "__class__", "model_config"}
    yield from sorted((out | rows) - properties(declared).keys())


def ignored(declared: Operation) -> set[str]:
    """Return the fields that the server computes, which an update takes back with any value."""
    answer = declared.answers.get(200)
    if declared.method not in ("PUT", "PATCH") or answer is None or declared.body is None:
        return set()
    own = {field.alias or name for name, field in answer.model_fields.items()}
    return own - properties(declared).keys() - declared.body.fixed.keys() - {"generated"}


@TAKES
def test_fields_that_the_server_computes_are_ignored_in_updates(
    api: Api, send: Callable[..., TestResponse], declared: Operation
) -> None:
    sent = dict.fromkeys(ignored(declared), "2020-01-01T00:00:00Z")
    if sent:
        answer = send(declared, NEEDED.get(declared.name, {}) | sent)
        assert answer.status_code == 200, answer.json
        assert not [name for name in sent if answer.json[name] == "2020-01-01T00:00:00Z"]


@TAKES
def test_read_only_fields_cannot_be_set(api: Api, send: Callable[..., TestResponse], declared: Operation) -> None:
    before = api.get("/posts?fields=id,status,createdAt,publishedAt,deletedAt,wordCount,url").json
    names = list(read_only(declared))
    for start in range(0, len(names), 50):
        sent = dict.fromkeys(names[start : start + 50], "2020-01-01T00:00:00Z")
        answer = send(declared, sent)
        assert answer.status_code == 422
        refused = {error["pointer"][2:] for error in answer.json["errors"] if error["code"] in ("unknown", "read_only")}
        assert refused == set(sent) - ignored(declared)
    assert api.get("/posts?fields=id,status,createdAt,publishedAt,deletedAt,wordCount,url").json == before


@TAKES
@pytest.mark.parametrize(
    "kind",
    [
        "",
        "text/json",
        "application/json5",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "*/*",
        "a" * 5000,
    ],
)
def test_only_json_bodies_are_accepted(send: Callable[..., TestResponse], declared: Operation, kind: str) -> None:
    assert send(declared, b"{}", **{"Content-Type": kind}).status_code == 415


@TAKES
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "identity, gzip", "x"])
def test_compressed_bodies_are_rejected(send: Callable[..., TestResponse], declared: Operation, coding: str) -> None:
    bomb = gzip.compress(b" " * 10_000_000)
    assert send(declared, bomb, **{"Content-Encoding": coding}).status_code == 415


def test_the_odd_values_are_invalid_for_most_fields() -> None:
    """Makes sure that the tests above check something: most values are invalid for most fields."""
    rules = Draft202012Validator({"type": "string", "minLength": 1})
    assert sum(not rules.is_valid(value) for value in ODD) > 10
    assert len(TAKING) >= 5
