"""Odd texts are stored unchanged or rejected; tricks in the query, the headers and the host change nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from urllib.parse import quote

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.base import ConnectorError
from blogsvc.context import Tools
from blogsvc.errors import BlogError
from blogsvc.lib.blog_paths import is_canonical
from blogsvc.models import Connection, Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.outside import Outside
from tests.tiers import matrix

HERE = Path(__file__).parents[1] / "payloads"
TEXTS: dict[str, str] = json.loads((HERE / "texts.json").read_text())
ADDRESSES = (HERE / "addresses.txt").read_text().splitlines()
# tests/lib/net checks every range and notation. Here is one case of each kind, a name that resolves to both included.
USUAL = (
    "http://127.0.0.1/",
    "http://0x7f.1/",
    "http://[::ffff:7f00:1]/",
    "http://169.254.169.254/latest/meta-data/",
    "http://example.org@127.0.0.1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://mixed.example/",
    "file:///etc/passwd",
    "http://example.org:65536/",
)
NEVER = {"NUL": "a\x00b", "half of a pair": "a\ud800b", "the other half": "\udfff"}
NOT_IN_A_LINE = {
    "a line break": "a\nb",
    "a return": "a\r\nSet-Cookie: b=c",
    "an escape": "a\x1b[31mb",
    "a delete": "a\x7f",
    "a next line": "a\x85b",
}


def test_odd_texts_are_returned_unchanged(api: Api) -> None:
    for odd in TEXTS.values():
        tags = [odd] if len(odd) <= 50 else []
        words = {"title": odd, "content": f"{odd}\n\n{odd}", "summary": odd, "tags": tags}
        made = api.post("/posts", **words, overrides={"site": words})
        assert made.status_code == 201, made.text
        read = api.get(f"/posts/{made.json['id']}").json
        assert {field: read[field] for field in words} == words
        assert read["overrides"] == {"site": words}
        for tag in tags:
            assert [post["id"] for post in api.get(f"/posts?tag={quote(tag, safe='')}").json["data"]] == [read["id"]]


def test_posts_with_odd_texts_can_be_published(api: Api) -> None:
    for odd in TEXTS.values():
        post = api.post("/posts", title=odd, content=odd).json
        assert api.post(f"/posts/{post['id']}/publish").json["status"] == "published"
        assert api.client.get(f"/{post['slug']}").status_code == 200


@pytest.mark.parametrize("text", NEVER.values(), ids=NEVER)
@pytest.mark.parametrize("field", ["title", "content", "summary", "tags", "coverImage", "slug", "language"])
def test_invalid_text_is_rejected_in_every_field(api: Api, field: str, text: str) -> None:
    told = faults(api.post("/posts", json={"title": "x", field: [text] if field == "tags" else text}))
    assert set(told) == {"#/tags/0" if field == "tags" else f"#/{field}"}
    assert set(told.values()) <= {"control_character", "bad_encoding", "invalid", "not_a_url"}


@pytest.mark.parametrize("text", NOT_IN_A_LINE.values(), ids=NOT_IN_A_LINE)
def test_line_breaks_are_rejected_in_single_line_fields(api: Api, text: str) -> None:
    assert faults(api.post("/posts", title=text, tags=[text])) == {
        "#/title": "control_character",
        "#/tags/0": "control_character",
    }


def test_a_field_name_with_a_lone_surrogate_gets_a_readable_error(api: Api) -> None:
    answer = api.post("/posts", json={"title": "x", "summary\ud800": "x", "overrides": {"site": {"\udfff": 1}}})
    assert answer.status_code == 422
    assert {error["code"] for error in json.loads(answer.data)["errors"]} <= {"bad_encoding", "unknown"}


PARAMETERS = ("tag", "platform", "cursor", "status", "sort", "limit", "createdAfter", "fields", "trashed", "x")


def test_odd_texts_in_a_query_find_nothing_or_are_rejected(api: Api, a_post: Callable[..., Post]) -> None:
    a_post()
    for parameter, odd in product(PARAMETERS, (*TEXTS.values(), "a\x00b")):
        answer = api.get(f"/posts?{parameter}={quote(odd, safe='')}")
        if (parameter, odd) == ("trashed", "true") or answer.status_code != 422:
            assert (answer.status_code, answer.json["data"]) == (200, []), (parameter, odd)


def test_nothing_is_found_at_odd_texts_in_a_path(api: Api) -> None:
    paths = ("/posts/{}", "/posts/{}/deliveries", "/deliveries/{}", "/{}", "/problems/{}")
    for path, odd in product(paths, (*TEXTS.values(), "a\x00b")):
        answer = api.get(path.format(quote(odd, safe="")))
        expected = 404 if is_canonical(path.format(odd)) else 400
        assert (answer.status_code, answer.mimetype) == (expected, "application/problem+json"), (path, odd)


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("limit=1&limit=2", {"?limit": "repeated"}),
        ("limit=1&limit=1", {"?limit": "repeated"}),
        ("sort=title&sort=-title", {"?sort": "repeated"}),
        ("limit[]=1", {"?limit[]": "unknown"}),
        ("limit[$gt]=1", {"?limit[$gt]": "unknown"}),
        ("LIMIT=1", {"?LIMIT": "unknown"}),
        ("_method=DELETE", {"?_method": "unknown"}),
        ("limit=1;limit=2", {"?limit": "wrong_type"}),
        ("limit=", {"?limit": "wrong_type"}),
        ("limit=١", {"?limit": "wrong_type"}),
        ("limit=1e1", {"?limit": "wrong_type"}),
        ("limit=0x10", {"?limit": "wrong_type"}),
        ("limit=%2B5", {"?limit": "wrong_type"}),
        ("limit=1_0", {"?limit": "wrong_type"}),
        ("limit=%205", {"?limit": "wrong_type"}),
        ("limit=1.0", {"?limit": "wrong_type"}),
        ("trashed=yes", {"?trashed": "wrong_type"}),
        ("trashed=1", {"?trashed": "wrong_type"}),
        ("trashed=", {"?trashed": "wrong_type"}),
        ("status=", {"?status": "not_one_of"}),
        ("status=draft,", {"?status": "not_one_of"}),
        ("fields=", {"?fields": "not_one_of"}),
        ("fields=id&fields=__dict__", {"?fields": "not_one_of"}),
        ("tag=a%00b", {"?tag": "control_character"}),
    ],
)
def test_ambiguous_or_empty_parameters_are_rejected(api: Api, query: str, told: dict[str, str]) -> None:
    assert faults(api.get(f"/posts?{query}")) == told


def test_a_list_parameter_can_be_repeated_and_comma_separated(api: Api, a_post: Callable[..., Post]) -> None:
    a_post()
    assert len(api.get("/posts?status=draft,published&status=failed&status=draft").json["data"]) == 1


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"])
def test_method_override_headers_are_ignored(api: Api, a_post: Callable[..., Post], header: str) -> None:
    post = a_post()
    for method in ("GET", "PUT"):
        api(method, f"/posts/{post.id}", json={} if method == "PUT" else None, headers={header: "DELETE"})
    assert api.get(f"/posts/{post.id}").status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8000", '"><script>', "a b", "", "[::1", "a..b", "ü" * 70]
)
def test_no_response_repeats_the_requested_host(api: Api, a_post: Callable[..., Post], host: str) -> None:
    slug = a_post(live=True).slug
    a_post(live=True)
    headers = {
        "Authorization": f"Bearer {api.key}",
        "Host": host,
        "X-Forwarded-Host": "evil.example",
        "X-Original-URL": "/evil.example",
        "Forwarded": "host=evil.example",
    }
    for path in ("/api/v1/posts?limit=1", "/api/v1/nothing", f"/{slug}", "/", "/feed.xml", "/sitemap.xml", "/nothing"):
        answer = api.client.get(path, headers=headers)
        assert answer.status_code in {200, 400, 404}
        assert "evil.example" not in str(answer.headers) + answer.text
        assert "<script>" not in str(answer.headers)


def test_the_link_to_the_next_page_is_not_affected_by_injected_header_lines(
    api: Api, a_post: Callable[..., Post]
) -> None:
    a_post(title="Set a cookie")
    a_post(title="Set a cookie")
    link = api.get("/posts?limit=1&q=set%0d%0aCookie:+a").headers["Link"]
    assert link.startswith("</api/v1/posts?")
    assert link.isprintable()


def test_a_request_id_cannot_inject_a_header(api: Api) -> None:
    for given in ("a%0d%0aSet-Cookie:b", "a\tb", "a;b", "ü", "x" * 200):
        answer = api.get("/me", headers={"X-Request-Id": given})
        assert answer.headers["X-Request-Id"].startswith("req_")
        assert "Set-Cookie" not in answer.headers


@matrix("address", ADDRESSES, default=lambda address: address in USUAL)
def test_a_private_or_invalid_address_is_never_requested(
    tools: Tools, outside: Outside, app: object, address: str
) -> None:
    outside.names |= {"private.example": ["10.0.0.1"], "mixed.example": ["93.184.216.34", "127.0.0.1"]}
    with pytest.raises((ConnectorError, BlogError)):
        manage.connect("webhook", "inside", {"url": address}, tools)
    assert outside.requests == []
    assert Connection.all() == []
