"""What the page of a tag begins with: a title, a description and a cover image."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import feedparser
import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.errors import Invalid, NotFound
from blogsvc.lib import blog_paths
from blogsvc.models import Post, TagPage
from blogsvc.posts import authors, series, tag_pages
from tests.blog.reading import attributes, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]
COVER = "https://a.example/boat.png"


@pytest.mark.parametrize("tag", ["boats", "on/off", "a//b", "..", "⛵", "a b & c"])
def test_the_page_of_a_tag_begins_with_its_title_and_description(client: FlaskClient, a_post: Make, tag: str) -> None:
    a_post(live=True, tags=[tag])
    path = blog_paths.of_tag(tag)
    assert text(next(parse_page(client.get(path).text).iter("h1"))) == tag
    tag_pages.write(tag, {"title": "All <boats>", "description": "Big *ones*.", "cover_image": COVER})

    page = parse_page(client.get(path).text)
    assert text(next(page.iter("h1"))) == "All <boats>"
    assert text(next(page.iter("title"))).startswith("All <boats> · ")
    assert attributes(page, "meta", name="description")[0]["content"] == "Big ones."
    assert attributes(page, "img", src=COVER)
    assert attributes(page, "meta", property="og:image")[0]["content"] == COVER
    assert feedparser.parse(client.get(blog_paths.of_tag_feed(tag)).data).feed.title.startswith("All <boats> · ")

    tag_pages.remove(tag)
    page = parse_page(client.get(path).text)
    assert text(next(page.iter("h1"))) == tag
    assert tag in attributes(page, "meta", name="description")[0]["content"]


def test_every_page_that_is_indexed_has_a_description_of_its_own(client: FlaskClient, a_post: Make, time: Time) -> None:
    series.create({"title": "Boats"}, time())
    authors.create({"name": "Bo"}, time())
    a_post(live=True, slug="a", tags=["boats"], series="boats", authors=["bo"], content="Big *ones*.")
    paths = ["/", "/a", "/tag/boats", "/series/boats", "/author/bo", "/tags", "/archive", "/subscribe"]
    pages = [parse_page(client.get(path).text) for path in paths]
    described = [attributes(page, "meta", name="description")[0]["content"] for page in pages]
    assert len(set(described)) == len(paths)
    assert all(described)


def test_the_list_of_tags_shows_and_sorts_by_titles(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, tags=["a11y", "boats"])
    tag_pages.write("a11y", {"title": "Usable by everybody"})
    page = parse_page(client.get("/tags").text)
    assert [(text(link), link.get("href")) for link in next(page.iter("main")).iter("a")] == [
        ("boats", "/tag/boats"),
        ("Usable by everybody", "/tag/a11y"),
    ]


def test_a_title_makes_no_page_for_a_tag_that_no_reader_sees(client: FlaskClient, a_post: Make) -> None:
    a_post(tags=["drafts"])
    tag_pages.write("drafts", {"title": "Drafts"})
    assert client.get("/tag/drafts").status_code == 404
    assert "Drafts" not in client.get("/tags").text


@pytest.mark.parametrize(
    ("tag", "fields", "pointer"),
    [
        ("", {}, "#/tag"),
        ("x" * 51, {}, "#/tag"),
        ("a", {"title": "x" * 201}, "#/title"),
        ("a", {"description": "x" * 10_001}, "#/description"),
        ("a", {"cover_image": "boat.png"}, "#/cover_image"),
    ],
)
def test_invalid_fields_of_a_tag_page_are_refused(app: Flask, tag: str, fields: dict[str, Any], pointer: str) -> None:
    with pytest.raises(Invalid) as error:
        tag_pages.write(tag, fields)
    assert [fault.pointer for fault in error.value.faults] == [pointer]
    assert TagPage.all() == []


def test_a_tag_page_that_is_not_there_is_not_removed(app: Flask) -> None:
    with pytest.raises(NotFound):
        tag_pages.remove("boats")
