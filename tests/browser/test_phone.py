"""Writing with a thumb: what is used most is at the bottom of a phone's window, above its keyboard."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, FloatRect, Locator, Page, expect

from tests.browser.conftest import NARROW

TARGET = 44  # pixels
REACH = 2 / 3  # of the height of the window: what is lower is within reach of a thumb


@pytest.fixture
def phone(open_browser: Callable[..., BrowserContext]) -> Page:
    return open_browser(viewport=NARROW, has_touch=True).new_page()


def place(element: Locator) -> FloatRect:
    element.page.wait_for_load_state()  # elements are found before the styles that place them
    box = element.bounding_box()
    assert box is not None
    return box


def is_in_reach(element: Locator) -> bool:
    box = place(element)
    return NARROW["height"] * REACH < box["y"] and box["y"] + box["height"] <= NARROW["height"]


def open_keyboard(phone: Page, height: int) -> None:
    """Do what Safari does for its keyboard: only the visual viewport becomes smaller, not the window."""
    phone.evaluate(
        """height => {
            Object.defineProperty(visualViewport, "height", { configurable: true, value: innerHeight - height });
            visualViewport.dispatchEvent(new Event("resize"));
        }""",
        height,
    )


def test_a_post_is_begun_formatted_and_published_with_a_thumb(phone: Page, look: Callable[..., None]) -> None:
    phone.goto("/desk")
    new_post = phone.get_by_role("button", name="New post")
    assert is_in_reach(new_post)
    new_post.tap()
    text = phone.get_by_label("Text, in Markdown")
    text.fill("fog")
    text.select_text()
    toolbar = phone.get_by_role("toolbar", name="Formatting")
    bold = toolbar.get_by_role("button", name="Bold")
    assert is_in_reach(bold)
    bold.tap()
    expect(text).to_have_value("**fog**")
    expect(text).to_be_focused()

    phone.get_by_label("Title").fill("With a thumb")
    look(phone, "editor-on-a-phone")
    publish = phone.get_by_role("link", name="Publish…")
    assert is_in_reach(publish)
    publish.tap()
    confirm = phone.get_by_role("button", name="Publish on this blog")
    expect(confirm).to_be_in_viewport(ratio=1)
    assert is_in_reach(confirm)
    confirm.tap()
    undo = phone.get_by_role("button", name="Undo")
    expect(undo).to_be_visible()
    undo.tap()
    expect(undo).to_have_count(0)
    expect(phone.locator("#state")).to_have_text("Draft")


def test_no_button_floats_over_the_forms_of_the_settings(phone: Page) -> None:
    phone.goto("/desk/settings/profile")
    bar = place(phone.get_by_role("banner"))
    new_post = place(phone.get_by_role("banner").get_by_role("button", name="New post"))
    assert new_post["y"] + new_post["height"] <= bar["y"] + bar["height"]


def test_every_formatting_button_is_large_enough_for_a_thumb_and_can_be_scrolled_to(phone: Page) -> None:
    phone.goto("/desk")
    phone.get_by_role("button", name="New post").tap()
    phone.get_by_label("Text, in Markdown").tap()
    for button in phone.get_by_role("toolbar", name="Formatting").get_by_role("button").all():
        button.scroll_into_view_if_needed()
        expect(button).to_be_in_viewport(ratio=0.9)
        box = place(button)
        assert (box["width"] >= TARGET, box["height"] >= TARGET) == (True, True), button.get_attribute("title")


def test_the_toolbar_and_the_line_of_the_caret_stay_above_the_keyboard(phone: Page) -> None:
    phone.goto("/desk")
    phone.get_by_role("button", name="New post").tap()
    text = phone.get_by_label("Text, in Markdown")
    text.fill("A ferry in the fog.\n" * 80)
    expect(phone.locator("[data-ready]")).to_be_attached()
    toolbar = phone.get_by_role("toolbar", name="Formatting")
    open_keyboard(phone, 300)
    above = NARROW["height"] - 300
    assert place(toolbar)["y"] + place(toolbar)["height"] == above
    area = phone.get_by_role("region", name="Draft")
    assert place(area)["y"] + place(area)["height"] <= place(toolbar)["y"]
    open_keyboard(phone, 0)
    assert place(toolbar)["y"] + place(toolbar)["height"] == NARROW["height"]
