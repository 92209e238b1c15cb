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
TEAL, NAVY, OF_THE_BLOG = "rgb(0, 128, 128)", "rgb(0, 0, 128)", "rgb(75, 86, 97)"


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
    assert frame_of(page).evaluate("scrollTo({top: 120, behavior: 'instant'}), scrollY") == 120
    css.fill("body { min-block-size: 300vh } h1, h2 { color: navy }")
    expect(title).to_have_css("color", NAVY)
    assert frame_of(page).evaluate("scrollY") == 120
    assert page.evaluate("history.length") == entries

    css.fill("h1, h2 { color: red }\nh2 { background: url(//other.example) }")
    expect(page.get_by_role("status").filter(has_text="Your CSS is not shown: line 2:")).to_be_visible()
    expect(title).to_have_css("color", OF_THE_BLOG)
    page.get_by_label("Text width").select_option("wide")
    expect(title).to_have_css("--measure", "38rem")
    look(page, "look-faulty")

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


@pytest.mark.parametrize("width", [1280, 390])
def test_a_refused_look_shows_why_above_the_css(width: int, page: Page, look: Callable[..., None]) -> None:
    page.set_viewport_size({"width": width, "height": 700})
    page.goto(LOOK)
    css = page.get_by_label("Custom CSS")
    css.fill("h1 { color: teal")
    page.get_by_role("button", name="Save look").click()
    reason = page.locator("#css-fault")
    expect(reason).to_be_in_viewport(ratio=1)
    expect(css).to_be_focused()
    tops = [box["y"] for box in (reason.bounding_box(), css.bounding_box()) if box]
    assert tops == sorted(tops)
    expect(page.get_by_role("alert")).to_have_text("Check Custom CSS.")
    look(page, "look-refused")


def test_a_button_brings_back_the_default_color(page: Page) -> None:
    page.goto(LOOK)
    color = page.get_by_label("Color", exact=True)
    value = page.locator("output")
    color.fill("#7fff00")
    expect(value).to_have_text("#7fff00")
    expect(page.get_by_text("On light pages links are shown in")).to_be_visible()
    page.get_by_role("button", name="Use the default color").click()
    expect(color).to_have_value("#0b5c80")
    expect(value).to_have_text("#0b5c80")
    expect(page.get_by_text("On light pages links are shown in")).to_have_count(0)


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
    sizes = page.locator(".tile .p-name").evaluate_all(
        "titles => titles.map(title => getComputedStyle(title).fontSize)"
    )
    assert len(set(sizes)) == 1
    plain, pictured = (
        page.locator(".tile").filter(**{has: page.locator("img")}).locator(".p-summary").first.bounding_box()
        for has in ("has_not", "has")
    )
    assert plain is not None
    assert pictured is not None
    assert plain["height"] > pictured["height"]
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
    expect(
        plain_page.frame_locator(".look-preview iframe").get_by_text("Your CSS is not shown: line 1:")
    ).to_be_visible()
    expect(plain_page.get_by_label("Custom CSS")).to_have_value("h1 { color: teal")
