"""The pages in a real Chromium, on a real server: only the platforms are fake.

A page that logs to its console or violates the content security policy fails its test. `look` checks a page against
WCAG 2.2 AA with axe: every page and dialog in each width and color scheme, other states wide and light, then narrow and
dark, or with `--all-views` in all four, too.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from blogsvc import create_app, migrate
from blogsvc.auth import accounts
from blogsvc.config import ROOT
from blogsvc.context import Tools
from blogsvc.models import Setting, close_connections, db, transaction
from tests.browser.website import Website
from tests.kill.server import Server

CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
AXE = ROOT / ".venv" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
VIEWS = [(WIDE, "light"), (NARROW, "dark")]  # each width and each color scheme once
ALL_VIEWS = [*VIEWS, (WIDE, "dark"), (NARROW, "light")]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PASSWORD = "a ferry in the fog"
PATIENCE = 60_000  # milliseconds until a page or a state of it is given up, on a busy machine
expect.set_options(timeout=PATIENCE)
SHOTS = os.environ.get("SHOTS")  # a directory for screenshots of every page that is checked


@pytest.fixture(scope="session")
def axe() -> str:
    """Return axe-core, as installed by tests/browser/install."""
    if not AXE.exists():
        pytest.skip("NO AXE-CORE: the pages are not tested for accessibility; tests/browser/install brings it")
    return AXE.read_text()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not shutil.which(CHROMIUM):
        pytest.skip("NO CHROMIUM: the pages are not tested in a browser; tests/browser/install brings it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Desk:
    """A running server with its owner, Ann, in Europe/Berlin. `desk.app()` gives access to its database.

    `ids` are those of its sample posts, by what they are good for.
    """

    server: Server
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.port}"

    @contextmanager
    def app(self) -> Iterator[tuple[Flask, Tools]]:
        """Yield an application on the same database in this process, to prepare or inspect data."""
        app = create_app(self.server.config)
        with app.app_context():
            yield app, app.extensions["tools"]
            close_connections()

    def token(self, email: str = "ann@blog.example") -> str:
        """Return a session cookie of a signed-in user."""
        with self.app() as (app, tools):
            user = accounts.User.by_email(email)
            assert user is not None
            _, token = accounts.begin_session(user, "a test", "127.0.0.1", tools.now())
            serializer = app.session_interface.get_signing_serializer(app)  # type: ignore[attr-defined]
            return serializer.dumps({"token": token, "_permanent": True})  # type: ignore[no-any-return]


@contextmanager
def a_desk(folder: Path, database_url: str = "", with_owner: bool = True, **settings: str) -> Iterator[Desk]:
    server = Server(folder / "instance", database_url, settings=settings)
    app = create_app(server.config)
    migrate(app)
    with app.app_context():
        tools: Tools = app.extensions["tools"]
        if with_owner:
            accounts.add_user("ann@blog.example", "Ann", PASSWORD, "owner", "Europe/Berlin", tools.now())
            with transaction():
                Setting.write("blog_title", "Ink and paper")
                Setting.write("time_zone", "Europe/Berlin")
        close_connections()
    server.start()
    try:
        server.wait_until_ready()
        yield Desk(server)
    finally:
        server.kill()
    assert server.tracebacks() == []


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    """One server for all tests of a module. Tests with their own posts do not affect each other."""
    with a_desk(tmp_path_factory.mktemp("desk"), shared_database_url) as desk:
        yield desk


class Watched:
    """Console errors and policy violations of a page."""

    def __init__(self) -> None:
        self.troubles: list[str] = []
        # Errors that a test causes on purpose: `watched.expect("503")`. Rejections are expected anyway.
        self.expected: list[str] = [f"responded with a status of {status}" for status in (401, 409, 422)]

    def watch(self, page: Page) -> None:
        page.on("console", lambda said: self._note(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self._note(str(error)))
        page.add_init_script(
            "document.addEventListener('securitypolicyviolation', e =>"
            " console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )

    def _note(self, text: str) -> None:
        self.troubles.append(text)

    def expect(self, *texts: str) -> None:
        self.expected.extend(texts)

    @property
    def unexpected(self) -> list[str]:
        return [text for text in self.troubles if not any(known in text for known in self.expected)]


@pytest.fixture
def watched() -> Iterator[Watched]:
    watched = Watched()
    yield watched
    assert watched.unexpected == []


@pytest.fixture
def open_browser(chromium: Browser, desk: Desk, watched: Watched) -> Iterator[Callable[..., BrowserContext]]:
    """Return a function that opens a browser: signed in as Ann, or as `email`; None is signed out; `scripts=False`."""
    contexts = []

    def make(email: str | None = "ann@blog.example", scripts: bool = True, **options: Any) -> BrowserContext:
        context = chromium.new_context(
            base_url=desk.url, java_script_enabled=scripts, **({"viewport": WIDE, "locale": "en-GB"} | options)
        )
        context.set_default_timeout(PATIENCE)
        context.on("page", watched.watch)
        if email is not None:
            context.add_cookies([{"name": "blogsvc", "value": desk.token(email), "url": desk.url}])
        contexts.append(context)
        return context

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def page(open_browser: Callable[..., BrowserContext]) -> Page:
    """Ann's browser, signed in."""
    return open_browser().new_page()


@pytest.fixture
def plain_page(open_browser: Callable[..., BrowserContext]) -> Page:
    """The same without JavaScript."""
    return open_browser(scripts=False).new_page()


@pytest.fixture
def look(axe: str, pytestconfig: pytest.Config) -> Callable[..., None]:
    """Check the current page, open dialogs included, against WCAG 2.2 AA and for horizontal overflow, in each view.

    With SHOTS=FOLDER, also take screenshots of all views.
    """
    views = ALL_VIEWS if SHOTS or pytestconfig.getoption("--all-views") else VIEWS

    def hold(page: Page, name: str, *, can_scroll: bool = False, all_views: bool = False) -> None:
        before = page.viewport_size
        for width, scheme in ALL_VIEWS if all_views else views:
            page.set_viewport_size(width)  # type: ignore[arg-type]
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            where = f"{name}, {scheme}, {width['width']} px"
            if SHOTS:
                page.screenshot(path=Path(SHOTS) / f"{name}-{width['width']}-{scheme}.png", caret="initial")
            assert _violations(page, axe) == [], where
            overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            assert can_scroll or overflow <= 0, f"{where}: {overflow} px too wide"
        page.set_viewport_size(before or WIDE)  # type: ignore[arg-type]
        page.emulate_media(color_scheme="light")

    return hold


def _violations(page: Page, axe: str) -> list[str]:
    # Evaluated instead of added as a script tag, which the policy of the page would reject.
    page.evaluate(axe)
    found = page.evaluate("tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", TAGS)
    return [
        f"{rule['id']}: {rule['help']}: {', '.join(node['html'][:200] for node in rule['nodes'][:3])}"
        for rule in found["violations"]
    ]


__all__ = ["PASSWORD", "Desk", "Watched", "a_desk", "db"]


@pytest.fixture
def website() -> Iterator[Website]:
    website = Website()
    yield website
    website.go_on.set()
    website.server.shutdown()
    website.server.server_close()
