"""What has the focus is never behind a bar or a button that stays in the window (WCAG 2.4.11)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import NARROW, WIDE, Desk, Watched
from tests.browser.dialogs import SOON, Opened, a_desk_with_dialogs
from tests.browser.screenshots import PAGES
from tests.tiers import every, matrix

ABOVE_A_KEYBOARD = {"width": 390, "height": 400}
SIZES = (WIDE, NARROW, ABOVE_A_KEYBOARD)
PRESSES = 400  # of Tab, until a page is too long
FORMS = {name: path for name, path in PAGES.items() if name != "editor"} | {
    "publish-text": "/desk/posts/{long}/publish",
    "key-new": "/desk/settings/keys/new",
    "webhook-new": "/desk/settings/webhooks/new",
    "reconnect": "/desk/settings/destinations/mastodon/reconnect",
    "move": "/desk/calendar/posts/{scheduled}",
    "zone": "/desk/queue/zone",
}
DIALOGS = ("details", "publish_with_all_its_texts", "publish_at_a_skipped_time", "move", "free_slot", "palette")

# What the focus is on, and which bar covers a corner or the middle of it. Null at the end of the page.
COVERED = """() => {
    const element = document.activeElement;
    if (!element || element === document.body || element.tagName === "IFRAME") return null;
    const stays = (one) => ["sticky", "fixed"].includes(getComputedStyle(one).position);
    const box = element.getClientRects()[0] ?? element.getBoundingClientRect();
    const name = element.outerHTML.slice(0, 100).replace(/\\s+/g, " ");
    const { left, top, right, bottom } = box;
    const points = [[(left + right) / 2, (top + bottom) / 2]];
    for (const x of [left + 3, right - 3]) for (const y of [top + 3, bottom - 3]) points.push([x, y]);
    const bars = points.map(([x, y]) => {
        if (y < 0 || y > innerHeight) return "the edge of the window";
        let over = document.elementFromPoint(x, y);
        for (; over && !over.contains(element) && !element.contains(over); over = over.parentElement) {
            if (stays(over)) return over.outerHTML.slice(0, 60);
        }
        return "";
    });
    // Browsers scroll to the line of the caret only.
    const hasLines = element instanceof HTMLTextAreaElement || box.height > innerHeight / 2;
    return { name, by: hasLines && bars.includes("") ? "" : bars.find(Boolean) ?? "" };
}"""


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with a_desk_with_dialogs() as desk:
        yield desk


def covered(page: Page) -> list[str]:
    """Move the focus through the page and back, and return what was covered, by what."""
    found = []
    for key in ("Tab", "Shift+Tab"):
        first = None
        for _ in range(PRESSES):
            page.keyboard.press(key)
            focus = page.evaluate(COVERED)
            if focus is None and first is None:
                continue  # the browser itself had the focus
            if focus is None or focus["name"] == first:
                break
            first = first or focus["name"]
            if focus["by"]:
                found.append(f"{key}: {focus['name']} is behind {focus['by']}")
        else:
            raise AssertionError(f"The page has no end after {PRESSES} presses of {key}.")
        assert first, "Nothing on the page takes the focus."
    return found


def open_all(page: Page) -> None:
    page.wait_for_load_state("networkidle")
    page.evaluate("""() => {
        for (const one of document.querySelectorAll("details:not([name], .drop)")) one.open = true;
    }""")


@matrix("name", FORMS, default=every(4, FORMS))
def test_no_bar_covers_what_has_the_focus(name: str, desk: Desk, open_browser: Callable[..., BrowserContext]) -> None:
    page = open_browser(reduced_motion="reduce").new_page()
    found = {}
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.goto(FORMS[name].format(**desk.ids))
        open_all(page)
        found[f"{size['width']}x{size['height']}"] = covered(page)
    assert not any(found.values()), "\n".join(f"{size} {one}" for size, all in found.items() for one in all)


@matrix("name", DIALOGS, default=every(4, DIALOGS))
def test_no_bar_of_a_dialog_covers_what_has_the_focus(
    name: str, desk: Desk, open_browser: Callable[..., BrowserContext], watched: Watched
) -> None:
    page = open_browser(reduced_motion="reduce").new_page()
    found = {}
    expect(getattr(Opened(page, desk), name)()).to_be_visible(timeout=SOON)
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        found[f"{size['width']}x{size['height']}"] = covered(page)
    assert not any(found.values()), "\n".join(f"{size} {one}" for size, all in found.items() for one in all)


def test_no_bar_covers_what_has_the_focus_while_posts_are_selected(page: Page) -> None:
    found = {}
    for size in SIZES:
        page.set_viewport_size(size)  # type: ignore[arg-type]
        page.goto("/desk")
        page.get_by_role("checkbox", name="Select “").first.check()
        found[f"{size['width']}x{size['height']}"] = covered(page)
    assert not any(found.values()), "\n".join(f"{size} {one}" for size, all in found.items() for one in all)
