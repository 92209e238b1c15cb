"""From an empty dashboard to a post scheduled to three destinations, in three interactions besides typing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from blogsvc.connections import manage
from blogsvc.models import Setting, transaction
from tests.browser.conftest import Desk, a_desk


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    with a_desk(tmp_path_factory.mktemp("three"), shared_database_url) as desk:
        with desk.app() as (_, tools):
            for name in ("sandbox", "sandbox-two"):
                manage.connect("sandbox", name, {"outcome": "works"}, tools)
            with transaction():
                Setting.write("default_platforms", ["site", "sandbox", "sandbox-two"])
        yield desk


def test_a_post_is_published_to_three_destinations_in_three_interactions(page: Page, look: Callable[..., None]) -> None:
    page.goto("/desk")
    page.keyboard.press("n")  # one
    page.wait_for_url(re.compile("/desk/posts/"))
    page.keyboard.type("The blue pencil")
    page.keyboard.press("Enter")
    page.keyboard.type("Editors used to correct proofs with it.")
    page.keyboard.press("Control+Enter")  # two
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Publish to 3 destinations")).to_be_visible()
    expect(dialog.get_by_role("heading", name="Publish")).to_be_focused()
    look(page, "three-sheet")
    page.keyboard.press("Control+Enter")  # three
    expect(dialog.get_by_role("heading", name="Live on 3 destinations")).to_be_visible()
    look(page, "three-status")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    margin = page.locator("#status-margin")
    page.get_by_text("Destinations", exact=True).click()
    expect(margin.get_by_role("heading", name="Live on 3 destinations")).to_be_visible()
    page.reload()
    page.get_by_text("Destinations", exact=True).click()
    expect(margin.get_by_role("heading", name="Live on 3 destinations")).to_be_visible()
    look(page, "three-margin")


def test_the_publish_button_is_under_the_pointer_that_opened_the_sheet(page: Page) -> None:
    page.goto("/desk")
    page.keyboard.press("n")
    page.wait_for_url(re.compile("/desk/posts/"))
    page.keyboard.type("Under the pointer")
    page.keyboard.press("Enter")
    page.keyboard.type("One click, and one more.")
    page.get_by_role("link", name="Publish…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Publish to 3 destinations")).to_be_visible()
    dialog.get_by_role("radio", name="At", exact=True).check()
    dialog.get_by_label("Day and time").fill("2031-03-04T09:00")
    expect(dialog.get_by_role("button", name="Schedule for Tue 4 Mar 2031, 09:00")).to_be_visible()
    page.get_by_role("link", name="Publish…", include_hidden=True).evaluate("""(link) => {
      const box = link.getBoundingClientRect();
      document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2).click();
    }""")
    expect(dialog.get_by_role("heading", name="Scheduled for 4 Mar 2031, 09:00")).to_be_visible()
    expect(dialog.get_by_text("3 destinations")).to_be_visible()
