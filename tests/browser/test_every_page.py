"""Every page that needs no prepared data is accessible, within its policy, and free of errors."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import PASSWORD

PAGES = {
    "desk": "/desk",
    "analytics": "/desk/analytics",
    "blog-settings": "/desk/settings/blog",
    "access": "/desk/settings/access",
}


@pytest.mark.parametrize("name", PAGES)
def test_every_page_is_accessible(name: str, page: Page, look: Callable[..., None]) -> None:
    page.goto(PAGES[name])
    look(page, name)


def test_signing_in_works_without_javascript(open_browser: Callable[..., BrowserContext]) -> None:
    page = open_browser(None, scripts=False).new_page()
    page.goto("/desk")
    page.get_by_label("E-mail").fill("ann@blog.example")
    page.get_by_label("Password").fill("wrong, surely")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("Wrong e-mail address or password")).to_be_visible()
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page).to_have_title("Dashboard · Ink and paper")


def test_the_sign_in_page_is_accessible(open_browser: Callable[..., BrowserContext], look: Callable[..., None]) -> None:
    page = open_browser(None).new_page()
    page.goto("/login")
    look(page, "login")
