"""Authors in the API."""

from __future__ import annotations

from typing import Any

import pytest

from blogsvc.context import Tools
from blogsvc.media import images
from tests.api.faults import faults
from tests.api_client import Api
from tests.images import png


def test_an_author_is_added_changed_listed_and_deleted(api: Api, tools: Tools) -> None:
    media = images.add(png(), "ada.png", "", tools)
    links = [{"label": "Home", "url": "https://ada.example/", "isMe": True}]
    sent = {"name": " Ada  Lovelace", "bio": "Wrote *programs*.", "links": links, "fediverse": "ada@social.example"}
    answer = api.post("/authors", json=sent | {"pictureId": media.id})
    assert (answer.status_code, answer.headers["Location"]) == (201, "/api/v1/authors/ada-lovelace")
    assert answer.json | sent == answer.json | sent | {}
    assert (answer.json["name"], answer.json["slug"], answer.json["isUser"]) == ("Ada Lovelace", "ada-lovelace", False)
    assert answer.json["pictureUrl"] == f"https://blog.example{media.path}"
    assert answer.json["url"] == "https://blog.example/author/ada-lovelace"
    assert answer.json["links"] == links

    changed = api.patch("/authors/ada-lovelace", slug="ada", bio=None, links=None, pictureId=None)
    assert changed.json == answer.json | {
        "slug": "ada",
        "bio": "",
        "links": [],
        "pictureId": None,
        "pictureUrl": None,
        "url": "https://blog.example/author/ada",
    }
    assert api.get("/authors/ada").json == changed.json
    assert changed.json in api.get("/authors").json["data"]
    assert api.delete("/authors/ada").status_code == 204
    assert api.get("/authors/ada").status_code == 404


def test_a_name_keeps_the_joiners_of_its_script_and_loses_what_is_hidden(api: Api) -> None:
    joined = "\u0639\u0644\u06cc\u200c\u0631\u0636\u0627"
    created = api.post("/authors", name=f"\u202e{joined}\u200b", slug="ali").json
    assert created["name"] == joined
    assert api.patch("/authors/ali", name=created["name"]).json["name"] == joined


def test_a_changed_author_is_not_overwritten_unknowingly(api: Api) -> None:
    etag = api.post("/authors", name="Ada").headers["ETag"]
    assert api.patch("/authors/ada", bio="One").status_code == 200
    assert api.patch("/authors/ada", bio="Two", headers={"If-Match": etag}).status_code == 412
    assert api.delete("/authors/ada", headers={"If-Match": etag}).status_code == 412


def test_the_authors_of_a_post_are_those_of_the_request_in_its_order(api: Api) -> None:
    for name in ("Ada", "Bo"):
        api.post("/authors", name=name)
    post = api.post("/posts", title="Words", authors=["bo", "ada"]).json
    assert post["authors"] == ["bo", "ada"]
    assert api.patch(f"/posts/{post['id']}", authors=["ada"]).json["authors"] == ["ada"]
    assert api.patch(f"/posts/{post['id']}", title="More").json["authors"] == ["ada"]
    assert faults(api.patch(f"/posts/{post['id']}", authors=["adda"])) == {"#/authors/0": "unknown_author"}
    assert api.delete("/authors/ada").status_code == 409
    stored = api.get(f"/posts/{post['id']}")
    assert api.patch("/authors/ada", slug="ada-l").status_code == 200
    assert api.get(f"/posts/{post['id']}").json["authors"] == ["ada-l"], "not the document in the cache"
    assert api.put(f"/posts/{post['id']}", title="x", headers={"If-Match": stored.headers["ETag"]}).status_code == 412
    assert api.post("/authors/ada-l/merge", into="bo").json["slug"] == "bo"
    assert api.get(f"/posts/{post['id']}").json["authors"] == ["bo"]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, {"#/name": "required"}),
        ({"name": " "}, {"#/name": "too_short"}),
        ({"name": "Ada", "slug": "A da"}, {"#/slug": "invalid"}),
        ({"name": "Ada", "slug": "ada"}, {"#/slug": "taken"}),
        ({"name": "Ada", "bio": "x" * 2001}, {"#/bio": "too_long"}),
        ({"name": "Ada", "fediverse": "ada"}, {"#/fediverse": "invalid"}),
        ({"name": "Ada", "pictureId": "med_1"}, {"#/pictureId": "invalid"}),
        ({"name": "Ada", "links": [{"label": "x", "url": "ftp://a"}]}, {"#/links/0/url": "not_a_url"}),
        ({"name": "Ada", "links": [{"label": "", "url": "https://a.example"}]}, {"#/links/0/label": "too_short"}),
        ({"name": "Ada", "age": 36}, {"#/age": "unknown"}),
    ],
)
def test_invalid_authors_are_refused(api: Api, fields: dict[str, Any], expected: dict[str, str]) -> None:
    api.post("/authors", name="Ada")
    assert faults(api.post("/authors", json=fields)) == expected
