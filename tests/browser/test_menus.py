"""The page of the menus, in Chromium: nothing that was typed is lost, and the focus stays."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from blogsvc.navigation.menus import save_menus
from tests.browser.conftest import Desk

MENUS = {
    "header": [{"label": "Archive", "to": "archive"}, {"label": "Search", "to": "search"}],
    "footer": [{"label": "Tags", "to": "tags"}],
}


@pytest.fixture(autouse=True)
def _menus(desk: Desk) -> None:
    with desk.app():
        save_menus(MENUS, desk.url)  # type: ignore[arg-type]


def test_a_button_keeps_what_was_typed_in_every_list(page: Page) -> None:
    page.goto("/desk/settings/menus")
    page.get_by_label("Label for All tags").fill("Subjects")
    page.get_by_label("Label for Search").fill("Find")
    page.get_by_role("button", name="Move “Archive” down").click()
    expect(page.get_by_role("status").filter(has_text="Moved down.")).to_have_count(1)
    expect(page.locator("#list-header").get_by_text("Moved down.")).to_be_in_viewport()
    expect(page.locator("#list-header [name=label]").first).to_have_value("Find")
    expect(page.get_by_label("Label for All tags")).to_have_value("Subjects")
    expect(page.get_by_role("button", name="Move “Archive” up")).to_be_focused()
    page.reload()
    expect(page.get_by_label("Label for Search")).to_have_value("Find")


def test_enter_saves_the_list(page: Page) -> None:
    page.goto("/desk/settings/menus")
    page.get_by_label("Label for Search").fill("Find")
    page.get_by_label("Label for Archive").press("Enter")
    expect(page.get_by_role("status").filter(has_text="Saved.")).to_have_count(1)
    expect(page.get_by_role("button", name="Save the header")).to_be_focused()
    page.reload()
    expect(page.get_by_label("Label for Search")).to_have_value("Find")


def test_enter_in_a_new_link_adds_it(page: Page) -> None:
    page.goto("/desk/settings/menus")
    page.locator("#social-label").fill("Code")
    page.locator("#social-url").fill("https://code.example/ada")
    page.locator("#social-url").press("Enter")
    expect(page.get_by_label("Address 1")).to_have_value("https://code.example/ada")
    expect(page.get_by_label("Label", exact=True)).to_be_focused()
    page.get_by_role("button", name="Remove Code").click()
    expect(page.get_by_label("Address 1")).to_have_count(0)
    expect(page.get_by_label("Label", exact=True)).to_be_focused()


def test_without_javascript_a_button_keeps_what_was_typed_in_its_list(plain_page: Page) -> None:
    plain_page.goto("/desk/settings/menus")
    plain_page.get_by_label("Label for Search").fill("Find")
    plain_page.get_by_label("Another address").first.fill("/about")
    plain_page.get_by_role("button", name="Move “Archive” down").click()
    expect(plain_page.get_by_role("status").filter(has_text="Moved down.")).to_be_visible()
    expect(plain_page.get_by_label("Label for Search")).to_have_value("Find")
    expect(plain_page.locator("#header-url")).to_have_value("/about")
