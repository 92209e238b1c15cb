"""The lists of the settings, in Chromium: the focus after a removal, and long names on a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.context import now
from blogsvc.posts import authors, series
from blogsvc.redirects import manage
from tests.browser.conftest import Desk


@pytest.fixture(scope="module", autouse=True)
def _rows(desk: Desk) -> None:
    """Add enough rows that the page is longer than the window."""
    with desk.app():
        for number in range(9):
            series.create({"title": f"Boats {number}"}, now())
            authors.create({"name": f"Guest {number}"}, now())
            manage.create(f"/boats-{number}", "/archive", 301, desk.url)


@pytest.mark.parametrize("scripts", [True, False], ids=["", "without JavaScript"])
@pytest.mark.parametrize(
    ("path", "button", "heading"),
    [
        ("/desk/settings/redirects", "Remove /boats-{}", "Redirects"),
        ("/desk/settings/series", "Remove Boats {}", "Series"),
        ("/desk/settings/authors/guest-{}", "Remove author", "Authors"),
    ],
)
def test_the_heading_has_the_focus_after_a_removal(
    open_browser: Callable[..., BrowserContext], path: str, button: str, heading: str, scripts: bool
) -> None:
    page = open_browser(scripts=scripts).new_page()
    page.goto(path.format(int(scripts)))
    page.get_by_role("button", name=button.format(int(scripts))).click()
    if scripts:
        page.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
    expect(page.get_by_role("heading", name=heading, level=1)).to_be_focused()
    expect(page.get_by_text("is removed.")).to_be_in_viewport()


def test_long_names_stay_within_a_phone(desk: Desk, page: Page, look: Callable[..., None]) -> None:
    with desk.app():
        series.create({"title": "Donaudampfschifffahrt" * 9, "slug": "x" * 80}, now())
        manage.create(f"/{'x' * 200}", f"https://other.example/{'x' * 200}", 301, desk.url)
    for name in ("series", "redirects"):
        page.goto(f"/desk/settings/{name}")
        look(page, f"long-{name}", all_views=True)
