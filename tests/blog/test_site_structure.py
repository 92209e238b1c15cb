"""Pages, pinned posts and unlisted posts on the blog."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from tests.blog.reading import attributes, classed, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]
LISTS = ("/", "/archive", "/tag/harbour", "/feed.xml", "/feed.json", "/rss.xml")


def titles(client: FlaskClient, path: str = "/") -> list[str]:
    entries = classed(parse_page(client.get(path).text), "entry")
    return [text(classed(entry, "p-name")[0]) for entry in entries]


def linked_data(client: FlaskClient, path: str) -> dict[str, object]:
    (script,) = parse_page(client.get(path).text).iter("script")
    data: dict[str, object] = json.loads(script.text or "")
    return data


def test_a_page_has_its_address_but_is_in_no_list_and_no_feed(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="A harbour", tags=["harbour"])
    a_post(live=True, title="About us", slug="about", kind="page", tags=["harbour"])

    assert "About us" in client.get("/about").text
    assert not any("About us" in client.get(path).text for path in LISTS)
    assert "/about</loc>" in client.get("/sitemap.xml").text


def test_a_page_has_no_date_no_author_and_no_neighbours(client: FlaskClient, a_post: Make, time: Time) -> None:
    a_post(live=True, title="Before", tags=["harbour"])
    time.passes(minutes=1)
    a_post(live=True, title="About us", slug="about", kind="page", tags=["harbour"])
    time.passes(minutes=1)
    a_post(live=True, title="After", slug="after", tags=["harbour"])

    page = parse_page(client.get("/about").text)
    assert not any((*classed(page, "byline"), *classed(page, "turn"), *page.iter("time"), *page.iter("aside")))
    assert attributes(page, "meta", property="og:type")[0]["content"] == "website"
    assert linked_data(client, "/about")["@type"] == "WebPage"
    after = parse_page(client.get("/after").text)
    assert [text(link) for turn in classed(after, "turn") for link in turn.iter("a")] == ["Older Before"]
    assert "About us" not in client.get("/after").text


def test_a_post_that_becomes_a_page_keeps_its_address(client: FlaskClient, a_post: Make, time: Time) -> None:
    post = a_post(live=True, title="About us", slug="about")
    editing.edit(post, {"kind": "page"}, None, time())
    assert titles(client) == ["About us"]  # readers see the change when it is published

    publishing.publish(post, time())
    assert titles(client) == []
    assert "About us" in client.get("/about").text


def test_a_new_page_goes_only_to_the_blog_unless_its_author_chooses_more(
    a_post: Make, connect: Callable[..., str], time: Time
) -> None:
    connect("hook")
    editing.choose_default_platforms(["site", "hook"])

    assert a_post(kind="page").platforms == ["site"]
    assert a_post(kind="page", platforms=["site", "hook"]).platforms == ["site", "hook"]
    draft = a_post()
    assert editing.edit(draft, {"kind": "page"}, None, time()).platforms == ["site"]
    assert editing.edit(draft, {"kind": "post"}, None, time()).platforms == ["site", "hook"]
    chosen = a_post(platforms=["hook"])
    assert editing.edit(chosen, {"kind": "page"}, None, time()).platforms == ["hook"]


def test_an_unlisted_post_is_found_only_by_its_address(client: FlaskClient, a_post: Make, time: Time) -> None:
    a_post(live=True, title="A harbour", slug="harbour", tags=["harbour"])
    time.passes(minutes=1)
    a_post(live=True, title="Between us", slug="between", is_unlisted=True, is_pinned=True, tags=["harbour"])

    page = parse_page(client.get("/between").text)
    assert attributes(page, "meta", name="robots")[0]["content"] == "noindex"
    assert not any((*classed(page, "turn"), *page.iter("aside")))
    assert not any("etween" in client.get(path).text for path in (*LISTS, "/harbour", "/sitemap.xml"))


def test_a_tag_of_unlisted_posts_has_no_page(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, is_unlisted=True, tags=["quiet"])
    assert client.get("/tag/quiet").status_code == 404


def test_pinned_posts_are_on_top_of_the_home_page_once(client: FlaskClient, a_post: Make, time: Time) -> None:
    for number in range(24):
        a_post(live=True, title=f"Post {number}", is_pinned=number in (0, 1, 2, 3))
        time.passes(minutes=1)

    first = titles(client)
    assert first == ["Post 3", "Post 2", "Post 1", *(f"Post {number}" for number in range(23, 3, -1))]
    (older,) = attributes(parse_page(client.get("/").text), "a", rel="next")
    assert titles(client, older["href"]) == ["Post 0"]  # only three are pinned; the fourth is in its place by date
    (newer,) = attributes(parse_page(client.get(older["href"]).text), "a", rel="prev")
    assert newer["href"] == "/"


def test_a_post_is_pinned_and_unpinned_when_that_is_published(client: FlaskClient, a_post: Make, time: Time) -> None:
    old = a_post(live=True, title="Old")
    time.passes(minutes=1)
    a_post(live=True, title="New")
    editing.edit(old, {"is_pinned": True}, None, time())
    assert titles(client) == ["New", "Old"]
    publishing.publish(old, time())
    assert titles(client) == ["Old", "New"]
    editing.edit(old, {"is_pinned": False}, None, time())
    publishing.publish(old, time())
    assert titles(client) == ["New", "Old"]


def test_the_title_for_search_engines_is_that_of_the_browser_tab(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="Gold", slug="gold", meta_title="Gold prices in 2026 <explained>")
    page = parse_page(client.get("/gold").text)
    (title,) = page.iter("title")
    assert text(title) == "Gold prices in 2026 <explained>"
    assert text(next(page.iter("h1"))) == "Gold"


@pytest.mark.parametrize(
    ("caption", "shown", "links"),
    [
        ("Photo: [Ada *Lovelace*](https://ada.example)", "Photo: Ada Lovelace", ["https://ada.example"]),
        ("By `Ada` <script>alert(1)</script>", "By Ada", []),
        ("# A heading", "A heading", []),
        ("![A dot](https://a.example/dot.png) and words", "and words", []),
    ],
)
def test_the_caption_of_a_cover_is_shown_below_it(
    client: FlaskClient, a_post: Make, caption: str, shown: str, links: list[str]
) -> None:
    a_post(live=True, slug="a", cover_image="https://a.example/a.png", cover_alt="A", cover_caption=caption)
    page = parse_page(client.get("/a").text)
    (figure,) = classed(page, "cover")
    (image,) = figure.iter("img")
    (below,) = figure.iter("figcaption")
    assert (image.get("alt"), text(below)) == ("A", shown)
    assert [link.get("href") for link in below.iter("a")] == links
    assert not list(below.iter("script"))


def test_a_page_links_to_no_tag_page_that_does_not_exist(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="about", kind="page", tags=["harbour"])
    a_post(live=True, slug="quiet", is_unlisted=True, tags=["harbour"])
    for path in ("/about", "/quiet"):
        assert not classed(parse_page(client.get(path).text), "tags")
