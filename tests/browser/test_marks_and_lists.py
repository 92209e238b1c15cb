"""Marks, lists and code at the keyboard: what a writer types next is where it belongs, and every key can be undone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from blogsvc.posts import editing
from tests.browser.conftest import Desk


@pytest.fixture
def text(desk: Desk, page: Page) -> Locator:
    """Return the empty text of a new draft that has the caret."""
    with desk.app() as (_, tools):
        post = editing.create({"title": "At the keyboard"}, None, tools.now())
    page.goto(f"/desk/posts/{post.id}")
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    return text


@pytest.mark.parametrize(
    ("key", "written"),
    [("b", "a **bold** word"), ("i", "a *bold* word"), ("e", "a `bold` word")],
    ids=["bold", "italic", "code"],
)
def test_the_key_that_begins_a_mark_leaves_it(page: Page, text: Locator, key: str, written: str) -> None:
    page.keyboard.type("a ")
    page.keyboard.press(f"Control+{key}")
    page.keyboard.type("bold")
    page.keyboard.press(f"Control+{key}")
    page.keyboard.type(" word")
    expect(text).to_have_value(written)


def test_a_space_typed_too_early_stays_outside_of_the_mark(page: Page, text: Locator) -> None:
    page.keyboard.press("Control+b")
    page.keyboard.type("bold ")
    page.keyboard.press("Control+b")
    page.keyboard.type("and more")
    expect(text).to_have_value("**bold** and more")


def test_the_word_around_the_caret_is_marked_and_the_caret_stays_in_its_place(page: Page, text: Locator) -> None:
    page.keyboard.type("a word")
    for _ in "rd":
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+b")
    expect(text).to_have_value("a **word**")
    page.keyboard.type("|")
    expect(text).to_have_value("a **wo|rd**")
    page.keyboard.press("Backspace")
    page.keyboard.press("Control+b")
    expect(text).to_have_value("a word")
    page.keyboard.press("Control+z")
    expect(text).to_have_value("a **word**")


def test_lists_and_quotations_continue_and_end(page: Page, text: Locator) -> None:
    page.keyboard.type("- one\ntwo\n\nafter\n")
    expect(text).to_have_value("- one\n- two\n\nafter\n")
    text.fill("")
    page.keyboard.type("9. nine\nten\n\n> said\non\n\n- [x] done\nnext")
    expect(text).to_have_value("9. nine\n10. ten\n\n> said\n> on\n\n- [x] done\n- [ ] next")
    text.fill("")
    page.keyboard.type("```\n- no list\n")
    expect(text).to_have_value("```\n- no list\n")


def test_tab_nests_an_item_and_enter_on_an_empty_one_goes_one_level_out(page: Page, text: Locator) -> None:
    page.keyboard.type("1. Fog\nBells\n")
    page.keyboard.press("Tab")
    page.keyboard.type("Brass\nIron\n\nLights\n\nThe end")
    expect(text).to_have_value("1. Fog\n2. Bells\n   1. Brass\n   2. Iron\n3. Lights\n\nThe end")


def test_shift_tab_takes_an_item_back_and_each_step_can_be_undone(page: Page, text: Locator) -> None:
    page.keyboard.type("- one\ntwo")
    page.keyboard.press("Tab")
    expect(text).to_have_value("- one\n  - two")
    page.keyboard.press("Shift+Tab")
    expect(text).to_have_value("- one\n- two")
    page.keyboard.press("Control+z")
    expect(text).to_have_value("- one\n  - two")
    page.keyboard.press("Control+z")
    expect(text).to_have_value("- one\n- two")
    expect(text).to_be_focused()


def test_code_keeps_its_indentation(page: Page, text: Locator) -> None:
    page.keyboard.type("```\nif fog:\n")
    page.keyboard.press("Tab")
    page.keyboard.type("ring()\nwait()\n")
    page.keyboard.press("Shift+Tab")
    page.keyboard.type("done()")
    expect(text).to_have_value("```\nif fog:\n    ring()\n    wait()\ndone()")


def test_tab_leaves_the_text_and_lists_and_code_behind_escape(page: Page, text: Locator) -> None:
    page.keyboard.type("words")
    page.keyboard.press("Tab")
    expect(text).not_to_be_focused()
    for start in ("- one", "```\ncode"):
        text.fill(start)
        page.keyboard.press("Control+End")
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        expect(text).not_to_be_focused()
        expect(text).to_have_value(start)
        text.focus()
        page.keyboard.press("Escape")
        page.keyboard.press("Shift+Tab")
        expect(text).not_to_be_focused()
    expect(text).to_have_accessible_description(
        "In lists and code, Tab indents. To leave the text there, press Escape, then Tab."
    )
