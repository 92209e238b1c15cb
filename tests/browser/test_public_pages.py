"""Every kind of page of the public blog is accessible, valid HTML, and works on a phone."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from playwright.sync_api import BrowserContext, Route

from blogsvc.config import ROOT
from blogsvc.context import Tools
from blogsvc.demo.fill import fill
from blogsvc.models import Post, db, transaction
from blogsvc.posts import editing, publishing, sharing
from blogsvc.redirects import manage
from blogsvc.scheduler.one_pass import one_pass
from tests.browser.conftest import PASSWORD, Desk, Watched, a_desk
from tests.clock import eventually
from tests.tiers import every, matrix

NU = ROOT / ".venv" / "axe" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"
ODD = {
    "title": "سفينة " + "&lt;script&gt; " * 12,
    "slug": "ship",
    "language": "ar",
    "content": "مرحبا <b>Ahoy</b>[^1]\n\n[^1]: A note.\n\n|a|b|\n|-|-|\n|1|2|\n\n## ١ &\n\n## ١ &\n",
    "tags": ["on/off", "🚢", "C#", '"quoted" & <b>'],
}
PAGES = {
    "home": "/",
    "home, second page": "/?before={newest}",
    "post": "/{post}",
    "post in a series": "/{part}",
    "post with everything": "/forty-minutes-in-the-steam-box",
    "post from right to left": "/ship",
    "page": "/about",
    "tags": "/tags",
    "tag": "/tag/writing",
    "tag with a cover": "/tag/harbour",
    "odd tag": "/tag/on%2Foff",
    "author": "/author/ada-lindqvist",
    "series": "/series/publishing-step-by-step",
    "archive": "/archive",
    "year": "/archive/{year}",
    "subscribe": "/subscribe",
    "search form": "/search",
    "search": "/search?q=harbour",
    "search without a match": "/search?q=xyzzy+%22%26%3C",
    "not found": "/abuot",
    "gone": "/sold",
    "shared draft": "/draft/{token}",
    "unknown draft": "/draft/none",
}
# The sum of all layout shifts so far.
SHIFT = """() => new Promise((found) => {
  new PerformanceObserver((list) => found(list.getEntries().reduce((sum, shift) => sum + shift.value, 0)))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => found(0), 300);
})"""
STATUSES = {"not found": 404, "gone": 410, "unknown draft": 404}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, shared_database_url: str) -> Iterator[Desk]:
    """The blog of `blogsvc demo`, and what is odd."""
    with a_desk(tmp_path_factory.mktemp("blog"), shared_database_url, with_owner=False) as desk:
        with desk.app() as (app, tools):
            fill(app, tools, PASSWORD)
            _publish_oddities(tools)
            one_pass(app, tools)
            posts = db.session.query(Post).filter(Post.published_at.is_not(None), Post.kind == "post").all()
            posts.sort(key=lambda post: post.published_at, reverse=True)
            draft = next(post for post in db.session.query(Post) if post.state == "draft")
            desk.ids = {
                "newest": posts[0].slug,
                "post": next(post.slug for post in posts if post.cover_image and not post.series),
                "part": next(post.slug for post in posts if post.series),
                "year": str(posts[0].published_at.year),
                "token": sharing.share(draft, "Bo", 7, tools.now())[1],
            }
        yield desk


def _publish_oddities(tools: Tools) -> None:
    now = tools.now()
    for fields in (ODD, *({"title": f"Note {number}", "content": "Text"} for number in range(20))):
        with transaction():
            publishing.publish(editing.create(fields, ["site"], now), now)
    manage.create("/sold", None, 410, tools.config.public_url)


@matrix("name", PAGES, default=every(4, PAGES))
def test_every_public_page_is_accessible(
    name: str, open_browser: Callable[..., BrowserContext], desk: Desk, look: Callable[..., None], watched: Watched
) -> None:
    watched.expect("responded with a status of 404", "responded with a status of 410")
    page = open_browser(None).new_page()
    answer = page.goto(PAGES[name].format(**desk.ids), wait_until="networkidle")
    assert answer is not None
    assert answer.status == STATUSES.get(name, 200)
    look(page, f"public-{name.replace(', ', '-').replace(' ', '-')}", all_views=True)


@pytest.mark.parametrize("width", [320, 640])  # 640 is 200 % of 1280
def test_no_public_page_scrolls_sideways(
    width: int, open_browser: Callable[..., BrowserContext], desk: Desk, watched: Watched
) -> None:
    watched.expect("responded with a status of 404", "responded with a status of 410")
    page = open_browser(None).new_page()
    page.set_viewport_size({"width": width, "height": 800})
    widths = {}
    for name, path in PAGES.items():
        page.goto(path.format(**desk.ids))
        widths[name] = page.evaluate("document.documentElement.scrollWidth")
        page.evaluate("document.documentElement.style.fontSize = '200%'")
        widths[f"{name}, large text"] = page.evaluate("document.documentElement.scrollWidth")
    assert {name: wide for name, wide in widths.items() if wide > width} == {}


@pytest.mark.parametrize("name", ["home", "post", "page", "tag", "author", "archive"])
def test_a_public_page_stands_still_and_asks_no_other_host(
    name: str, open_browser: Callable[..., BrowserContext], desk: Desk
) -> None:
    page = open_browser(None).new_page()
    hosts = set()
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    page.goto(PAGES[name].format(**desk.ids), wait_until="networkidle")
    assert page.evaluate(SHIFT) < 0.001
    assert hosts == {urlsplit(desk.url).netloc}


@pytest.mark.parametrize("name", ["home", "post", "page", "tag", "author", "archive"])
def test_a_public_page_hardly_moves_when_its_typeface_arrives_late(
    name: str, open_browser: Callable[..., BrowserContext], desk: Desk
) -> None:
    page = open_browser(None).new_page()
    held: list[Route] = []
    page.route("**/*.woff2", lambda route: held.append(route))
    page.goto(PAGES[name].format(**desk.ids), wait_until="domcontentloaded")
    eventually(lambda: page.evaluate("performance.getEntriesByName('first-contentful-paint').length"))
    assert held
    for route in held:
        route.continue_()
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    assert page.evaluate(SHIFT) < 0.02


def test_every_public_page_is_valid_html(desk: Desk, tmp_path: Path) -> None:
    """Uses the checker of the W3C."""
    if not (NU.exists() and shutil.which("java")):
        pytest.skip("NO NU CHECKER: the HTML of the blog is not checked; tests/browser/install brings it")
    files = {name: tmp_path / f"{number}.html" for number, name in enumerate(PAGES)}
    for name, file in files.items():
        file.write_bytes(_page(desk.url + PAGES[name].format(**desk.ids)))
    checked = subprocess.run(["java", "-jar", NU, "--format", "json", *files.values()], capture_output=True)
    names = {file.name: name for name, file in files.items()}
    errors = [one for one in json.loads(checked.stderr)["messages"] if one["type"] == "error"]
    assert [(names[Path(one["url"]).name], one["message"], one["extract"]) for one in errors] == []


def _page(url: str) -> bytes:
    """Return the HTML at an address, also if the status says that nothing is there."""
    try:
        answer = urlopen(url)
    except HTTPError as error:
        answer = error
    with answer:
        return bytes(answer.read())
