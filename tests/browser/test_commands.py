"""The command palette and keyboard shortcuts in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from blogsvc.posts import editing
from tests.browser.conftest import Desk


def open_palette(page: Page) -> None:
    # Until htmx has started, the key opens a page with the commands.
    expect(page.locator("[data-palette]")).to_have_attribute("data-htmx-powered", "true")
    page.keyboard.press("Control+/")
    expect(page.get_by_role("searchbox", name="Go to")).to_be_focused()


def test_the_command_palette_opens_pages_with_the_keyboard(page: Page, look: Callable[..., None]) -> None:
    page.goto("/desk")
    open_palette(page)
    look(page, "commands-open")
    page.keyboard.type("insi")
    expect(page.get_by_role("dialog").get_by_role("link")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("dialog").get_by_role("link", name="Insights")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Insights · Ink and paper")


def test_enter_waits_for_the_results_of_the_current_query(page: Page) -> None:
    page.goto("/desk")
    open_palette(page)
    page.keyboard.insert_text("insi")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Insights · Ink and paper")


def test_the_command_palette_finds_posts_by_their_text(page: Page, desk: Desk) -> None:
    with desk.app() as (_, tools):
        editing.create({"title": "A ferry in the fog", "content": "Of harbours."}, None, tools.now())
    page.goto("/desk")
    open_palette(page)
    page.keyboard.type("harbours")
    page.get_by_role("dialog").get_by_role("link", name="A ferry in the fog").click()
    expect(page.get_by_label("Text, in Markdown")).to_have_value("Of harbours.")


def test_escape_closes_the_command_palette_and_restores_the_focus(page: Page) -> None:
    page.goto("/desk")
    button = page.get_by_role("button", name="New post")
    button.focus()
    open_palette(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(button).to_be_focused()


@pytest.mark.parametrize(("keys", "path"), [("gc", "/desk/calendar"), ("gi", "/desk/insights"), ("gd", "/desk")])
def test_two_keys_open_a_page(keys: str, path: str, page: Page) -> None:
    page.goto("/desk/commands")
    page.get_by_role("heading", name="Commands").click()
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(f"**{path}")


def test_the_command_palette_is_a_page_without_javascript(plain_page: Page) -> None:
    plain_page.goto("/desk/commands")
    plain_page.get_by_role("searchbox").fill("insi")
    plain_page.keyboard.press("Enter")
    expect(plain_page.get_by_role("main").get_by_role("link")).to_have_count(1)
