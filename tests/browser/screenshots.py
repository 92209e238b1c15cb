"""`make screenshots`: take the screenshots of the README and the docs. With `--all FOLDER`, take one of every page.

The pages come from a real server. Sandbox connections replace the platforms.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import BrowserContext, Page, sync_playwright

from blogsvc.config import ROOT
from blogsvc.demo.fill import EMAIL, fill
from blogsvc.models import Post, db
from tests.browser.conftest import CHROMIUM, FLAGS, NARROW, PASSWORD, WIDE, Desk, a_desk
from tests.browser.seed import seed

SCREENSHOTS = ROOT / "docs" / "screenshots"
COLOURS = 128  # enough colors for these pages, and keeps the files small

PAGES = {
    "dashboard": "/desk",
    "editor": "/desk/posts/{post}",
    "details": "/desk/posts/{post}/details",
    "publish": "/desk/posts/{post}/publish",
    "status": "/desk/posts/{failing}/status",
    "history": "/desk/posts/{failing}/history",
    "share": "/desk/posts/{post}/share",
    "shared-by-app": "/desk/shared-by-app",
    "calendar": "/desk/calendar",
    "agenda": "/desk/calendar?view=list",
    "queue": "/desk/queue",
    "analytics": "/desk/analytics",
    "analytics-post": "/desk/analytics/{failing}",
    "media": "/desk/media",
    "trash": "/desk/trash",
    "commands": "/desk/commands",
    "profile": "/desk/settings/profile",
    "blog": "/desk/settings/blog",
    "destinations": "/desk/settings/destinations",
    "connect": "/desk/settings/destinations/new/mastodon",
    "users": "/desk/settings/users",
    "keys": "/desk/settings/keys",
    "webhooks": "/desk/settings/webhooks",
    "authors": "/desk/settings/authors",
    "series": "/desk/settings/series",
    "tags": "/desk/settings/tags",
    "look": "/desk/settings/look",
    "menus": "/desk/settings/menus",
    "redirects": "/desk/settings/redirects",
    "access": "/desk/settings/access",
    "import": "/desk/settings/import",
    "export": "/desk/settings/export",
}

# Pages of the demo, in README.md and docs/blog-pages-and-menus.md.
OF_THE_DEMO = {
    "blog": "/",
    "post": "/forty-minutes-in-the-steam-box",
    "menus": "/desk/settings/menus",
    "look": "/desk/settings/look",
    "author": "/author/ada-lindqvist",
}


@contextmanager
def a_seeded_desk() -> Iterator[Desk]:
    """Start a server with sample data. Of two posts it has the ids: a draft, and one with a failed delivery."""
    with TemporaryDirectory() as folder, a_desk(Path(folder)) as desk:
        with desk.app() as (app, tools):
            post = seed(tools, app)
            failing = next(each for each in db.session.query(Post) if each.state == "partial")
            desk.ids |= {"post": post.id, "failing": failing.id}
        yield desk


@contextmanager
def a_demo() -> Iterator[Desk]:
    """Start a server with the content of `blogsvc demo`."""
    with TemporaryDirectory() as folder, a_desk(Path(folder), with_owner=False) as desk:
        with desk.app() as (app, tools):
            fill(app, tools, PASSWORD)
        yield desk


@contextmanager
def a_browser(
    desk: Desk, scheme: str, size: dict[str, int], email: str = "ann@blog.example"
) -> Iterator[BrowserContext]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(
            base_url=desk.url,
            viewport=size,  # type: ignore[arg-type]
            color_scheme=scheme,  # type: ignore[arg-type]
            reduced_motion="reduce",
            locale="en-GB",
        )
        context.add_cookies([{"name": "blogsvc", "value": desk.token(email), "url": desk.url}])
        yield context
        browser.close()


def keep(page: Page, file: Path) -> None:
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)
    with Image.open(file) as image:
        image.convert("RGB").quantize(COLOURS).save(file, optimize=True)


def for_readme() -> None:
    SCREENSHOTS.mkdir(exist_ok=True)
    with a_seeded_desk() as desk:
        for scheme in ("light", "dark"):
            with a_browser(desk, scheme, WIDE) as context:
                page = context.new_page()
                for name in ("editor", "dashboard", "calendar", "analytics"):
                    page.goto(PAGES[name].format(**desk.ids))
                    keep(page, SCREENSHOTS / f"{name}-{scheme}.png")
                page.goto(PAGES["editor"].format(**desk.ids))
                page.wait_for_load_state("networkidle")
                page.keyboard.press("Control+Enter")
                page.get_by_role("dialog").get_by_role("button", name="Publish").wait_for()
                keep(page, SCREENSHOTS / f"publish-{scheme}.png")


def of_the_demo() -> None:
    with a_demo() as desk:
        for scheme in ("light", "dark"):
            with a_browser(desk, scheme, WIDE, EMAIL) as context:
                page = context.new_page()
                for name, path in OF_THE_DEMO.items():
                    page.goto(path)
                    keep(page, SCREENSHOTS / f"{name}-{scheme}.png")


def every_page(folder: Path) -> None:
    """Take a screenshot of every page in both color schemes and at both widths, for review."""
    folder.mkdir(parents=True, exist_ok=True)
    with a_seeded_desk() as desk:
        for scheme in ("light", "dark"):
            for size in (WIDE, NARROW):
                with a_browser(desk, scheme, size) as context:
                    page = context.new_page()
                    for name, path in PAGES.items():
                        page.goto(path.format(**desk.ids))
                        page.wait_for_load_state("networkidle")
                        page.screenshot(path=folder / f"{name}-{size['width']}-{scheme}.png", full_page=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--all"]:
        every_page(Path(sys.argv[2]))
    else:
        for_readme()
        of_the_demo()
