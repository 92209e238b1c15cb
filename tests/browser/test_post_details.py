"""The details of a post, in Chromium: what they show follows what is chosen there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.context import now
from blogsvc.posts import editing, series
from tests.browser.conftest import Desk


@pytest.fixture(scope="module")
def address(desk: Desk) -> str:
    """The address of the details of a post without a series, next to one that is part 2."""
    with desk.app():
        boats = series.create({"title": "Boats"}, now())
        editing.create({"title": "On keels", "series": boats.slug, "series_part": 2}, None, now())
        return f"/desk/posts/{editing.create({'title': 'On sails'}, None, now()).id}/details"


def test_a_part_number_that_another_post_has_is_named_at_once(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_label("Series", exact=True).fill("Boats")
    page.get_by_label("Part", exact=True).fill("2")
    note = page.get_by_role("status").filter(has_text="Part 2 is also “On keels”.")
    expect(note).to_be_visible()
    page.get_by_label("Part", exact=True).fill("3")
    expect(note).to_have_count(0)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_page_has_no_pin_and_no_series(
    open_browser: Callable[..., BrowserContext], address: str, scripts: bool
) -> None:
    page = open_browser(scripts=scripts).new_page()
    page.goto(address)
    fields = [page.get_by_label(name, exact=True) for name in ("Pin to the top of the home page", "Series", "Part")]
    for kind, is_shown in (("Page", False), ("Post", True)):
        page.get_by_label("Kind").select_option(kind)
        page.get_by_role("button", name="Save details").click()
        expect(page.get_by_text("Saved.")).not_to_have_count(0)
        page.goto(address)
        for field in fields:
            expect(field).to_be_visible(visible=is_shown)
        expect(page.get_by_label("Unlisted")).to_be_visible()
