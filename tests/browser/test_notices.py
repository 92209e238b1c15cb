"""Notices never move the text being written: the line of the caret stays where it is on the screen."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from tests.browser.conftest import Desk, Watched
from tests.browser.test_caret import PARAGRAPHS, SIZES
from tests.browser.test_pasted_images import PASTE
from tests.browser.website import Website

# The top of the line of the caret, and the end of the space in which it is visible.
PLACE = """() => {
    const area = document.getElementById("content");
    const lines = area.value.slice(0, area.selectionEnd).split("\\n");
    const range = new Range();
    range.setStart(document.querySelector(".mirror").children[lines.length - 1].firstChild, 0);
    const {top, bottom} = range.getBoundingClientRect();
    const end = document.querySelector(".base").getBoundingClientRect().top;
    return {top, isVisible: bottom <= end};
}"""
AT = {"in the middle": 30, "at the start": 0, "at the end": 60}


@pytest.fixture(params=SIZES, ids=lambda size: f"{size['width']} px")
def writer(open_browser: Callable[..., BrowserContext], request: pytest.FixtureRequest) -> Page:
    return open_browser(viewport=request.param).new_page()


@pytest.fixture
def write(desk: Desk, writer: Page) -> Callable[..., str]:
    """Return a function that opens a long post with the caret in a paragraph, and returns the id of the post."""

    def open_post(paragraph: int, is_scheduled: bool = False) -> str:
        with desk.app() as (_, tools):
            post = editing.create({"title": "On the ferries", "content": PARAGRAPHS}, ["site"], tools.now())
            if is_scheduled:
                publishing.schedule(post, datetime(2031, 3, 4, 9, tzinfo=tools.now().tzinfo), tools.now())
            post_id: str = post.id
        writer.goto(f"/desk/posts/{post_id}")
        writer.get_by_label("Text, in Markdown").focus()
        expect(writer.locator("#write[data-ready]")).to_be_attached()
        writer.keyboard.press("Control+Home")
        for _ in range(2 * paragraph):
            writer.keyboard.press("ArrowDown")
        writer.keyboard.type("a")
        expect(writer.locator("#saved")).to_contain_text("Saved")
        return post_id

    return open_post


def place(page: Page) -> float:
    """Return the place of the line of the caret, after the next frame."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    found = page.evaluate(PLACE)
    assert found["isVisible"], "the line of the caret is covered"
    return round(found["top"])


@pytest.mark.parametrize("paragraph", AT.values(), ids=AT)
def test_notices_do_not_move_the_text(
    writer: Page, write: Callable[..., str], watched: Watched, paragraph: int
) -> None:
    watched.expect("responded with a status of 413")
    write(paragraph)
    writer.evaluate(PASTE, "<b>" + "x" * 3_000_000 + "</b>")
    before = place(writer)
    expect(writer.locator("#notices")).to_contain_text("The text was pasted without its formatting")
    assert place(writer) == before
    writer.evaluate("document.getElementById('notices').replaceChildren()")
    assert place(writer) == before


def test_losing_the_connection_and_the_session_does_not_move_the_text(
    writer: Page, write: Callable[..., str], watched: Watched
) -> None:
    watched.expect("ERR_INTERNET_DISCONNECTED")
    write(30)
    before = place(writer)
    writer.context.set_offline(True)
    writer.keyboard.type("b")
    expect(writer.locator("#saved")).to_have_text("Saved on this device")
    assert place(writer) == before
    writer.context.set_offline(False)
    expect(writer.locator("#saved")).to_contain_text(re.compile(r"Saved \d"))
    writer.context.clear_cookies()
    writer.keyboard.type("d")
    expect(writer.locator("#notices")).to_contain_text("Your session has ended")
    assert place(writer) == before


def test_an_edit_conflict_does_not_move_the_text(
    writer: Page, write: Callable[..., str], desk: Desk, look: Callable[..., None]
) -> None:
    post_id = write(10)
    before = place(writer)
    with desk.app() as (_, tools):
        editing.edit(Post.get(post_id), {"content": "Another text."}, None, tools.now() + timedelta(seconds=1))
    writer.keyboard.type("b")
    conflict = writer.get_by_role("region", name="This post was changed elsewhere")
    expect(conflict).to_be_visible()
    assert place(writer) == before
    conflict.get_by_role("button", name="Keep mine").click()
    expect(conflict).to_have_count(0)
    assert place(writer) == before


def test_an_edit_conflict_is_accessible(page: Page, desk: Desk, look: Callable[..., None]) -> None:
    with desk.app() as (_, tools):
        post_id = editing.create({"title": "On two desks", "content": PARAGRAPHS}, ["site"], tools.now()).id
    page.goto(f"/desk/posts/{post_id}")
    page.get_by_label("Text, in Markdown").focus()
    with desk.app() as (_, tools):
        editing.edit(Post.get(post_id), {"content": "Another text."}, None, tools.now())
    page.keyboard.type("b")
    conflict = page.get_by_role("region", name="This post was changed elsewhere")
    expect(conflict.get_by_role("button", name="Merge manually")).to_be_in_viewport(ratio=1)
    look(page, "notice-conflict")


def test_pasted_images_and_failed_uploads_do_not_move_the_text(
    writer: Page, write: Callable[..., str], website: Website, watched: Watched
) -> None:
    watched.expect("policy: img-src", "Content Security Policy directive", "Blocked script execution")
    write(10)
    images = "".join(f'<p><img src="{website.url}/{name}.png" alt="{name}"></p>' for name in ("private", "slow"))
    writer.evaluate(PASTE, f"<p>And <b>more</b>.</p>{images}")
    expect(writer.get_by_role("region", name="Uploads", exact=True)).to_contain_text("slow.png")
    expect(writer.get_by_role("region", name="Failed images")).to_be_visible()
    writer.keyboard.press("Control+Home")
    writer.keyboard.type("a")
    before = place(writer)
    website.go_on.set()
    expect(writer.locator("#notices")).to_contain_text("1 image is now in the media library.")
    assert place(writer) == before
    writer.get_by_role("button", name="Remove private.png").click()
    expect(writer.get_by_role("region", name="Failed images")).to_have_count(0)
    assert place(writer) == before


@pytest.mark.parametrize("paragraph", [0, 30])
def test_the_status_of_a_scheduled_post_does_not_move_the_text(
    writer: Page, write: Callable[..., str], look: Callable[..., None], paragraph: int
) -> None:
    write(paragraph, is_scheduled=True)
    expect(writer.locator("#schedule-status")).to_contain_text("1 newer edit isn't scheduled")
    before = place(writer)
    writer.get_by_role("button", name="Update scheduled version").click()
    expect(writer.locator("#schedule-status")).not_to_contain_text("newer edit")
    assert place(writer) == before
    writer.get_by_label("Text, in Markdown").focus()
    writer.keyboard.type("b")
    expect(writer.locator("#schedule-status")).to_contain_text("1 newer edit isn't scheduled")
    assert place(writer) == before
    look(writer, f"notice-scheduled-{(writer.viewport_size or {})['width']}")
