"""The sitemap: what search engines may find, parsed as they parse it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from flask.testing import FlaskClient

from blogsvc.lib.time import stamp
from blogsvc.models import Author, Post, Series, transaction
from blogsvc.posts import authors, editing, publishing, series
from tests.clock import NOW, Time

Make = Callable[..., Post]
XML = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def addresses(client: FlaskClient) -> dict[str, str | None]:
    """Return the time of the last change of each path."""
    tree = ElementTree.fromstring(client.get("/sitemap.xml").data)
    found = {url.findtext(f"{XML}loc", ""): url.findtext(f"{XML}lastmod") for url in tree.iter(f"{XML}url")}
    assert all(url.startswith("https://blog.example/") for url in found)
    return {url.removeprefix("https://blog.example"): changed_at for url, changed_at in found.items()}


def after(hours: int) -> str:
    return stamp(NOW + timedelta(hours=hours))


@pytest.fixture
def ada(time: Time) -> Author:
    with transaction():
        return Author.of("Ada", time())


@pytest.fixture
def boats(time: Time) -> Series:
    return series.create({"title": "Boats", "slug": "boats"}, time())


def test_it_has_every_post_page_author_series_and_tag(
    client: FlaskClient, a_post: Make, ada: Author, boats: Series
) -> None:
    a_post(live=True, slug="one", authors=["ada"], series="boats", tags=["big ships"])
    a_post(live=True, slug="two")
    a_post(live=True, slug="about", kind="page", tags=["pages only"])
    assert set(addresses(client)) == {
        "/",
        "/tags",
        "/subscribe",
        "/archive/2026",
        "/author/ada",
        "/series/boats",
        "/tag/big%20ships",
        "/one",
        "/two",
        "/about",
    }
    for path in addresses(client):
        assert client.get(path).status_code == 200, path


def test_it_has_nothing_that_strangers_cannot_find(
    client: FlaskClient, a_post: Make, ada: Author, boats: Series, time: Time
) -> None:
    fields = {"authors": ["ada"], "series": "boats", "tags": ["ships"]}
    a_post(slug="unfinished", **fields)
    a_post(live=True, slug="quiet", is_unlisted=True, **fields)
    gone = a_post(live=True, slug="gone", **fields)
    publishing.unpublish(gone, time())
    assert set(addresses(client)) == {"/", "/tags", "/subscribe"}

    authors.change(ada, {"bio": "She writes."})
    series.change(boats, {"description": "All about boats."})
    assert set(addresses(client)) == {"/", "/tags", "/subscribe", "/author/ada", "/series/boats"}


def test_a_list_has_the_time_of_the_last_change_of_its_posts(
    client: FlaskClient, a_post: Make, ada: Author, boats: Series, time: Time
) -> None:
    first = a_post(live=True, slug="first", authors=["ada"], tags=["ships"], series="boats")
    time.passes(hours=1)
    a_post(live=True, slug="second", tags=["ships"])
    hour = after(1)
    assert addresses(client) == {
        "/": hour,
        "/tags": None,
        "/subscribe": None,
        "/archive/2026": hour,
        "/author/ada": after(0),
        "/series/boats": after(0),
        "/tag/ships": hour,
        "/first": after(0),
        "/second": hour,
    }

    time.passes(hours=1)
    editing.edit(first, {"content": "Other words."}, None, time())
    publishing.publish(first, time())
    assert addresses(client)["/author/ada"] == after(2)
