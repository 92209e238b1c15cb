"""The page of the look, in Chromium: the preview follows the form, and works without scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Frame, Page, expect

from blogsvc.media import images
from blogsvc.models import Setting, transaction
from blogsvc.models.setting import site_changed
from blogsvc.models.theme import Theme, save_theme
from blogsvc.posts import editing, publishing
from tests.browser.conftest import Desk
from tests.images import png

LOOK = "/desk/settings/look"
TEAL, NAVY = "rgb(0, 128, 128)", "rgb(0, 0, 128)"


@pytest.fixture(autouse=True)
def _default_look(desk: Desk) -> Iterator[None]:
    yield
    with desk.app(), transaction():
        Setting.write("blog_theme", {})
        Setting.write("blog_former_theme", {})
        site_changed()


def frame_of(page: Page) -> Frame:
    frames = page.locator(".look-preview iframe")
    expect(frames).to_have_count(1)
    frame = frames.element_handle().content_frame()
    assert frame is not None
    return frame


def test_the_preview_follows_the_form_and_stays_where_it_was_scrolled_to(page: Page, look: Callable[..., None]) -> None:
    page.goto(LOOK)
    shown = page.frame_locator(".look-preview iframe:not([data-waits])")
    title = shown.get_by_role("heading").first
    expect(title).to_be_visible()
    entries = page.evaluate("history.length")
    css = page.get_by_label("Custom CSS")
    css.fill("body { min-block-size: 300vh } h1, h2 { color: teal }")
    expect(title).to_have_css("color", TEAL)
    assert frame_of(page).evaluate("scrollTo(0, 120), scrollY") == 120
    css.fill("body { min-block-size: 300vh } h1, h2 { color: navy }")
    expect(title).to_have_css("color", NAVY)
    assert frame_of(page).evaluate("scrollY") == 120
    assert page.evaluate("history.length") == entries

    css.fill("h1 { color: red }\nh2 { background: url(//other.example) }")
    expect(page.get_by_role("status").filter(has_text="Custom CSS. Line 2:")).to_be_visible()
    expect(title).to_have_css("color", NAVY)

    css.fill("h1, h2 { color: teal }")
    expect(page.locator("#look-faults .err")).to_have_count(0)
    expect(title).to_have_css("color", TEAL)
    page.get_by_label("Color", exact=True).fill("#7fff00")
    expect(page.get_by_text("On light pages links are shown in #3c7900")).to_be_visible()
    page.get_by_label("Page in the preview").select_option("Archive")
    expect(shown.get_by_role("heading", name="Archive")).to_be_visible()
    look(page, "look-changed")

    page.get_by_role("button", name="Save look").click()
    expect(page.get_by_text("Look saved.")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("heading").first).to_have_css("color", TEAL)
    page.goto(LOOK)
    page.get_by_role("button", name="Undo: back to the former look").click()
    expect(page.get_by_label("Custom CSS")).to_have_value("")


def test_the_preview_has_two_widths_and_colors(page: Page) -> None:
    page.goto(LOOK)
    body = page.frame_locator(".look-preview iframe:not([data-waits])").locator("body")
    page.locator(".look-preview .tool").filter(has_text="Dark").click()
    expect(body).to_have_css("color-scheme", "dark")
    page.locator(".look-preview .tool").filter(has_text="Phone").click()
    assert frame_of(page).evaluate("innerWidth") <= 390


def test_links_in_the_preview_open_another_tab(page: Page, desk: Desk) -> None:
    page.goto(LOOK)
    with page.context.expect_page() as opened:
        page.frame_locator(".look-preview iframe").get_by_role("link", name="Archive").first.click()
    assert opened.value.url == f"{desk.url}/archive"
    assert page.url.endswith(LOOK)


def test_cards_fit_every_window(page: Page, desk: Desk, look: Callable[..., None]) -> None:
    with desk.app() as (_, tools):
        sea = images.add(png(900, 700), "sea.png", "The sea", tools)
        for number in range(7):
            cover = {"cover_image": f"{desk.url}{sea.path}", "cover_alt": "The sea"} if number % 3 else {}
            fields = {"title": f"Ink and paper {number}", "content": "Words. " * 30, "tags": ["ink"], **cover}
            publishing.publish(editing.create(fields, None, tools.now()), tools.now())
        with transaction():
            save_theme(Theme(color="#7fff00", layout="cards"), tools.now())
    page.goto("/tag/ink")
    expect(page.locator(".tile")).to_have_count(7)
    look(page, "cards", all_views=True)
    for width, columns in ((1280, 3), (390, 1)):
        page.set_viewport_size({"width": width, "height": 900})
        lefts = page.locator(".tile").evaluate_all("tiles => tiles.map(tile => tile.getBoundingClientRect().left)")
        assert len({round(left) for left in lefts}) == columns
    image = page.locator(".tile img").first.bounding_box()
    assert image is not None
    assert round(image["width"] / image["height"], 1) == 1.5
    page.goto("/")
    look(page, "cards-home", all_views=True)


def test_without_javascript_a_button_shows_the_preview(plain_page: Page) -> None:
    plain_page.goto(LOOK)
    plain_page.get_by_label("Custom CSS").fill("h1, h2 { color: teal }")
    plain_page.get_by_role("button", name="Show preview").click()
    title = plain_page.frame_locator(".look-preview iframe").get_by_role("heading").first
    expect(title).to_have_css("color", TEAL)
    plain_page.get_by_label("Custom CSS").fill("h1 { color: teal")
    plain_page.get_by_role("button", name="Show preview").click()
    expect(plain_page.frame_locator(".look-preview iframe").get_by_text("Custom CSS. Line 1:")).to_be_visible()
    expect(plain_page.get_by_label("Custom CSS")).to_have_value("h1 { color: teal")
