"""The preview of the built-in blog in a real browser: it follows the text without flicker, at two widths and colors."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.auth import accounts
from blogsvc.models import Post, transaction
from blogsvc.posts import editing
from tests.browser.conftest import NARROW, Desk

PARTS = "\n\n".join(f"## Part {number}\n\n" + "Some words of it. " * 60 for number in range(1, 9))
COLOR = "e => getComputedStyle(e).backgroundColor"
DARK_PAPER, LIGHT_PAPER = "rgb(17, 24, 31)", "rgb(253, 252, 250)"


def a_draft(desk: Desk) -> str:
    with desk.app() as (_, tools):
        ann = accounts.User.by_email("ann@blog.example")
        assert ann is not None
        post = editing.create({"title": "The blue pencil", "content": PARTS}, None, tools.now())
        with transaction():
            Post.get(post.id).author_id = ann.id
        return f"/desk/posts/{post.id}"


def test_the_preview_follows_the_text(page: Page, desk: Desk, look: Callable[..., None]) -> None:
    path = a_draft(desk)
    page.goto(path)
    shown = page.frame_locator("#preview iframe")
    expect(shown.get_by_role("heading", name="Part 8")).to_be_attached()
    text = page.get_by_label("Text, in Markdown")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    frame = page.locator("#preview iframe").element_handle().content_frame()
    assert frame is not None
    frame.evaluate("document.querySelector('h1').isKept = true")
    text.evaluate("text => { const at = text.value.indexOf('## Part 5'); text.setSelectionRange(at, at); }")
    expect(shown.get_by_role("heading", name="Part 5")).to_be_in_viewport()
    page.keyboard.insert_text("More *now*.")
    expect(shown.locator(".e-content em")).to_be_in_viewport()
    before = frame.evaluate("scrollY")
    page.keyboard.type(" And *then*.")
    expect(shown.locator(".e-content em")).to_have_text(["now", "then"])
    assert shown.locator("h1").evaluate("heading => heading.isKept"), "what has not changed stays"
    assert frame.evaluate("scrollY") == before

    page.locator(".draft-area").evaluate("area => { area.scrollTop = area.scrollHeight }")
    expect(shown.get_by_role("heading", name="Part 8")).to_be_in_viewport()

    # Another destination and back: the frame loads the saved text, and shows the typed one.
    page.locator("#preview .tabs").get_by_role("link", name="This blog").click()
    expect(shown.locator(".e-content em")).to_have_text(["now", "then"])
    look(page, "preview")


def test_the_preview_of_a_short_text_follows_the_caret(page: Page, desk: Desk) -> None:
    with desk.app() as (_, tools):
        lines = "\n".join(f"# Line {number}." for number in range(1, 24))
        post = editing.create({"title": "In short", "content": lines}, None, tools.now())
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto(f"/desk/posts/{post.id}")
    text, shown = page.get_by_label("Text, in Markdown"), page.frame_locator("#preview iframe")
    text.focus()
    expect(page.locator("#write[data-ready]")).to_be_attached()
    for key, line in (("Control+End", "Line 23."), ("Control+Home", "Line 1.")):
        page.keyboard.press(key)
        expect(shown.get_by_role("heading", name=line)).to_be_in_viewport()


def test_the_preview_has_two_widths_and_colors(
    page: Page, plain_page: Page, desk: Desk, look: Callable[..., None]
) -> None:
    path = a_draft(desk)
    page.goto(path)
    page.get_by_label("Title").focus()
    shown = page.frame_locator("#preview iframe")
    expect(page.get_by_label("Desktop")).to_be_checked()
    expect(page.get_by_label("Light")).to_be_checked()
    assert shown.locator("html").evaluate("() => innerWidth") == 960
    page.get_by_label("Desktop").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Phone")).to_be_checked()
    assert shown.locator("html").evaluate("() => innerWidth") == 390
    page.get_by_label("Light").focus()
    page.keyboard.press("ArrowRight")
    expect(shown.locator("html")).to_have_css("background-color", DARK_PAPER)
    look(page, "preview-phone-dark")
    page.reload()
    expect(shown.locator("html")).to_have_css("background-color", DARK_PAPER)
    expect(page.get_by_label("Phone")).to_be_checked()
    page.set_viewport_size(NARROW)  # type: ignore[arg-type]
    page.goto(f"{path}/preview")
    expect(page.locator("#preview iframe")).to_be_visible()
    expect(shown.locator("html")).to_have_css("background-color", DARK_PAPER)
    look(page, "preview-page")

    plain_page.goto(f"{path}/preview")
    shown = plain_page.frame_locator("#preview iframe")
    expect(shown.locator("html")).to_have_css("background-color", LIGHT_PAPER)
    plain_page.get_by_label("Phone").check(force=True)
    plain_page.get_by_label("Dark").check(force=True)
    plain_page.get_by_role("button", name="Show").click()
    expect(shown.locator("html")).to_have_css("background-color", DARK_PAPER)
    expect(shown.get_by_role("heading", name="Part 8")).to_be_attached()


def test_links_of_the_page_open_outside_of_the_frame(open_browser: Callable[..., BrowserContext], desk: Desk) -> None:
    browser = open_browser()
    page = browser.new_page()
    page.goto(a_draft(desk))
    shown = page.frame_locator("#preview iframe")
    with browser.expect_page() as opened:
        shown.get_by_role("link", name="Archive").click()
    expect(opened.value).to_have_title("Archive · Ink and paper")
    expect(shown.locator("h1")).to_have_text("The blue pencil")
