"""The command palette and keyboard shortcuts in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from blogsvc.posts import editing
from tests.browser.conftest import Desk


def open_palette(page: Page) -> None:
    page.wait_for_load_state()  # until the scripts have run, nothing listens to the key
    # Until htmx has started, it opens a page with the commands.
    expect(page.locator("[data-palette]")).to_have_attribute("data-htmx-powered", "true")
    page.keyboard.press("Control+/")
    expect(page.get_by_role("searchbox", name="Search commands")).to_be_focused()


def test_the_command_palette_opens_pages_with_the_keyboard(page: Page, look: Callable[..., None]) -> None:
    page.goto("/desk")
    open_palette(page)
    look(page, "commands-open")
    page.keyboard.type("analy")
    expect(page.get_by_role("dialog").get_by_role("link")).to_have_count(1)
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("dialog").get_by_role("link", name="Analytics")).to_be_focused()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Analytics · Ink and paper")


def test_the_palette_keeps_its_place_and_marks_what_enter_takes(page: Page) -> None:
    page.goto("/desk")
    page.keyboard.press("Control+/")
    palette = page.locator("#palette")
    commands = palette.locator("[data-command]")
    expect(commands.first).to_be_visible()
    before = palette.bounding_box()
    page.keyboard.type("calendar")
    expect(commands.first).to_contain_text("Calendar")
    expect(commands).to_have_count(1)
    after = palette.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(before["y"] - after["y"]) < 8  # it may still be opening
    expect(commands.first).not_to_have_css("background-color", "rgba(0, 0, 0, 0)")
    page.keyboard.press("Enter")
    page.wait_for_url("**/desk/calendar")


def test_n_begins_a_post_also_on_a_page_without_the_button(page: Page, desk: Desk) -> None:
    page.goto("/desk/settings/destinations/new/mastodon")
    page.get_by_role("heading", name="Connect Mastodon").click()
    page.keyboard.press("n")
    page.wait_for_url("**/desk/posts/post_*")
    expect(page.get_by_label("Title")).to_be_focused()


def test_enter_waits_for_the_results_of_the_current_query(page: Page) -> None:
    page.goto("/desk")
    open_palette(page)
    page.keyboard.insert_text("analy")
    page.keyboard.press("Enter")
    expect(page).to_have_title("Analytics · Ink and paper")


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


@pytest.fixture
def editor(page: Page, desk: Desk) -> Page:
    """The editor with "One. Two." and the caret between the two."""
    with desk.app() as (_, tools):
        post = editing.create({"title": "A ferry", "content": "One. Two."}, None, tools.now())
    page.goto(f"/desk/posts/{post.id}")
    page.get_by_label("Text, in Markdown").focus()
    page.locator("#write[data-ready]").wait_for()
    put_caret(page, 4)
    return page


def put_caret(page: Page, index: int) -> None:
    page.get_by_label("Text, in Markdown").evaluate("(area, at) => area.setSelectionRange(at, at)", index)


def carry_out(page: Page, words: str) -> None:
    open_palette(page)
    page.keyboard.insert_text(words)
    page.keyboard.press("Enter")
    expect(page.locator("#palette[open]")).to_have_count(0)


def test_the_text_keeps_its_caret_and_takes_what_a_command_inserts(editor: Page, look: Callable[..., None]) -> None:
    text = editor.get_by_label("Text, in Markdown")
    open_palette(editor)
    editor.keyboard.press("Escape")
    expect(text).to_be_focused()
    editor.keyboard.type("!")
    expect(text).to_have_value("One.! Two.")
    carry_out(editor, "footn")
    editor.keyboard.type("Note.")
    expect(text).to_have_value("One.![^1] Two.\n\n[^1]: Note.")
    put_caret(editor, 0)
    carry_out(editor, "divider")
    expect(text).to_have_value("---\nOne.![^1] Two.\n\n[^1]: Note.")
    open_palette(editor)
    look(editor, "commands-in-the-editor")


def test_commands_use_the_dialogs_of_the_open_page(editor: Page) -> None:
    carry_out(editor, "publish")
    expect(editor.get_by_role("dialog").get_by_role("heading", name="Publish")).to_be_visible()
    editor.keyboard.press("Escape")
    expect(editor.get_by_label("Text, in Markdown")).to_be_focused()
    carry_out(editor, "details")
    expect(editor.get_by_role("dialog").get_by_label("Address", exact=True)).to_be_visible()
    editor.keyboard.press("Escape")
    carry_out(editor, "focus")
    expect(editor.get_by_role("button", name="Exit focus mode")).to_be_visible()
    carry_out(editor, "focus")
    carry_out(editor, "theme dark")
    expect(editor.locator("html")).to_have_attribute("data-scheme", "dark")
    editor.get_by_label("Text, in Markdown").focus()
    editor.keyboard.type("New: ")
    carry_out(editor, "duplicate")
    editor.get_by_text("created as a draft").wait_for()
    expect(editor.get_by_label("Text, in Markdown")).to_have_value("One.New:  Two.")
    expect(editor.locator("html")).to_have_attribute("data-scheme", "dark")
    carry_out(editor, "theme system")
    expect(editor.locator("html")).not_to_have_attribute("data-scheme", "dark")


def test_ctrl_k_is_a_link_in_the_text_and_the_palette_elsewhere(editor: Page) -> None:
    text = editor.get_by_label("Text, in Markdown")
    editor.keyboard.press("Control+k")
    expect(text).to_have_value("One.[]() Two.")
    editor.get_by_label("Title").focus()
    editor.keyboard.press("Control+k")
    expect(editor.get_by_role("searchbox", name="Search commands")).to_be_focused()
    editor.keyboard.press("Control+k")
    expect(editor.get_by_label("Title")).to_be_focused()


def test_the_question_mark_shows_the_shortcuts(page: Page, look: Callable[..., None]) -> None:
    page.goto("/desk")
    expect(page.locator("[data-palette]")).to_have_attribute("data-htmx-powered", "true")
    page.get_by_role("button", name="New post").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog").get_by_role("heading", name="Keyboard shortcuts")).to_be_visible()
    look(page, "shortcuts-open")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="New post")).to_be_focused()
    page.goto("/desk/commands?show=keys")
    look(page, "shortcuts")


@pytest.mark.parametrize(("keys", "path"), [("gc", "/desk/calendar"), ("ga", "/desk/analytics"), ("gd", "/desk")])
def test_two_keys_open_a_page(keys: str, path: str, page: Page) -> None:
    page.goto("/desk/commands")
    page.get_by_role("heading", name="Commands").click()
    for key in keys:
        page.keyboard.press(key)
    page.wait_for_url(f"**{path}")


def test_the_command_palette_is_a_page_without_javascript(plain_page: Page) -> None:
    plain_page.goto("/desk/commands")
    plain_page.get_by_role("searchbox").fill("analy")
    plain_page.keyboard.press("Enter")
    expect(plain_page.get_by_role("main").get_by_role("link")).to_have_count(1)
