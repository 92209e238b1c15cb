"""Posts whose address has the letters of their language: URLs are ASCII, and every form of an address leads there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from unicodedata import normalize
from urllib.parse import quote, unquote
from xml.etree import ElementTree

import feedparser
import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from blogsvc.models import PageView, Post, Setting, db, transaction
from blogsvc.posts import autosave, editing, publishing
from tests.api_client import Api
from tests.blog.reading import CHROME, attributes, parse_page
from tests.clock import Time

Make = Callable[..., Post]
HOME = "https://blog.example"
TITLES = {"مرحبا بالعالم": "مرحبا-بالعالم", "東京タワー": "東京タワー", "नमस्ते": "नमस्ते", "Größe": "größe", "Й": "й"}


@pytest.fixture
def native(app: Flask) -> None:
    with transaction():
        Setting.write("blog_slug_script", "native")


def published(api: Api, title: str) -> dict[str, str]:
    post = api.post("/posts", title=title, content="Words.", language="ru", platforms=["site"]).json
    api.post(f"/posts/{post['id']}/publish")
    found: dict[str, str] = api.get(f"/posts/{post['id']}").json
    return found


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("title", TITLES)
def test_a_post_is_read_at_every_form_of_its_address(api: Api, client: FlaskClient, title: str) -> None:
    post = published(api, title)
    slug = TITLES[title]
    assert post["slug"] == slug
    assert post["url"] == f"{HOME}/{quote(slug)}"
    for address in (f"/{slug}", f"/{quote(slug)}", f"/{quote(slug).lower()}"):
        page = client.get(address)
        assert page.status_code == 200
        tree = parse_page(page.text)
        assert attributes(tree, "link", rel="canonical")[0]["href"] == post["url"]
        assert attributes(tree, "meta", property="og:url")[0]["content"] == post["url"]
        assert attributes(tree, "link", hreflang="ru")[0]["href"] == post["url"]
        urls = re.findall(rf'"({HOME}[^"]*)"', page.text)
        assert all(url.isascii() for url in urls)
    decomposed = normalize("NFD", slug)
    if decomposed != slug:
        moved = client.get(f"/{quote(decomposed)}")
        assert (moved.status_code, moved.location) == (301, f"/{quote(slug)}")


@pytest.mark.usefixtures("native")
def test_a_changed_address_redirects(api: Api, client: FlaskClient) -> None:
    post = published(api, "Привет")
    api.patch(f"/posts/{post['id']}", slug="здравствуй")
    api.post(f"/posts/{post['id']}/publish")
    moved = client.get("/привет")
    assert (moved.status_code, moved.location) == (301, f"/{quote('здравствуй')}")
    assert client.get(moved.location).status_code == 200
    assert client.get(f"/2020/01/{quote('привет')}/").location == moved.location


@pytest.mark.usefixtures("native")
def test_feeds_and_the_sitemap_contain_ascii_urls(api: Api, client: FlaskClient) -> None:
    url = published(api, "مرحبا بالعالم")["url"]
    for feed in ("/feed.xml", "/rss.xml"):
        (entry,) = feedparser.parse(client.get(feed).data).entries
        assert entry.link == url
    (item,) = json.loads(client.get("/feed.json").text)["items"]
    assert item["url"] == url
    places = ElementTree.fromstring(client.get("/sitemap.xml").data).iter()
    found = [place.text for place in places if place.tag.endswith("loc")]
    assert url in found
    assert all(place and place.isascii() for place in found)


@pytest.mark.usefixtures("native")
def test_lists_continue_after_such_a_post(api: Api, client: FlaskClient) -> None:
    for number in range(22):
        published(api, f"Тест {number:02}")
    next_page = re.search(r'rel="next" href="([^"]+)"', client.get("/").text)
    assert next_page is not None
    assert next_page[1].isascii()
    assert unquote(next_page[1]) == "/?before=тест-02"
    rest = client.get(next_page[1]).text
    assert "Тест 01" in rest
    assert "Тест 02" not in rest


def test_a_client_may_choose_such_a_slug_whatever_the_setting(api: Api) -> None:
    assert api.post("/posts", title="Tokyo", slug="東京").json["slug"] == "東京"
    taken = api.post("/posts", title="Tokyo", slug="東京")
    assert taken.json["errors"][0]["code"] == "taken"
    assert api.post("/posts", title="Привет").json["slug"] == "privet"
    assert api.post("/posts", title="東京", language="ja").json["slug"] == "東京-2"
    assert api.post("/posts", title="東京").json["slug"] == "dongjing"


def test_the_slug_of_a_draft_follows_its_language_and_the_setting(a_post: Make, time: Time) -> None:
    post = a_post(title="東京")
    assert post.slug == "dongjing"
    autosave.autosave(post, {"language": "ja"}, None, post.rev, time.passes(minutes=1))
    assert post.slug == "東京"
    autosave.autosave(post, {"title": "Привет"}, None, post.rev, time.passes(minutes=1))
    assert post.slug == "privet"
    with transaction():
        Setting.write("blog_slug_script", "native")
    autosave.autosave(post, {"title": "Привет, мир"}, None, post.rev, time.passes(minutes=1))
    assert post.slug == "привет-мир"


def test_the_views_of_such_a_post_are_counted(client: FlaskClient, a_post: Make, tick: Callable[[], None]) -> None:
    a_post(live=True, slug="привет")
    client.get(f"/{quote('привет')}", headers={"User-Agent": CHROME})
    tick()
    assert db.session.scalar(select(func.count()).select_from(PageView)) == 1


def test_a_republished_post_keeps_its_encoded_address(a_post: Make, time: Time, api: Api) -> None:
    post = a_post(live=True, slug="привет")
    editing.edit(post, {"content": "More."}, None, time.passes(minutes=1))
    publishing.publish(post, time.passes(minutes=1))
    assert api.get(f"/posts/{post.id}").json["url"] == f"{HOME}/{quote('привет')}"
