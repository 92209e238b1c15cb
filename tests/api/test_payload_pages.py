"""Whatever an author writes is shown to readers and in feeds as text: no script runs."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import html5lib
import pytest
from flask.testing import FlaskClient

from tests.api_client import Api
from tests.blog.reading import text
from tests.html_safety import dangers, dangers_of_page, scheme_faults, shapes

pytestmark = pytest.mark.exhaustive

PAYLOADS = (Path(__file__).parents[1] / "payloads" / "scripts.txt").read_text().splitlines()
CHUNKS = [PAYLOADS[start::5] for start in range(5)]  # each fits on the first page of every list
LISTS = ("/", "/archive")
ATOM = "{http://www.w3.org/2005/Atom}"
HARMLESS = {"title": "A title", "content": "# A part\n\nWords.", "summary": "A summary", "tags": ["a tag"]}


def publish(api: Api, **words: Any) -> Any:
    made = api.post("/posts", **words)
    assert made.status_code == 201, made.text
    assert api.post(f"/posts/{made.json['id']}/publish").status_code == 202
    return made.json


def page(client: FlaskClient, path: str) -> Any:
    answer = client.get(path)
    assert answer.status_code == 200, path
    return html5lib.parse(answer.text, namespaceHTMLElements=False)


@pytest.fixture
def template_shapes(api: Api) -> set[tuple[str, frozenset[str]]]:
    """Return the elements of pages that together use every part of the templates."""
    cover = {"coverImage": "https://x.example/a.png", "canonicalUrl": "https://x.example/"}
    posts = [publish(api, **HARMLESS, **cover, language=language) for language in ("en", "ar", "de")]
    paths = [f"/{post['slug']}" for post in posts]
    return set().union(*(shapes(page(api.client, path)) for path in (*paths, *LISTS, "/tag/a%20tag")))


def hostile(payload: str) -> dict[str, Any]:
    tail = re.sub(r"[\s<>\"]", "", payload)
    return {
        "title": payload,
        "content": f"{payload}\n\nx {payload} y\n\n# {payload}\n\n- {payload}\n\n| {payload} |\n|---|\n| {payload} |\n",
        "summary": f"{payload}\n{payload}",
        "tags": [payload[:50].strip(), "a tag"],
        "canonicalUrl": f"https://x.example/{tail}",
        "coverImage": f"https://x.example/?{tail}",
        "overrides": {
            "site": {"title": payload, "summary": payload, "content": payload, "tags": [payload[:50].strip()]}
        },
        "language": "en",
    }


@pytest.mark.parametrize("payloads", CHUNKS, ids=["first", "second", "third", "fourth", "fifth"])
def test_a_payload_is_shown_as_text_on_every_page_and_in_every_feed(
    api: Api, template_shapes: set[tuple[str, frozenset[str]]], payloads: list[str]
) -> None:
    for payload in payloads:
        post = publish(api, **hostile(payload))
        assert_shown_as_text(api.client, payload, post, template_shapes)
        for path in LISTS:
            assert dangers_of_page(page(api.client, path), template_shapes) == [], payload
    assert_feeds_are_harmless(api.client, payloads)


def assert_shown_as_text(
    client: FlaskClient, payload: str, post: Any, template_shapes: set[tuple[str, frozenset[str]]]
) -> None:
    shown = page(client, f"/{post['slug']}")
    assert dangers_of_page(shown, template_shapes) == [], payload
    (heading,) = (each for each in shown.iter("h1") if "p-name" in each.get("class", "").split())
    assert text(heading) == " ".join(payload.split())
    (tag_path,) = {each.get("href") for each in shown.iter("a") if each.text == post["tags"][0]}
    tagged = page(client, tag_path)
    assert dangers_of_page(tagged, template_shapes) == [], payload
    assert " ".join(post["tags"][0].split()) in text(tagged)


def assert_feeds_are_harmless(client: FlaskClient, payloads: list[str]) -> None:
    atom = ElementTree.fromstring(client.get("/feed.xml").data)
    entries = atom.findall(f"{ATOM}entry")
    assert {entry.findtext(f"{ATOM}title") for entry in entries} & set(payloads)
    for entry in entries:
        assert dangers(entry.findtext(f"{ATOM}content")) == []
        assert [fault for link in entry.iter(f"{ATOM}link") for fault in scheme_faults(link.get("href"))] == []
    feed = json.loads(client.get("/feed.json").data)
    for item in feed["items"]:
        assert dangers(item["content_html"]) == []
        assert scheme_faults(item["url"]) + scheme_faults(item.get("image", "")) == []
    sitemap = ElementTree.fromstring(client.get("/sitemap.xml").data)
    assert {child.text.partition(":")[0] for child in sitemap.iter() if child.tag.endswith("loc")} == {"https"}


@pytest.mark.parametrize("field", ["slug", "language", "coverImage", "canonicalUrl"])
def test_a_payload_is_rejected_in_fields_that_do_not_allow_free_text(api: Api, field: str) -> None:
    taken = [p for p in PAYLOADS if api.post("/posts", json={**HARMLESS, field: p}).status_code != 422]
    assert taken == []


@pytest.mark.parametrize("path", ["/tag/{}", "/{}", "/?before={}", "/archive?before={}", "/static/{}", "/api/v1/{}"])
def test_a_payload_in_a_url_is_not_reflected_as_markup(api: Api, path: str) -> None:
    for payload in PAYLOADS:
        answer = api.client.get(path.format(quote(payload, safe="")), follow_redirects=False)
        assert answer.status_code in {200, 301, 308, 400, 404}, payload
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        if answer.mimetype == "text/html":
            assert "alert(1)" not in re.sub(r'content="[^"]*"|href="[^"]*"', "", answer.text), payload


def test_characters_invalid_in_markup_break_no_page_and_no_feed(api: Api) -> None:
    odd = "a\x08\x0b\x1b\x7f\x85\ufdd0\ufffe\uffff\U0001fffe\U0010ffffb"
    post = publish(
        api, title=odd.replace("\x08\x0b\x1b\x7f\x85", ""), content=odd, summary=odd, tags=["a\ufffe\U0001ffffb"]
    )
    strict = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    assert "ab" in text(strict.parse(api.client.get(f"/{post['slug']}").text))
    ElementTree.fromstring(api.client.get("/feed.xml").data)
    json.loads(api.client.get("/feed.json").data)
