"""The version history in a browser: nothing that is deleted is lost, and each paragraph can be put back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from blogsvc.models import User
from blogsvc.posts import autosave, editing
from tests.browser.conftest import Desk

Look = Callable[..., None]
PARAGRAPHS = [f"Paragraph {number}" + " of a long text that nobody wants to lose." * 5 for number in range(12)]
PARAGRAPHS[3] = "الفقرة الثالثة مكتوبة من اليمين إلى اليسار."


def test_a_deleted_text_is_put_back_by_paragraph(page: Page, desk: Desk, look: Look, watched: object) -> None:
    with desk.app() as (_, tools):
        ann = User.by_email("ann@blog.example")
        post = autosave.begin(ann and ann.id, tools.now())
    page.goto(f"/desk/posts/{post.id}")
    page.get_by_role("textbox", name="Title").fill("Never lost")
    text = page.locator("#content")
    with page.expect_response(lambda answer: "Paragraph 11" in (answer.request.post_data or "")):
        text.fill("\n\n".join(PARAGRAPHS))
    text.press("Control+a")
    with page.expect_response(lambda answer: answer.url.endswith("/draft")):
        text.press("Delete")
    page.goto(f"/desk/posts/{post.id}/history")
    expect(page.get_by_text("Before a large removal")).to_be_visible()
    page.get_by_role("link", name="Before a large removal").click()
    restore = page.get_by_role("button", name="Restore paragraph")
    expect(restore).to_have_count(len(PARAGRAPHS))
    look(page, "history-removed")
    expect(page.locator(".line", has_text=PARAGRAPHS[3])).to_have_css("direction", "rtl")
    expect(page.locator(".line", has_text=PARAGRAPHS[0])).to_have_css("direction", "ltr")
    restore.nth(3).click()
    expect(page.get_by_text("The paragraph of version 1 is restored.")).to_be_visible()
    page.get_by_role("button", name="Restore paragraph").first.click()
    expect(page.get_by_role("link", name="Paragraph restored from version 1")).to_have_count(2)
    look(page, "history-paragraphs")
    page.goto(f"/desk/posts/{post.id}")
    expect(page.locator("#content")).to_have_value(f"{PARAGRAPHS[0]}\n\n{PARAGRAPHS[3]}")


@pytest.fixture
def versions(desk: Desk) -> str:
    """Return a post with 30 versions, of which the list shows 25."""
    with desk.app() as (_, tools):
        post = editing.create({"title": "Growing", "content": "Line 1"}, ["site"], tools.now())
        for number in range(2, 31):
            editing.edit(post, {"content": f"{post.content}\n\nLine {number}"}, None, tools.now())
        return post.id


def test_a_slider_moves_through_the_versions(page: Page, versions: str, look: Look, watched: object) -> None:
    page.goto(f"/desk/posts/{versions}/history")
    slider = page.get_by_role("slider", name="Versions 1 to 30")
    expect(slider).to_have_value("30")
    slider.focus()
    slider.press("Home")
    expect(page.get_by_role("heading", name="Version 1 compared with the current draft")).to_be_visible()
    for _ in range(4):
        slider.press("ArrowRight")
    expect(page.get_by_role("heading", name="Version 5 compared")).to_be_visible()
    expect(slider).to_be_focused()
    expect(slider).to_have_value("5")
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?version=5")
    page.get_by_role("link", name="Whole text").click()
    expect(page.locator(".diff")).to_contain_text("Line 5")
    box = slider.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2, steps=5)
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(page.locator(".diff")).to_contain_text("Line 15")
    expect(page.locator(".diff")).not_to_contain_text("Line 17")
    look(page, "history-slider")


def test_the_history_works_without_javascript(plain_page: Page, versions: str) -> None:
    page = plain_page
    page.goto(f"/desk/posts/{versions}/history")
    page.get_by_role("slider").fill("7")
    page.get_by_role("button", name="Show version").click()
    expect(page.get_by_role("heading", name="Version 7 compared with the current draft")).to_be_visible()
    page.get_by_role("link", name="28 Saved").click()
    expect(page.get_by_role("heading", name="Version 28 compared with the current draft")).to_be_visible()
