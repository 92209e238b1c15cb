"""The first run in a real browser: from the link in the server log to the first post."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from blogsvc.models import Setting, User
from tests.browser.conftest import NARROW, Desk, Watched, a_desk
from tests.browser.hands import TARGET

Look = Callable[..., None]
ZONE = "Asia/Tokyo"
OFFERS = {"Choose a platform": "/desk/settings/destinations", "Choose what to import": "/desk/settings/import"}


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


def expect_welcome(page: Page, desk: Desk) -> None:
    expect(page.get_by_role("heading", name="Your blog is ready")).to_be_visible()
    expect(page.get_by_role("link", name=desk.url.removeprefix("http://"))).to_have_attribute("href", desk.url)
    for offer, opens in OFFERS.items():
        expect(page.get_by_role("link", name=offer)).to_have_attribute("href", opens)
    expect(page.get_by_role("button", name="Start writing")).to_be_visible()
    with desk.app():
        assert [(one.name, one.role) for one in User.all()] == [("Ann", "owner")]


def expect_next_steps(page: Page) -> None:
    steps = page.get_by_role("region", name="Next steps")
    for step, opens in zip(("Connect a destination", "Import your blog"), OFFERS.values(), strict=True):
        expect(steps.get_by_role("link", name=step)).to_have_attribute("href", opens)
    expect(steps.get_by_role("button", name="Hide these suggestions")).to_be_visible()


def test_setup_leads_from_the_printed_link_to_the_first_post(
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
    expect_welcome(page, untouched)
    look(page, "welcome")
    page.get_by_role("button", name="Start writing").click()
    expect(page.get_by_label("Title")).to_be_focused()
    page.goto("/desk")
    expect_next_steps(page)
    look(page, "next-steps")
    page.get_by_role("link", name="Start here: a sample draft").click()
    expect(page.get_by_label("Text, in Markdown")).to_have_value(re.compile("Change a word and watch the preview"))
    look(page, "sample")
    with untouched.app():
        assert Setting.read("time_zone") == ZONE
    context.close()


def test_the_first_run_leads_from_several_errors_through_a_destination_to_writing(
    chromium: Browser, untouched: Desk, watched: Watched, look: Look
) -> None:
    watched.expect("422")
    context = chromium.new_context(timezone_id=ZONE, base_url=untouched.url)
    context.on("page", watched.watch)
    page = context.new_page()
    page.goto(printed_link(untouched))
    fill_in(page)
    page.get_by_label("E-mail").fill("ann@")
    page.get_by_label("Password").fill("short")
    page.get_by_role("button", name="Create blog").click()
    summary = page.get_by_role("alert")
    expect(summary).to_have_text("2 fields need a change: E-mail and Password.")
    expect(page.get_by_label("E-mail")).to_be_focused()
    look(page, "setup-refused-twice")
    summary.get_by_role("link", name="Password").click()
    expect(page.get_by_label("Password")).to_be_focused()
    fill_in(page)
    page.get_by_role("button", name="Create blog").click()
    page.get_by_role("link", name="Choose a platform").click()
    page.goto("/desk/settings/destinations/new/sandbox")
    page.get_by_role("button", name="Connect Sandbox").click()
    expect(page.get_by_role("heading", name="Sandbox is connected")).to_be_visible()
    look(page, "connected-first")
    page.get_by_label("Selected for new posts").check()
    page.get_by_role("button", name="Start writing").click()
    expect(page.get_by_label("Title")).to_be_focused()
    with untouched.app():
        assert Setting.read("default_platforms") == ["site", "sandbox"]
    context.close()


def test_setup_selects_the_time_zone_also_if_the_browser_has_an_older_name_for_it(
    chromium: Browser, untouched: Desk, watched: Watched
) -> None:
    context = chromium.new_context(timezone_id="Asia/Calcutta", base_url=untouched.url)
    context.on("page", watched.watch)
    page = context.new_page()
    page.goto(printed_link(untouched))
    expect(page.get_by_label("Time zone")).to_have_value("Asia/Kolkata")
    assert page.get_by_label("Time zone").locator(":checked").inner_text() == "Kolkata (UTC+5:30)"
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
    expect_welcome(page, untouched)
    page.get_by_role("button", name="Start writing").click()
    expect(page.get_by_label("Text, in Markdown")).to_have_value("")
    page.goto("/desk")
    expect_next_steps(page)
    page.get_by_role("button", name="Hide these suggestions").click()
    expect(page.get_by_text("Suggestions hidden.")).to_be_visible()
    expect(page.get_by_role("region", name="Next steps")).to_have_count(0)
    with untouched.app():
        assert Setting.read("time_zone") == "Europe/Berlin"
    context.close()


def test_on_a_phone_each_way_to_start_is_as_wide_as_the_page_and_large_enough_for_a_thumb(
    chromium: Browser, untouched: Desk, watched: Watched
) -> None:
    context = chromium.new_context(viewport=NARROW, has_touch=True, base_url=untouched.url)
    context.on("page", watched.watch)
    page = context.new_page()
    page.goto(printed_link(untouched))
    fill_in(page)
    page.get_by_role("button", name="Create blog").click()
    page.wait_for_url("/desk/welcome")
    boxes = [button.bounding_box() for button in page.locator("main .btn").all()]
    assert [box is not None and (box["width"], box["height"] >= TARGET) for box in boxes] == [(358, True)] * 3
    page.goto("/desk")
    boxes = [button.bounding_box() for button in page.get_by_role("region", name="Next steps").locator(".btn").all()]
    assert [box is not None and box["height"] >= TARGET for box in boxes] == [True] * 3
    context.close()
