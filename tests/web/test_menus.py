"""The settings page of the menus: each menu is one form, without JavaScript."""

from __future__ import annotations

import html
import re
from collections.abc import Callable

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from blogsvc.models import Post, db
from blogsvc.models.navigation import Place, read_menus
from blogsvc.navigation import menus
from blogsvc.navigation.targets import PAGE_IS_HIDDEN, SERIES_IS_HIDDEN, TAG_IS_UNUSED
from blogsvc.posts import editing, publishing, series
from tests.clock import Time
from tests.web.list_form import PAGE, ListForm
from tests.web.page_walk import Pages

Make = Callable[..., Post]


def send(pages: Pages, button: str, place: str = "header", **typed: str) -> TestResponse:
    """Press a button of a menu, with what is typed for a new link."""
    form = ListForm(pages, place)
    for name, value in typed.items():
        form.type(f"new_{name}", value)
    return form.press(button)


def menu(place: Place = "header") -> list[tuple[str, str]]:
    db.session.rollback()
    return [(item.label, item.to) for item in read_menus()[place]]


def text_of(answer: TestResponse) -> str:
    return html.unescape(answer.text)


def test_an_item_is_added_renamed_moved_and_removed(pages: Pages, client: FlaskClient, a_post: Make) -> None:
    post = a_post(live=True, title="About us", slug="about", kind="page")
    assert f'<option value="page:{post.id}">About us</option>' in pages.get(PAGE).text

    assert send(pages, "add", to=f"page:{post.id}").location == f"{PAGE}#header-3"
    assert '<a href="/about"><bdi>About us</bdi></a>' in client.get("/").text
    ListForm(pages, "header").type("label", "About", row=3).enter()
    assert '<a href="/about"><bdi>About</bdi></a>' in client.get("/").text
    assert send(pages, "up 3").location == f"{PAGE}#header-2"
    assert "Moved up." in pages.get(PAGE).text
    send(pages, "down 0")
    assert [label for label, _ in menu()] == ["Search", "Archive", "About", "Subscribe"]
    send(pages, "remove 0")
    assert "Removed." in pages.get(PAGE).text
    assert [label for label, _ in menu()] == ["Archive", "About", "Subscribe"]
    assert len(menu("footer")) == 3  # the other menu keeps its default


def test_a_series_can_be_chosen(pages: Pages, client: FlaskClient, a_post: Make, time: Time) -> None:
    series.create({"title": "Boats", "slug": "boats"}, time())
    assert '<option value="series:boats">Boats</option>' in pages.get(PAGE).text
    send(pages, "add", to="series:boats")
    assert menu()[-1] == ("Boats", "series:boats")
    assert SERIES_IS_HIDDEN in text_of(pages.get(PAGE))
    a_post(live=True, series="boats")
    assert SERIES_IS_HIDDEN not in text_of(pages.get(PAGE))
    assert '<a href="/series/boats"><bdi>Boats</bdi></a>' in client.get("/").text


def test_the_ends_of_a_list_are_no_place_to_fall_off(pages: Pages) -> None:
    form = ListForm(pages, "header")
    assert not {"up 0", "down 2"} & set(form.buttons())
    form.form.find(".//button[@value='up 0']").attrib.pop("disabled")  # type: ignore[union-attr]
    form.press("up 0")
    assert [to for _, to in menu()] == ["archive", "search", "subscribe"]


def test_an_address_can_be_entered(pages: Pages) -> None:
    send(pages, "add", "footer", url=" https://shop.example/a ", label="Shop")
    assert menu("footer")[-1] == ("Shop", "https://shop.example/a")


def test_what_is_wrong_is_said_at_its_field_and_nothing_is_lost(pages: Pages) -> None:
    answer = send(pages, "add", url="ftp://x", label="Files")
    assert answer.status_code == 422
    assert 'id="header-url-fault"' in answer.text
    assert 'value="ftp://x"' in answer.text
    assert 'value="Files"' in answer.text


@pytest.mark.parametrize("button", ["up 2", "down 0", "remove 2", "save"])
def test_each_button_saves_what_was_typed_in_all_rows(pages: Pages, button: str) -> None:
    ListForm(pages, "header").type("label", "Older", row=0).type("label", "Find", row=1).press(button)
    assert {("Older", "archive"), ("Find", "search")} <= set(menu())


def test_what_was_typed_for_a_new_link_outlives_other_buttons_and_is_saved_with_the_rows(pages: Pages) -> None:
    answer = ListForm(pages, "header").type("new_url", "/a").type("new_label", "A").press("up 1")
    assert [to for _, to in menu()] == ["search", "archive", "subscribe"]
    form = ListForm(pages, "header", answer.text)
    assert form.values("new_url") == ["/a"]
    form.enter()
    assert menu()[-1] == ("A", "/a")
    assert ListForm(pages, "header").values("new_url") == [""]


def test_a_wrong_label_is_said_in_its_row_and_nothing_typed_is_lost(pages: Pages) -> None:
    typed = ListForm(pages, "header").type("label", " ", row=0).type("label", "Find", row=1).type("new_label", "New")
    answer = typed.press("up 2")
    assert answer.status_code == 422
    assert 'id="header-0-fault">Enter a label' in answer.text
    form = ListForm(pages, "header", answer.text)
    assert form.values("label")[1:] == ["Find", "Subscribe"]
    assert form.values("new_label") == ["New"]
    assert [label for label, _ in menu()] == ["Archive", "Search", "Subscribe"]

    form.press("remove 0")  # a row that goes may be wrong
    assert [label for label, _ in menu()] == ["Find", "Subscribe"]


@pytest.mark.parametrize(
    ("url", "label"), [("https://shop.example/new", "shop.example"), ("/about/us", "about/us"), ("archive", "Archive")]
)
def test_an_address_without_a_label_is_its_own(pages: Pages, url: str, label: str) -> None:
    send(pages, "add", "footer", url=url)
    assert menu("footer")[-1] == (label, url)


def test_an_item_needs_one_target(pages: Pages) -> None:
    assert 'id="header-url-fault">' in send(pages, "add").text
    answer = send(pages, "add", to="home", url="/about")
    assert "Select a target or enter an address, not both." in answer.text
    assert answer.status_code == 422


def test_a_full_menu_says_so(pages: Pages) -> None:
    for _ in range(4):
        send(pages, "add", to="home")
    last, late = ListForm(pages, "header").type("new_to", "home"), ListForm(pages, "header")
    last.press("add")
    assert "The header can have 8 links." in pages.get(PAGE).text
    late.fields = [*ListForm(pages, "header").fields, ("new_to", "home")]
    answer = late.press("add")
    assert answer.status_code == 422
    assert "at most 8 items" in answer.text
    assert len(menu()) == 8


def test_a_menu_that_somebody_else_has_changed_stays_as_it_is_with_what_was_typed(pages: Pages) -> None:
    mine = ListForm(pages, "header").type("label", "Find", row=1).type("label", "Mail", row=2)
    ListForm(pages, "header").type("label", "News", row=2).press("remove 0")
    answer = mine.press("save")
    assert answer.status_code == 409
    assert "Somebody else has changed this list." in answer.text
    assert menu() == [("Search", "search"), ("News", "subscribe")]
    again = ListForm(pages, "header", answer.text)
    assert again.values("label") == ["Find", "News"]
    again.enter()
    assert menu() == [("Find", "search"), ("News", "subscribe")]


def test_an_item_that_readers_do_not_see_is_marked(pages: Pages, a_post: Make, time: Time) -> None:
    post = a_post(live=True, title="About us", kind="page", tags=["ships"])
    a_post(live=True, tags=["boats"])
    send(pages, "add", to=f"page:{post.id}")
    send(pages, "add", to="tag:boats")
    send(pages, "add", url="tag:ships", label="Ships")
    page = text_of(pages.get(PAGE))
    assert PAGE_IS_HIDDEN not in page
    assert page.count(TAG_IS_UNUSED) == 1  # pages are in no list of a tag
    publishing.unpublish(post, time())
    assert PAGE_IS_HIDDEN in text_of(pages.get(PAGE))


def test_htmx_gets_the_list_alone_with_the_focus_on_the_pressed_button(pages: Pages) -> None:
    answer = ListForm(pages, "header").press("down 0", {"HX-Request": "true", "HX-Request-Type": "partial"})
    assert "<html" not in answer.text
    assert 'id="list-footer"' not in answer.text
    assert re.search(r'aria-label="Move “Archive” down"[^>]*autofocus', answer.text)
    assert "Moved down." in answer.text.partition('<hx-partial hx-target="#list-said"')[2]


def test_an_unknown_menu_is_not_found(pages: Pages) -> None:
    assert pages.post(f"{PAGE}/sidebar", do="add", new_to="home").status_code == 404


@pytest.mark.parametrize("button", ["rename 0", "up 9", "up", "remove -1"])
def test_an_unknown_button_or_row_is_not_found(pages: Pages, button: str) -> None:
    form = ListForm(pages, "header")
    form.form.find(".//button[@value='save']").set("value", button)  # type: ignore[union-attr]
    assert form.press(button).status_code == 404
    assert len(menu()) == 3


def test_an_item_without_a_label_has_the_title_that_readers_see(a_post: Callable[..., Post], time: Time) -> None:
    page = a_post(True, title="About", kind="page")
    editing.edit(page, {"title": "A secret"}, None, time())
    assert menus.default_label(f"page:{page.id}") == "About"
    assert menus.default_label(f"page:{a_post(title='Draft', kind='page').id}") == "Draft"
