"""The menus in the header and in the footer of every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from xml.etree.ElementTree import Element

import pytest
from flask.testing import FlaskClient

from blogsvc.errors import Invalid
from blogsvc.models import Post, db
from blogsvc.navigation.menus import save_menus
from blogsvc.posts import authors, editing, publishing, series
from tests.blog.reading import HOSTILE, parse_page, text
from tests.clock import Time

Make = Callable[..., Post]
URL = "https://blog.example"


def save(header: list[tuple[str, str]], footer: list[tuple[str, str]] | None = None) -> None:
    save_menus({"header": items(header), "footer": items(footer or [])}, URL)


def items(pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [{"label": label, "to": to} for label, to in pairs]


def links(client: FlaskClient, path: str = "/", name: str = "Main") -> list[Element]:
    page = parse_page(client.get(path).text)
    return [link for menu in page.iter("nav") if menu.get("aria-label") == name for link in menu.iter("a")]


def shown(client: FlaskClient, path: str = "/", name: str = "Main") -> list[tuple[str, str | None]]:
    return [(text(link), link.get("href")) for link in links(client, path, name)]


def current(client: FlaskClient, path: str) -> list[tuple[str, str | None]]:
    return [(text(link), link.get("aria-current")) for link in links(client, path) if link.get("aria-current")]


def faults(header: list[tuple[str, str]]) -> list[tuple[str, str]]:
    with pytest.raises(Invalid) as error:
        save(header)
    return [(fault.pointer, fault.code) for fault in error.value.faults]


def test_a_blog_without_menus_of_its_own_shows_the_default_ones(client: FlaskClient) -> None:
    assert shown(client) == [("Archive", "/archive"), ("Search", "/search"), ("Subscribe", "/subscribe")]
    assert shown(client, name="More") == [("Tags", "/tags"), ("Atom", "/feed.xml"), ("JSON Feed", "/feed.json")]


def test_items_lead_to_pages_tags_authors_and_addresses(client: FlaskClient, a_post: Make, time: Time) -> None:
    page = a_post(live=True, title="About us", slug="about", kind="page")
    a_post(live=True, tags=["big ships"])
    authors.create({"name": "Ada", "bio": "Sails."}, time())
    save(
        [("About", f"page:{page.id}"), ("Ships", "tag:big ships"), ("Ada", "author:ada"), ("Start", "home")],
        [("Now", f"{URL}/now?x=1"), ("Shop", "https://shop.example/"), ("All", "tags")],
    )
    assert shown(client) == [("About", "/about"), ("Ships", "/tag/big%20ships"), ("Ada", "/author/ada"), ("Start", "/")]
    assert shown(client, name="More") == [("Now", "/now?x=1"), ("Shop", "https://shop.example/"), ("All", "/tags")]


def test_an_empty_menu_is_not_shown(client: FlaskClient) -> None:
    save([])
    assert "<nav" not in client.get("/").text


def test_the_item_of_the_page_is_marked(client: FlaskClient, a_post: Make) -> None:
    page = a_post(live=True, title="About us", slug="about", kind="page", tags=[])
    a_post(live=True, tags=["a/b", "c"])
    save([("About", f"page:{page.id}"), ("Ships", "tag:a/b"), ("Archive", "archive"), ("Start", "home")])
    assert current(client, "/about") == [("About", "page")]
    assert current(client, "/tag/a/b") == [("Ships", "page")]
    assert current(client, "/archive") == [("Archive", "page")]
    assert current(client, "/archive/2026") == [("Archive", "true")]
    assert current(client, "/") == [("Start", "page")]
    assert current(client, "/tag/c") == []
    assert current(client, "/missing") == []


def test_an_item_follows_its_page_at_once(client: FlaskClient, a_post: Make, time: Time) -> None:
    page = a_post(title="About us", slug="about", kind="page")
    save([("About", f"page:{page.id}"), ("Ships", "tag:ships")])
    assert shown(client) == []

    publishing.publish(page, time())
    assert shown(client) == [("About", "/about")]

    editing.edit(page, {"slug": "me", "tags": ["ships"]}, None, time())
    assert shown(client) == [("About", "/about")]  # readers see the change when it is published
    publishing.publish(page, time())
    assert shown(client) == [("About", "/me")]
    a_post(live=True, tags=["ships"])
    assert shown(client)[1:] == [("Ships", "/tag/ships")]

    publishing.unpublish(page, time())
    assert shown(client) == [("Ships", "/tag/ships")]


def test_an_item_waits_until_its_author_has_a_page(client: FlaskClient, a_post: Make, time: Time) -> None:
    authors.create({"name": "Ada"}, time())
    save([("Ada", "author:ada")])
    assert shown(client) == []
    a_post(live=True, authors=["ada"])
    assert shown(client) == [("Ada", "/author/ada")]


def test_an_item_follows_its_author_to_another_slug(client: FlaskClient, time: Time) -> None:
    author = authors.create({"name": "Ada", "bio": "Sails."}, time())
    save([("Ada", "author:ada")])
    authors.change(author, {"slug": "ada-l"})
    assert shown(client) == [("Ada", "/author/ada-l")]
    authors.remove(author)
    assert shown(client) == []
    save([("Archive", "archive"), ("Ada", "author:ada-l")])  # the other items can still be changed


def test_an_item_leads_to_a_series_that_readers_can_see(client: FlaskClient, a_post: Make, time: Time) -> None:
    boats = series.create({"title": "Boats", "slug": "boats"}, time())
    save([("Boats", "series:boats")])
    assert shown(client) == []  # its title may be that of an unpublished draft
    post = a_post(live=True, series="boats")
    assert shown(client) == [("Boats", "/series/boats")]
    assert current(client, "/series/boats") == [("Boats", "page")]

    series.change(boats, {"slug": "ships"})
    assert shown(client) == [("Boats", "/series/ships")]
    publishing.unpublish(post, time())
    assert shown(client) == []
    series.change(boats, {"description": "All about boats."})
    assert shown(client) == [("Boats", "/series/ships")]
    series.remove(boats)
    assert shown(client) == []
    save([("Archive", "archive"), ("Boats", "series:ships")])  # the other items can still be changed


@pytest.mark.parametrize(
    ("label", "to", "wrong"),
    [
        (" ", "home", [("#/header/1/label", "required")]),
        ("x" * 51, "home", [("#/header/1/label", "too_long")]),
        ("a\x00", "home", [("#/header/1/label", "control_character")]),
        ("", "nowhere", [("#/header/1/label", "required"), ("#/header/1/to", "not_a_url")]),
        ("A", "javascript:alert(1)", [("#/header/1/to", "not_a_url")]),
        ("A", "//other.example", [("#/header/1/to", "invalid")]),
        ("A", "/a\\b", [("#/header/1/to", "invalid")]),
        ("A", "/a/../b", [("#/header/1/to", "invalid")]),
        ("A", "", [("#/header/1/to", "required")]),
        ("A", "https://" + "x" * 2000, [("#/header/1/to", "too_long")]),
        ("A", "page:post_none", [("#/header/1/to", "invalid")]),
        ("A", "tag:", [("#/header/1/to", "invalid")]),
        ("A", "author:nobody", [("#/header/1/to", "unknown_author")]),
        ("A", "series:none", [("#/header/1/to", "invalid")]),
    ],
)
def test_a_fault_names_the_item_and_the_field(client: FlaskClient, label: str, to: str, wrong: object) -> None:
    assert faults([("Start", "home"), (label, to)]) == wrong
    assert len(shown(client)) == 3  # nothing was changed


def test_menus_have_a_largest_number_of_items(app: object) -> None:
    assert faults([("Start", "home")] * 9) == [("#/header", "too_many")]
    save([("Start", "home")] * 8, [("Start", "home")] * 24)


def test_labels_are_escaped_and_keep_their_direction(client: FlaskClient) -> None:
    save([(HOSTILE[:50], "/x?a=1&b=2"), ("عن الميناء", "home")])
    assert "<script>" not in client.get("/").text
    assert [label for label, _ in shown(client)] == [" ".join(HOSTILE[:50].split()), "عن الميناء"]
    assert all(link.find("bdi") is not None for link in links(client))
    db.session.rollback()
