"""The page for readers who want to subscribe."""

from __future__ import annotations

from collections.abc import Callable

import feedparser
import pytest
from flask.testing import FlaskClient

from blogsvc.errors import Invalid
from blogsvc.models import Post, Setting, transaction
from blogsvc.models.setting import site_changed
from blogsvc.navigation.menus import save_menus
from blogsvc.posts import editing, series
from tests.blog.reading import attributes, classed, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]


@pytest.mark.parametrize("path", ["/subscribe/", "/tags/", "/search/"])
def test_a_slash_at_the_end_leads_to_the_page(client: FlaskClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.location) == (301, path.rstrip("/"))


def test_the_page_has_the_addresses_of_the_feeds(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, title="Ink")
    page = parse_page(client.get("/subscribe").text)
    addresses = [text(element) for element in classed(page, "address")]
    assert addresses == [f"https://blog.example/{name}" for name in ("feed.xml", "feed.json", "rss.xml")]
    for url in addresses:
        path = url.removeprefix("https://blog.example")
        assert "Ink" in client.get(path).text
        (link,) = attributes(next(page.iter("main")), "a", href=path)
        assert link["type"] == client.get(path).mimetype
    assert feedparser.parse(client.get("/rss.xml").data).version == "rss20"


def test_the_page_is_stored_until_the_blog_changes(client: FlaskClient) -> None:
    first = client.get("/subscribe")
    assert client.get("/subscribe", headers={"If-None-Match": first.headers["ETag"]}).status_code == 304
    with transaction():
        Setting.write("blog_title", "Ink")
        site_changed()
    again = client.get("/subscribe", headers={"If-None-Match": first.headers["ETag"]})
    assert "<title>Subscribe · Ink</title>" in again.text


def test_a_menu_leads_to_the_page(client: FlaskClient) -> None:
    save_menus({"header": [{"label": "Follow", "to": "subscribe"}], "footer": []}, "https://blog.example")
    assert '<a href="/subscribe"><bdi>Follow</bdi></a>' in client.get("/").text
    assert '<a href="/subscribe" aria-current="page"><bdi>Follow</bdi></a>' in client.get("/subscribe").text


def test_no_post_takes_the_address_of_the_page(a_post: Make, time: Time) -> None:
    assert a_post(title="Subscribe").slug == "subscribe-2"
    with pytest.raises(Invalid, match="already in use"):
        editing.create({"title": "A post", "slug": "subscribe"}, None, time())


def test_pages_of_tags_and_series_link_to_their_feeds(client: FlaskClient, a_post: Make, time: Time) -> None:
    series.create({"title": "Boats", "slug": "boats"}, time())
    a_post(live=True, tags=["ships"], series="boats")
    for path in ("/tag/ships", "/series/boats"):
        (link,) = attributes(next(parse_page(client.get(path).text).iter("main")), "a", href=f"/feed{path}")
        assert not feedparser.parse(client.get(link["href"]).data).bozo
