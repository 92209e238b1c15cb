"""The settings page of the menus: each change is one form, without JavaScript."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.models import Post, db
from blogsvc.models.navigation import Place, read_menus
from blogsvc.navigation import menus
from blogsvc.navigation.targets import PAGE_IS_HIDDEN, SERIES_IS_HIDDEN, TAG_IS_UNUSED
from blogsvc.posts import editing, publishing, series
from tests.clock import Time
from tests.web.page_walk import Pages

PAGE = "/desk/settings/menus"
Make = Callable[..., Post]


def send(pages: Pages, place: str = "header", **form: object) -> TestResponse:
    headers = {"X-CSRFToken": pages.token()}
    return pages.client.post(f"{PAGE}/{place}", data=form, headers=headers)


def menu(place: Place = "header") -> list[tuple[str, str]]:
    db.session.rollback()
    return [(item.label, item.to) for item in read_menus()[place]]


def text_of(answer: TestResponse) -> str:
    return html.unescape(answer.text)


def test_an_item_is_added_renamed_moved_and_removed(pages: Pages, client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, title="About us", slug="about", kind="page")
    assert f'<option value="page:{post.id}">About us</option>' in pages.get(PAGE).text

    assert send(pages, do="add", to=f"page:{post.id}").location == f"{PAGE}#header-3"
    assert '<a href="/about"><bdi>About us</bdi></a>' in client.get("/").text
    send(pages, do="rename", number=3, was=f"page:{post.id}", label="About")
    assert '<a href="/about"><bdi>About</bdi></a>' in client.get("/").text
    assert send(pages, do="up", number=3, was=f"page:{post.id}").location == f"{PAGE}#header-2"
    send(pages, do="down", number=0, was="archive")
    assert [label for label, _ in menu()] == ["Search", "Archive", "About", "Subscribe"]
    send(pages, do="remove", number=0, was="search")
    assert [label for label, _ in menu()] == ["Archive", "About", "Subscribe"]
    assert len(menu("footer")) == 3  # the other menu keeps its default


def test_a_series_can_be_chosen(pages: Pages, client: FlaskClient, a_post: Make, time: Time) -> None:
    series.create({"title": "Boats", "slug": "boats"}, time())
    assert '<option value="series:boats">Boats</option>' in pages.get(PAGE).text
    send(pages, do="add", to="series:boats")
    assert menu()[-1] == ("Boats", "series:boats")
    assert SERIES_IS_HIDDEN in text_of(pages.get(PAGE))
    a_post(live=True, series="boats")
    assert SERIES_IS_HIDDEN not in text_of(pages.get(PAGE))
    assert '<a href="/series/boats"><bdi>Boats</bdi></a>' in client.get("/").text


def test_the_ends_of_a_list_are_no_place_to_fall_off(pages: Pages) -> None:
    send(pages, do="up", number=0, was="archive")
    send(pages, do="down", number=2, was="subscribe")
    assert [to for _, to in menu()] == ["archive", "search", "subscribe"]
    buttons = re.findall(r"<button[^>]*disabled[^>]*>", pages.get(PAGE).text)
    assert len(buttons) == 4  # the first and the last of two lists


def test_an_address_can_be_entered(pages: Pages) -> None:
    send(pages, "footer", do="add", url=" https://shop.example/a ", label="Shop")
    assert menu("footer")[-1] == ("Shop", "https://shop.example/a")


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(pages: Pages) -> None:
    answer = send(pages, do="add", url="ftp://x", label="Files")
    assert answer.status_code == 422
    assert 'id="header-url-fault"' in answer.text
    assert 'value="ftp://x"' in answer.text
    assert 'value="Files"' in answer.text

    answer = send(pages, do="rename", number=0, was="archive", label=" ")
    assert answer.status_code == 422
    assert 'id="header-0-fault">Enter a label' in answer.text
    assert [label for label, _ in menu()] == ["Archive", "Search", "Subscribe"]


def test_an_item_needs_one_target(pages: Pages) -> None:
    assert 'id="header-url-fault">' in send(pages, do="add").text
    answer = send(pages, do="add", to="home", url="/about")
    assert "Select a target or enter an address, not both." in answer.text
    assert answer.status_code == 422


def test_a_full_menu_says_so(pages: Pages) -> None:
    for _ in range(5):
        send(pages, do="add", to="home")
    assert "The header can have 8 links." in pages.get(PAGE).text
    assert send(pages, do="add", to="home").status_code == 422
    assert len(menu()) == 8


def test_a_menu_that_somebody_else_has_changed_stays_as_it_is(pages: Pages) -> None:
    send(pages, do="remove", number=0, was="archive")
    answer = send(pages, do="remove", number=0, was="archive")
    assert answer.location == PAGE
    assert "Somebody else has changed this list." in pages.get(PAGE).text
    assert [to for _, to in menu()] == ["search", "subscribe"]


def test_an_item_that_readers_do_not_see_is_marked(pages: Pages, a_post: Make, time: Time) -> None:
    post = a_post(live=True, title="About us", kind="page", tags=["ships"])
    a_post(live=True, tags=["boats"])
    send(pages, do="add", to=f"page:{post.id}")
    send(pages, do="add", to="tag:boats")
    send(pages, do="add", url="tag:ships", label="Ships")
    page = text_of(pages.get(PAGE))
    assert PAGE_IS_HIDDEN not in page
    assert page.count(TAG_IS_UNUSED) == 1  # pages are in no list of a tag
    publishing.unpublish(post, time())
    assert PAGE_IS_HIDDEN in text_of(pages.get(PAGE))


def test_htmx_gets_the_lists_alone_with_the_focus_on_the_pressed_button(pages: Pages) -> None:
    headers = {"X-CSRFToken": pages.token(), "HX-Request": "true", "HX-Request-Type": "partial"}
    answer = pages.client.post(f"{PAGE}/header", data={"do": "down", "number": 0, "was": "archive"}, headers=headers)
    assert "<html" not in answer.text
    assert re.search(r'aria-label="Move “Archive” down"[^>]*autofocus', answer.text)


def test_an_unknown_menu_is_not_found(pages: Pages) -> None:
    assert send(pages, "sidebar", do="add", to="home").status_code == 404


def test_an_item_without_a_label_has_the_title_that_readers_see(a_post: Callable[..., Post], time: Time) -> None:
    page = a_post(True, title="About", kind="page")
    editing.edit(page, {"title": "A secret"}, None, time())
    assert menus.default_label(f"page:{page.id}") == "About"
    assert menus.default_label(f"page:{a_post(title='Draft', kind='page').id}") == "Draft"
