"""POST /posts: valid fields, and every reason for a rejection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.faults import faults
from tests.api_client import Api

MIB = 1024 * 1024
SOON = "2026-11-24T10:00:00.000Z"


def test_a_draft_needs_only_a_title(api: Api) -> None:
    answer = api.post("/posts", title="  Hello  ")

    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/api/v1/posts/{answer.json['id']}"
    assert answer.headers["ETag"]
    assert answer.json["title"] == "Hello"
    assert answer.json["status"] == "draft"
    assert answer.json["slug"] == "hello"
    assert answer.json["platforms"] == ["site"]
    assert answer.json["content"] == answer.json["summary"] == ""
    assert answer.json["deliveries"] == []
    assert api.get(f"/posts/{answer.json['id']}").json == answer.json


def test_every_field_that_is_sent_is_stored(api: Api, connect: Callable[..., str]) -> None:
    connect("hook")
    sent = {
        "title": "Grüße 🎈",
        "content": "Zwei *Wörter*.\n\n```\n\tcode\n```\n",
        "platforms": ["hook", "site"],
        "scheduledAt": SOON,
        "summary": "Short",
        "slug": "gruesse-2",
        "tags": ["Ünïcode", "b"],
        "canonicalUrl": "https://example.org/a?b=c",
        "coverImage": "http://example.org/a.jpg",
        "coverAlt": "A ferry",
        "coverCaption": "By *Ada*",
        "language": "de-AT",
        "kind": "page",
        "isPinned": True,
        "isUnlisted": True,
        "metaTitle": "Another title",
        "overrides": {"hook": {"title": "Other", "tags": ["c"]}},
    }
    answer = api.post("/posts", json=sent)

    assert answer.status_code == 201
    assert {name: answer.json[name] for name in sent} == sent
    assert answer.json["status"] == "scheduled"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, {"#/title": "required"}),
        ({"title": None}, {"#/title": "wrong_type"}),
        ({"title": ""}, {"#/title": "too_short"}),
        ({"title": " \t "}, {"#/title": "too_short"}),
        ({"title": "x" * 301}, {"#/title": "too_long"}),
        ({"title": "a\nb"}, {"#/title": "control_character"}),
        ({"title": "a\x00b"}, {"#/title": "control_character"}),
        ({"title": "a\ud800b"}, {"#/title": "bad_encoding"}),
        ({"title": 5}, {"#/title": "wrong_type"}),
        ({"content": "x" * (MIB + 1)}, {"#/content": "too_long"}),
        ({"content": "a\ud800b"}, {"#/content": "bad_encoding"}),
        ({"content": "a\x00"}, {"#/content": "control_character"}),
        ({"content": ["a"]}, {"#/content": "wrong_type"}),
        ({"kind": "story"}, {"#/kind": "not_one_of"}),
        ({"isPinned": "yes"}, {"#/isPinned": "wrong_type"}),
        ({"metaTitle": "x" * 301}, {"#/metaTitle": "too_long"}),
        ({"coverCaption": "x" * 1001}, {"#/coverCaption": "too_long"}),
        ({"summary": "x" * 2001}, {"#/summary": "too_long"}),
        ({"slug": "Not A Slug"}, {"#/slug": "invalid"}),
        ({"slug": "-a"}, {"#/slug": "invalid"}),
        ({"slug": "a--b"}, {"#/slug": "invalid"}),
        ({"slug": "Ümlaut"}, {"#/slug": "invalid"}),
        ({"slug": "a\n"}, {"#/slug": "invalid"}),
        ({"slug": "../etc"}, {"#/slug": "invalid"}),
        ({"slug": ""}, {"#/slug": "invalid"}),
        ({"slug": "a" * 81}, {"#/slug": "too_long"}),
        ({"slug": "api"}, {"#/slug": "taken"}),
        ({"tags": "a"}, {"#/tags": "wrong_type"}),
        ({"tags": [""]}, {"#/tags/0": "too_short"}),
        ({"tags": ["a", 1]}, {"#/tags/1": "wrong_type"}),
        ({"tags": ["x" * 51]}, {"#/tags/0": "too_long"}),
        ({"tags": ["Same", "same "]}, {"#/tags": "repeated"}),
        ({"tags": [str(number) for number in range(21)]}, {"#/tags": "too_long"}),
        ({"platforms": "site"}, {"#/platforms": "wrong_type"}),
        ({"platforms": ["site", "site"]}, {"#/platforms": "repeated"}),
        ({"platforms": ["site", "nowhere"]}, {"#/platforms/1": "unknown_platform"}),
        ({"platforms": ["No Name!"]}, {"#/platforms/0": "invalid"}),
        ({"platforms": [f"p{number}" for number in range(500)]}, {"#/platforms": "too_long"}),
        ({"canonicalUrl": "ftp://example.org/"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "javascript:alert(1)"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "https://"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "https://[half"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "https://example.org/\x01"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "https://example.org/\x00"}, {"#/canonicalUrl": "control_character"}),
        ({"canonicalUrl": "https://example.org/\udfff"}, {"#/canonicalUrl": "bad_encoding"}),
        ({"canonicalUrl": "https://example.org/a b"}, {"#/canonicalUrl": "not_a_url"}),
        ({"canonicalUrl": "https://example.org/" + "a" * 2000}, {"#/canonicalUrl": "too_long"}),
        ({"coverImage": "data:image/png;base64,AA=="}, {"#/coverImage": "not_a_url"}),
        ({"language": "German!"}, {"#/language": "invalid"}),
        ({"language": "de" + "-abcdefgh" * 9}, {"#/language": "too_long"}),
        ({"overrides": []}, {"#/overrides": "wrong_type"}),
        ({"overrides": {"nowhere": {}}}, {"#/overrides/nowhere": "unknown_platform"}),
        ({"overrides": {"site": "x"}}, {"#/overrides/site": "wrong_type"}),
        ({"overrides": {"site": {"slug": "x"}}}, {"#/overrides/site/slug": "unknown"}),
        ({"overrides": {"site": {"title": ""}}}, {"#/overrides/site/title": "too_short"}),
        ({"overrides": {"site": {"tags": [1]}}}, {"#/overrides/site/tags/0": "wrong_type"}),
        ({"titel": "x"}, {"#/titel": "unknown"}),
        ({"status": "published"}, {"#/status": "unknown"}),
        ({"id": "post_1"}, {"#/id": "unknown"}),
        ({"canonical_url": "https://example.org"}, {"#/canonical_url": "unknown"}),
        ({"a/b~c": 1}, {"#/a~1b~0c": "unknown"}),
    ],
    ids=lambda part: repr(part)[:60],
)
def test_an_invalid_post_is_rejected_with_pointers(api: Api, body: Any, expected: dict[str, str]) -> None:
    known = {} if "#/title" in expected else {"title": "A post"}
    assert faults(api.post("/posts", json=known | body)) == expected
    assert api.get("/posts").json["data"] == []


def test_all_errors_are_returned_at_once(api: Api) -> None:
    answer = api.post("/posts", json={"tags": [1], "slug": "?", "scheduledAt": "soon", "titel": "x"})
    assert faults(answer) == {
        "#/title": "required",
        "#/tags/0": "wrong_type",
        "#/slug": "invalid",
        "#/scheduledAt": "not_a_time",
        "#/titel": "unknown",
    }
    assert answer.json["detail"].endswith("See `errors` for 2 more.")


def test_at_most_a_hundred_errors_are_returned(api: Api) -> None:
    answer = api.post("/posts", json={f"field{number}": 0 for number in range(10_000)})
    assert len(faults(answer)) == 100


@pytest.mark.parametrize("body", [[], "text", 5, True])
def test_a_body_that_is_not_an_object_is_rejected(api: Api, body: Any) -> None:
    assert faults(api.post("/posts", json=body)) == {"#": "wrong_type"}


def test_the_maximum_lengths_are_accepted(api: Api) -> None:
    title, content = " " * 50 + "t" * 300 + " " * 50, "c" * MIB
    answer = api.post("/posts", title=title, content=content, tags=[str(number) for number in range(20)])
    assert answer.status_code == 201
    assert answer.json["content"] == content
    assert len(answer.json["title"]) == 300


def test_the_error_for_an_unknown_platform_lists_the_known_ones(api: Api, connect: Callable[..., str]) -> None:
    connect("hook")
    (fault,) = api.post("/posts", title="x", platforms=["nowhere"]).json["errors"]
    assert fault["platform"] == "nowhere"
    assert fault["rule"] == "exists"
    assert "site, hook" in fault["remediation"]
    assert "site, hook" in fault["detail"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("tiktok", "no connector exists"),
        ("wordpres", "Did you mean 'wordpress'?"),
        ("hok", "Did you mean 'hook'?"),
        ("dev-to", "Did you mean 'devto'?"),
    ],
)
def test_a_platform_without_a_connector_is_rejected_with_near_matches(
    api: Api, connect: Callable[..., str], name: str, said: str
) -> None:
    connect("hook")
    (fault,) = api.post("/posts", title="x", platforms=[name]).json["errors"]
    assert (fault["code"], fault["rule"]) == ("unknown_platform", "exists")
    assert said in fault["detail"]
    assert "GET /platforms" in fault["remediation"]


def test_an_unknown_connector_has_near_matches(api: Api) -> None:
    (fault,) = api.post("/platforms", connector="mastodn").json["errors"]
    assert "Did you mean 'mastodon'?" in fault["detail"]


def test_the_detail_of_an_error_names_the_field(api: Api) -> None:
    answer = api.post("/posts", json={"tags": ["a", 3], "canonicalUrl": "x", "titel": "x"})
    details = {fault["pointer"]: fault["detail"] for fault in answer.json["errors"]}
    assert details == {
        "#/title": "`title` is required.",
        "#/tags/1": "`tags/1` must be text.",
        "#/canonicalUrl": "`canonicalUrl` must be a URL that starts with https:// or http://.",
        "#/titel": "There is no field `titel`. Check the spelling.",
    }
    assert "`title` is required." in answer.json["detail"] or "`tags/1`" in answer.json["detail"]
    assert "`limit`" in api.get("/posts?limit=0").json["detail"]


def test_slugs_are_derived_from_titles_and_numbered(api: Api) -> None:
    slugs = [api.post("/posts", title="Hello, Wörld!").json["slug"] for _ in range(3)]
    assert slugs == ["hello-world", "hello-world-2", "hello-world-3"]


@pytest.mark.parametrize(
    ("title", "slug"), [("API", "api-2"), ("Feed", "feed-2"), ("!!!", "untitled"), ("日本", "riben")]
)
def test_a_generated_slug_is_never_reserved_or_empty(api: Api, title: str, slug: str) -> None:
    assert api.post("/posts", title=title).json["slug"] == slug


def test_a_slug_of_another_post_is_rejected(api: Api) -> None:
    api.post("/posts", title="Hello")
    assert faults(api.post("/posts", title="Other", slug="hello")) == {"#/slug": "taken"}


def test_null_means_the_default(api: Api) -> None:
    names = ("content", "summary", "slug", "tags", "platforms", "scheduledAt", "canonicalUrl", "overrides", "language")
    post = api.post("/posts", json={"title": "Hello"} | dict.fromkeys(names)).json
    assert post["platforms"] == ["site"]
    assert post["slug"] == "hello"
    assert (post["content"], post["tags"], post["overrides"], post["scheduledAt"]) == ("", [], {}, None)


def test_many_posts_with_one_title_get_unique_short_slugs(api: Api) -> None:
    slugs = [api.post("/posts", title="x" * 300).json["slug"] for _ in range(25)]

    assert slugs[1].endswith("-2")
    assert len(set(slugs)) == 25
    assert max(len(slug) for slug in slugs) <= 80
