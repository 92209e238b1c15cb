"""On paper, a post has the name of the blog and its address, and nothing to click on."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.models import Post
from blogsvc.posts import editing, publishing
from tests.browser.conftest import Desk

SHOTS = os.environ.get("SHOTS")
TEXT = "The boats are *never* late.\n\n| Harbour | First boat |\n| --- | --- |\n| Norddeich | 06:15 |"


@pytest.fixture
def post(desk: Desk) -> str:
    """The id of a post that is not published."""
    with desk.app() as (_, tools):
        words = {"title": "Ferries in the fog", "content": TEXT, "tags": ["ferries"]}
        return editing.create(words, ["site"], tools.now()).id


def printed(page: Page, name: str) -> Page:
    """Show a page as it is printed."""
    page.emulate_media(media="print", color_scheme="dark")
    if SHOTS:
        page.screenshot(path=Path(SHOTS) / f"print-{name}.png", full_page=True)
        page.pdf(path=Path(SHOTS) / f"print-{name}.pdf")
    return page


def test_a_printed_post_has_the_name_of_the_blog_and_its_address(
    open_browser: Callable[..., BrowserContext], desk: Desk, post: str
) -> None:
    with desk.app() as (_, tools):
        published = publishing.publish(Post.get(post), tools.now())
        slug = published.slug
    page = open_browser(None).new_page()
    page.goto(f"/{slug}")
    address = page.get_by_text(f"{desk.url}/{slug}", exact=True)
    expect(address).to_be_hidden()
    printed(page, "post")
    expect(address).to_be_visible()
    expect(page.get_by_role("link", name="Ink and paper").first).to_be_visible()
    expect(page.get_by_role("table")).to_be_visible()
    for gone in ("Archive", "Skip to content", "JSON Feed"):
        expect(page.get_by_text(gone)).to_be_hidden()


def test_a_printed_preview_has_the_name_of_the_blog_and_nothing_of_the_authoring_pages(page: Page, post: str) -> None:
    for path in (f"/desk/posts/{post}", f"/desk/posts/{post}/preview", f"/desk/posts/{post}/page"):
        page.goto(path)
        preview = page.frame_locator("iframe") if page.locator("iframe").count() else page
        expect(preview.get_by_role("heading", name="Ferries in the fog")).to_be_visible()
        printed(page, f"preview-{path.rpartition('/')[2][:7]}")
        expect(preview.get_by_role("link", name="Ink and paper").first).to_be_visible()
        expect(preview.get_by_role("table")).to_be_visible()
        chrome = page.locator("button, summary, select, textarea, input, #facts, .bar, .strip")
        assert [each.evaluate("one => one.outerHTML") for each in chrome.all() if each.is_visible()] == []
        page.emulate_media(media="screen")


def test_a_printed_draft_has_the_name_of_the_blog_and_not_its_secret_link(
    page: Page, open_browser: Callable[..., BrowserContext], desk: Desk, post: str
) -> None:
    page.goto(f"/desk/posts/{post}/share")
    page.get_by_role("button", name="Create link").click()
    link = page.locator(".secret code").inner_text()
    link = desk.url + link[link.index("/draft/") :]
    reader = open_browser(None).new_page()
    reader.goto(link)
    printed(reader, "draft")
    expect(reader.get_by_role("link", name="Ink and paper").first).to_be_visible()
    expect(reader.get_by_text("/draft/")).to_have_count(0)
    expect(reader.get_by_label("Comment", exact=True)).to_be_hidden()
