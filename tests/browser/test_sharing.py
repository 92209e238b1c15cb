"""Sharing a draft in a real browser: by keyboard, and without JavaScript, from the link to the comment."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.models import User, transaction
from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched

TEXT = "## Before the press\n\nWhat readers *never* see.\n\nAnd what they [do](https://other.example)."


def a_draft(desk: Desk, title: str) -> str:
    with desk.app() as (_, tools):
        ann = User.by_email("ann@blog.example")
        assert ann is not None
        with transaction():
            post = editing.create({"title": title, "content": TEXT}, None, tools.now(), author_id=ann.id)
        return f"/desk/posts/{post.id}"


def test_a_draft_is_shared_read_commented_on_and_revoked(
    page: Page,
    desk: Desk,
    watched: Watched,
    open_browser: Callable[..., BrowserContext],
    look: Callable[..., None],
) -> None:
    page.goto(a_draft(desk, "The blue pencil"))
    page.get_by_role("link", name="Share draft").focus()
    page.keyboard.press("Enter")
    page.get_by_label("For whom (optional)").fill("Anna")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Copy link")).to_be_focused()
    address = page.locator(".secret code").inner_text()
    address = desk.url + address[address.index("/draft/") :]
    look(page, "share-made")

    reader = open_browser(None, scripts=False).new_page()
    reader.goto(address)
    expect(reader.get_by_text("Draft shared with you by Ann. Not published. Link ends on")).to_be_visible()
    expect(reader.get_by_role("heading", name="Before the press")).to_be_visible()
    reader.get_by_label("Your name").fill("Anna")
    reader.get_by_role("combobox").select_option("What readers never see.")
    reader.get_by_label("Comment", exact=True).fill("Cut this?")
    reader.get_by_role("button", name="Send comment").click()
    expect(reader.get_by_role("status")).to_have_text("Your comment was sent to the author.")
    expect(reader.locator(".comment .said")).to_have_text("Cut this?")

    looked_at = open_browser(None).new_page()
    looked_at.goto(address)
    look(looked_at, "shared-draft")

    page.goto("/desk")
    expect(page.get_by_text("Anna commented on “The blue pencil”.")).to_be_visible()
    page.get_by_role("link", name="Read comments on The blue pencil").click()
    expect(page.locator(".remark blockquote")).to_have_text("What readers never see.")
    look(page, "share-comments")
    page.get_by_role("button", name=re.compile("^Resolve")).click()
    expect(page.get_by_text("1 resolved")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Revoke")).click()
    expect(page.get_by_text("The link is revoked.")).to_be_visible()
    watched.expect("404")
    looked_at.get_by_label("Your name").fill("Anna")
    looked_at.get_by_label("Comment", exact=True).fill("One more thing")
    looked_at.get_by_role("button", name="Send comment").click()
    expect(looked_at.get_by_role("heading", level=1)).to_have_text("This link doesn't work")
    expect(looked_at.get_by_role("textbox")).to_have_value("One more thing")
    look(looked_at, "shared-draft-ended")


def test_the_page_of_an_ended_link_is_accessible(
    open_browser: Callable[..., BrowserContext], look: Callable[..., None], watched: Watched
) -> None:
    watched.expect("404")
    page = open_browser(None).new_page()
    page.goto("/draft/nothing")
    expect(page.get_by_role("heading", level=1)).to_have_text("This link doesn't work")
    look(page, "draft-message")
