"""Hostile text is shown as text on every page: no script runs and no policy is violated."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.posts import editing
from tests.browser.conftest import Desk, Watched
from tests.browser.screenshots import PAGES

PAYLOADS = (Path(__file__).parents[1] / "payloads" / "scripts.txt").read_text().splitlines()
CANARY = "for (const name of ['alert', 'confirm', 'prompt']) window[name] = () => { console.error('a script ran') }"


def hostile_posts(desk: Desk) -> tuple[str, list[str]]:
    """Create posts with every payload in each field. Return the one with all payloads, and the others."""
    with desk.app() as (_, tools):
        ids = [
            editing.create({"title": text[:300], "summary": text[:300], "content": text}, None, tools.now()).id
            for text in PAYLOADS
        ]
        whole = editing.create({"title": PAYLOADS[0], "content": "\n\n".join(PAYLOADS)}, None, tools.now())
        return whole.id, ids


def visit(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("networkidle")


def test_no_page_runs_hostile_text(desk: Desk, open_browser: Callable[..., BrowserContext], watched: Watched) -> None:
    watched.expect("status of 404")  # the payloads contain images that do not exist
    whole, ids = hostile_posts(desk)
    browser = open_browser()
    browser.add_init_script(CANARY)
    page = browser.new_page()
    for path in PAGES.values():
        visit(page, path.format(post=whole, failing=whole))
    for post_id in ids[:: max(1, len(ids) // 12)]:
        visit(page, PAGES["editor"].format(post=post_id))
        visit(page, PAGES["publish"].format(post=post_id))


def test_searching_for_hostile_text_runs_nothing(page: Page) -> None:
    page.add_init_script(CANARY)
    for words in ('"><script>alert(1)</script>', "'onfocus=alert(1) autofocus x='", "{{7*7}}${alert(1)}"):
        page.goto("/desk/commands")
        page.get_by_role("searchbox").fill(words)
        expect(page.locator("#found")).to_have_attribute("data-for", words)
        page.goto(f"/desk/commands?{urlencode({'q': words})}")
        page.wait_for_load_state("networkidle")
