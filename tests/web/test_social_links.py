"""Social links: edited on the settings page, shown in the footer, and checked at the profile."""

from __future__ import annotations

import html
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.connections import disconnect
from blogsvc.context import Tools
from blogsvc.errors import Invalid
from blogsvc.models import Connection, db, transaction
from blogsvc.models.setting import site_changed
from blogsvc.navigation.profiles import check_profile
from blogsvc.navigation.social_links import own_links, save_social_links
from tests.blog.reading import attributes, classed, parse_page
from tests.outside import Outside
from tests.web.list_form import PAGE, ListForm
from tests.web.page_walk import Pages

ADA = "https://mastodon.example/@ada"


def footer(client: FlaskClient) -> list[tuple[str | None, str | None]]:
    menus = [menu for menu in parse_page(client.get("/").text).iter("ul") if menu.get("aria-label") == "Elsewhere"]
    return [(link["href"], link.get("rel")) for menu in menus for link in attributes(menu, "a")]


def link(url: str, label: str = "Elsewhere", is_me: bool = True) -> dict[str, Any]:
    return {"label": label, "url": url, "is_me": is_me}


def connect_mastodon(tools: Tools, url: str = ADA) -> Connection:
    with transaction():
        connection = Connection.add("mastodon", "mastodon", tools.now())
        connection.account_url = url
        db.session.add(connection)
        site_changed()
    return connection


def social(pages: Pages, page: str = "") -> ListForm:
    return ListForm(pages, "social", page)


def add(pages: Pages, label: str, url: str) -> TestResponse:
    return social(pages).type("new_label", label).type("new_url", url).press("add")


def test_a_link_is_added_changed_moved_and_removed(pages: Pages, client: FlaskClient) -> None:
    assert footer(client) == []
    assert add(pages, "Mastodon", ADA).location == f"{PAGE}#social-0"
    add(pages, "Shop", "https://shop.example")
    assert footer(client) == [(ADA, "me"), ("https://shop.example", "me")]
    form = social(pages).type("url", "https://shop.example/new", row=1)
    form.fields.remove(("is_me", "1"))
    assert form.enter().location == PAGE
    assert "Saved." in pages.get(PAGE).text
    social(pages).press("up 1")
    assert footer(client) == [("https://shop.example/new", None), (ADA, "me")]
    before = social(pages)
    before.press("remove 0")
    assert footer(client) == [(ADA, "me")]
    assert "Somebody else has changed this list." in before.press("remove 0").text
    assert footer(client) == [(ADA, "me")]


def test_each_button_saves_what_was_typed_in_all_rows(pages: Pages, client: FlaskClient, outside: Outside) -> None:
    outside.teach("GET", ADA, body=b"")
    add(pages, "Mastodon", ADA)
    add(pages, "Shop", "https://shop.example")
    social(pages).type("url", "https://shop.example/a", row=1).press("check 0")
    assert footer(client)[1][0] == "https://shop.example/a"
    answer = social(pages).type("label", "Store", row=1).type("url", "nowhere", row=0).press("check 1")
    assert answer.status_code == 422
    assert 'id="social-0-fault"' in answer.text
    assert social(pages, answer.text).values("label") == ["Mastodon", "Store"]


@pytest.mark.parametrize(
    ("label", "url", "where"),
    [("", ADA, "social-label-fault"), ("A", "javascript:x", "social-url-fault")],
)
def test_what_is_wrong_is_said_at_its_field(pages: Pages, label: str, url: str, where: str) -> None:
    answer = add(pages, label, url)
    assert answer.status_code == 422
    assert f'id="{where}"' in answer.text
    assert own_links() == []


def test_a_fault_names_the_link_and_the_field(client: FlaskClient) -> None:
    with pytest.raises(Invalid) as error:
        save_social_links([link(ADA), link("ftp://x", label="x" * 51)])
    assert [(fault.pointer, fault.code) for fault in error.value.faults] == [
        ("#/1/label", "too_long"),
        ("#/1/url", "not_a_url"),
    ]
    with pytest.raises(Invalid, match="at most 20"):
        save_social_links([link(ADA)] * 21)


def test_connected_mastodon_accounts_are_added_by_themselves(client: FlaskClient, tools: Tools, pages: Pages) -> None:
    save_social_links([link("https://shop.example", is_me=False)])
    connection = connect_mastodon(tools)
    assert footer(client) == [("https://shop.example", None), (ADA, "me")]
    assert "Connected Mastodon accounts are added by themselves" in pages.get(PAGE).text

    save_social_links([link(f"{ADA}/", is_me=False)])  # as the owner wants it
    assert footer(client) == [(f"{ADA}/", None)]

    save_social_links([])
    disconnect.disconnect(db.session.merge(connection), tools.now())
    assert footer(client) == []


@pytest.mark.parametrize(
    ("page", "verdict"),
    [
        ('<a href="https://blog.example/" rel="nofollow me noopener">b</a>', "verified"),
        ('<link rel="ME" href="https://blog.example">', "verified"),
        ('<a href="http://www.blog.example/about">b</a>', "linked"),
        ('<link rel="preconnect" href="https://blog.example">', "missing"),
        ('<a href="https://blog.example.evil/" rel="me">b</a>', "missing"),
        ('<a href="http://[" rel="me">b</a><a rel="me">c</a>', "missing"),
        ("", "missing"),
    ],
)
def test_a_check_tells_how_the_profile_links_back(
    client: FlaskClient, tools: Tools, outside: Outside, page: str, verdict: str
) -> None:
    outside.teach("GET", ADA, body=f"<!doctype html><title>Ada</title>{page}".encode())
    assert check_profile(ADA, tools).verdict == verdict


def test_a_check_follows_redirects_and_reports_failures(client: FlaskClient, tools: Tools, outside: Outside) -> None:
    outside.teach("GET", "https://old.example/ada", status=301, headers={"Location": ADA})
    outside.teach("GET", ADA, body=b'<a href="https://blog.example" rel="me">b</a>')
    assert check_profile("https://old.example/ada", tools).verdict == "verified"

    outside.teach("GET", "https://gone.example/", status=404)
    assert "returned the status 404" in check_profile("https://gone.example/", tools).detail
    outside.teach("GET", "https://slow.example/", failure="hangs")
    assert check_profile("https://slow.example/", tools).verdict == "unreachable"
    outside.names["inside.example"] = ["10.0.0.1"]
    assert "its address is not public" in check_profile("https://inside.example/", tools).detail
    with pytest.raises(Invalid):
        check_profile("file:///etc/passwd", tools)


def test_the_button_check_shows_the_result_on_the_page(
    pages: Pages, tools: Tools, outside: Outside, client: FlaskClient
) -> None:
    save_social_links([link("https://shop.example/")])
    connect_mastodon(tools)
    outside.teach("GET", "https://shop.example/", body=b"")
    outside.teach("GET", ADA, body=b'<a href="https://blog.example" rel="me">b</a>')
    answer = social(pages).press("check 0")
    assert "This profile doesn't link to https://blog.example." in html.unescape(answer.text)
    answer = social(pages).press("account 0")
    assert 'links back to the blog with rel="me"' in html.unescape(answer.text)
    assert classed(parse_page(client.get("/").text), "site")
