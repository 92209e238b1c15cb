"""The line being typed is always visible: below the toolbar, and above the bar with the number of words."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from blogsvc.posts import editing
from tests.browser.conftest import Desk
from tests.browser.test_image_upload import put

SIZES = [{"width": 1280, "height": 800}, {"width": 390, "height": 480}]  # the second: a phone with its keyboard open
PARAGRAPHS = "\n\n".join(f"Paragraph {number}: the ferry leaves in the fog, its lights on." for number in range(60))
# Where the caret is, if it is not in the space between the bars. The mirror behind the text area has the same lines.
# Where a line wraps, the caret is at the character before it or at the character after it.
HIDDEN = """() => {
    const area = document.getElementById("content");
    const lines = area.value.slice(0, area.selectionEnd).split("\\n");
    const node = document.querySelector(".mirror").children[lines.length - 1].firstChild;
    const column = lines.at(-1).length;
    const range = new Range();
    const carets = [column, Math.max(0, column - 1)].map((start) => {
        range.setStart(node, start);
        range.setEnd(node, start + 1);
        return range.getBoundingClientRect();
    });
    const boxes = [".draft-area > .strip", ".base"].map((it) => document.querySelector(it).getBoundingClientRect());
    const [strip, foot] = boxes;
    const [top, bottom] = [Math.max(0, strip.bottom), Math.min(innerHeight, foot.top)];
    const isShown = carets.some((caret) => caret.top >= top && caret.bottom <= bottom);
    return isShown ? null : {caret: [carets[0].top, carets[0].bottom], shown: [top, bottom]};
}"""


@pytest.fixture
def write(desk: Desk, page: Page) -> Callable[..., None]:
    """Return a function that opens a post with the caret in its text."""

    def open_post(size: dict[str, int], content: str) -> None:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        with desk.app() as (_, tools):
            post = editing.create({"title": "On the ferries", "content": content}, None, tools.now())
        page.goto(f"/desk/posts/{post.id}")
        page.get_by_label("Text, in Markdown").focus()
        expect(page.locator("#write[data-ready]")).to_be_attached()

    return open_post


def see(page: Page, when: str) -> None:
    """Check that the caret is visible. The browser scrolls before the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    assert page.evaluate(HIDDEN) is None, when


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']} px")
def test_the_line_being_typed_is_visible(page: Page, write: Callable[..., None], size: dict[str, int]) -> None:
    write(size, PARAGRAPHS)
    keys = page.keyboard
    keys.press("Control+End")
    see(page, "at the end")
    for key in ["Enter", "Enter", "a", "b", "Enter", "Enter", "c"]:
        keys.press(key)
        see(page, "while typing")
    keys.insert_text("\n\n".join(["Pasted words."] * 30))
    see(page, "after a paste")
    keys.press("Control+Home")
    see(page, "at the start")
    keys.press("Control+z")
    see(page, "after an undo")
    for key in ["PageUp"] * 3 + ["ArrowUp"] * 15 + ["PageDown"] * 4 + ["ArrowDown"] * 20:
        keys.press(key)
        see(page, key)
    keys.press("Control+End")
    keys.type("\n\n")
    put(page, "ferry.jpg")
    expect(page.locator("#notices")).to_contain_text("alt text")
    see(page, "after an image")


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size['width']} px")
def test_the_line_being_typed_is_visible_in_long_and_right_to_left_lines(
    page: Page, write: Callable[..., None], size: dict[str, int]
) -> None:
    write(size, "\n\n".join(["x" * 1500, "שלום עולם, האונייה יוצאת בערפל. " * 60, "no-break-" * 200]))
    keys = page.keyboard
    keys.press("Control+End")
    see(page, "at the end")
    keys.type("yz")
    see(page, "in a long word")
    for key in ["ArrowUp"] * 30 + ["PageUp"] * 3 + ["PageDown", "Control+ArrowLeft", "ArrowLeft", "ArrowRight"] * 4:
        keys.press(key)
        see(page, key)


def test_a_very_long_paragraph_is_shown_without_highlighting(page: Page, write: Callable[..., None]) -> None:
    write(SIZES[0], "Four *words* and more. " * 4000)
    page.keyboard.press("Control+End")
    page.keyboard.type("Lo")
    expect(page.locator(".mirror")).to_be_hidden()
    assert page.locator("#content").evaluate("it => getComputedStyle(it).color") != "rgba(0, 0, 0, 0)"
    page.keyboard.press("Control+Home")
    page.keyboard.press("Control+z")
    see(page, "after an undo")
    page.keyboard.press("Control+a")
    page.keyboard.type("Four *words*")
    expect(page.locator(".mirror")).to_be_visible()
