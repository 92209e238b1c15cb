"""Undo after publishing, in a browser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.connections import manage
from blogsvc.models import Post
from blogsvc.posts import editing
from tests.browser.conftest import Desk, a_desk

SOON = 30_000  # milliseconds


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    with a_desk(tmp_path_factory.mktemp("undo"), shared_database_url) as desk:
        with desk.app() as (_, tools):
            manage.connect("sandbox", "sandbox", {"outcome": "works"}, tools)
        yield desk


@pytest.fixture
def draft(desk: Desk) -> Callable[[str], str]:
    def make(title: str) -> str:
        with desk.app() as (_, tools):
            words = {"title": title, "content": "Some *words*.", "summary": "In short."}
            return editing.create(words, ["site", "sandbox"], tools.now()).id

    return make


def state(desk: Desk, post_id: str) -> str:
    with desk.app():
        return Post.get(post_id).state


def test_publishing_is_counted_down_and_can_be_undone(
    page: Page, draft: Callable[[str], str], desk: Desk, look: Callable[..., None]
) -> None:
    post = draft("Second thoughts")
    page.goto(f"/desk/posts/{post}")
    page.get_by_label("Text, in Markdown").focus()
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Publish to 2 destinations")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    page.keyboard.press("Control+Enter")
    heading = dialog.get_by_role("heading", name="Publishing in a few seconds")
    expect(heading).to_be_focused(timeout=SOON)
    expect(heading.locator("[data-until]")).to_have_text("7 s")  # it counts
    expect(dialog.locator("#copy-sandbox-sheet")).to_contain_text("Starts in")
    expect(dialog.get_by_role("link", name="Close, keep publishing")).to_be_visible()
    look(page, "publish-undo")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    page.get_by_role("link", name=re.compile("Publish")).first.click()  # shows the same again
    dialog.get_by_role("button", name="Undo").click()
    expect(dialog.get_by_text("Publishing is undone. Nothing left the server.")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Not published yet")).to_be_visible()
    look(page, "publish-undone")
    assert state(desk, post) == "draft"


def test_the_status_follows_when_the_time_to_undo_has_passed(page: Page, draft: Callable[[str], str]) -> None:
    page.goto(f"/desk/posts/{draft('On its way')}")
    page.get_by_label("Text, in Markdown").focus()
    page.keyboard.press("Control+Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Publish to 2 destinations")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(dialog.get_by_role("button", name="Undo")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_role("heading", name="Live on 2 destinations")).to_be_visible(timeout=SOON)
    expect(dialog.get_by_role("button", name="Undo")).to_have_count(0)
    expect(page.locator("#state")).to_have_text("Published")


def test_undo_works_without_javascript(
    open_browser: Callable[..., BrowserContext], draft: Callable[[str], str], desk: Desk
) -> None:
    page = open_browser(scripts=False).new_page()
    post = draft("Plain")
    page.goto(f"/desk/posts/{post}/publish")
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Publishing is undone. Nothing left the server.")).to_be_visible()
    expect(page.get_by_role("heading", name="Not published yet")).to_be_visible()
    assert state(desk, post) == "draft"
