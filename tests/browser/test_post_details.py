"""The details of a post, in Chromium: what they show follows what is chosen there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

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
