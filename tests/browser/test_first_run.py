"""The first run in a real browser: from the link in the server log to the sample draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from blogsvc.models import Setting, User
from tests.browser.conftest import Desk, Watched, a_desk

Look = Callable[..., None]
ZONE = "Asia/Tokyo"


@pytest.fixture
def untouched(tmp_path: Path, blank_database_url: str) -> Iterator[Desk]:
    """A server that is not set up."""
    with a_desk(tmp_path, blank_database_url, with_owner=False) as desk:
        yield desk


def printed_link(desk: Desk) -> str:
    found = re.findall(r"set up this blog at (http://\S+)", desk.server.log.read_text())
    assert len(found) == 1
    return found[0]


def fill_in(page: Page) -> None:
    page.get_by_label("Blog title").fill("Ink and paper")
    page.get_by_label("Your name").fill("Ann")
    page.get_by_label("E-mail").fill("ann@blog.example")
    page.get_by_label("Password").fill("a ferry in the fog")


def expect_sample_draft(page: Page, desk: Desk) -> None:
    expect(page.get_by_role("heading", name="Your blog is ready")).to_be_visible()
    expect(page.get_by_role("button", name="Write your first post")).to_be_visible()
    expect(page.get_by_role("link", name="Import posts")).to_have_attribute("href", "/desk/settings/import")
    expect(page.get_by_role("link", name="Connect a destination")).to_have_attribute(
        "href", "/desk/settings/destinations"
    )
    sample = page.get_by_role("link", name="sample draft")
    expect(sample).to_have_attribute("href", re.compile("^/desk/posts/post_"))
    with desk.app():
        assert [(one.name, one.role) for one in User.all()] == [("Ann", "owner")]


def test_setup_leads_from_the_printed_link_to_the_sample_draft(
    chromium: Browser, untouched: Desk, watched: Watched, look: Look
) -> None:
    watched.expect("404")
    context = chromium.new_context(timezone_id=ZONE, base_url=untouched.url)
    context.on("page", watched.watch)
    page = context.new_page()
    page.goto("/desk")
    expect(page.get_by_text("This blog isn't set up yet")).to_be_visible()
    look(page, "setup-elsewhere")
    page.goto("/setup/of-somebody-who-guesses")
    expect(page.get_by_text("setup link is no longer valid")).to_be_visible()

    page.goto(printed_link(untouched))
    expect(page.get_by_label("Time zone")).to_have_value(ZONE)
    look(page, "setup")
    fill_in(page)
    page.get_by_label("Password").fill("short")
    page.get_by_role("button", name="Create blog").click()
    expect(page.get_by_text("10 to 200 characters")).to_be_visible()
    expect(page.get_by_label("Password")).to_be_focused()
    expect(page.get_by_label("Time zone")).to_have_value(ZONE)
    look(page, "setup-refused")
    page.get_by_label("Password").fill("a ferry in the fog")
    page.get_by_role("button", name="Create blog").click()
    expect_sample_draft(page, untouched)
    look(page, "welcome")
    page.get_by_role("link", name="sample draft").click()
    expect(page.get_by_label("Text, in Markdown")).to_have_value(re.compile("Change a word and watch the preview"))
    look(page, "sample")
    with untouched.app():
        assert Setting.read("time_zone") == ZONE
    context.close()


def test_setup_works_without_javascript(chromium: Browser, untouched: Desk, watched: Watched) -> None:
    context = chromium.new_context(java_script_enabled=False, base_url=untouched.url)
    context.on("page", watched.watch)
    page = context.new_page()
    page.goto(printed_link(untouched))
    expect(page.get_by_label("Time zone")).to_have_value("UTC")
    fill_in(page)
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_role("button", name="Create blog").click()
    expect_sample_draft(page, untouched)
    with untouched.app():
        assert Setting.read("time_zone") == "Europe/Berlin"
    context.close()
