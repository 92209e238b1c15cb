"""Every page is accessible, within its policy, and free of errors, also with content."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blogsvc.web.framework.routes import DEMANDS
from tests.browser.conftest import PASSWORD, Desk
from tests.browser.dialogs import a_desk_with_dialogs
from tests.browser.screenshots import PAGES
from tests.tiers import every, matrix

# Pages whose content a test of their own makes, and checks them with `look`.
ELSEWHERE = {
    "an_import": "test_moving.py",
    "change_api_key": "test_destinations.py",
    "change_webhook": "test_destinations.py",
    "code_setup": "test_sign_in.py",
    "delete_webhook": "test_destinations.py",
    "hand_over": "test_hand_over.py",
    "missing_second_factor": "test_sign_in.py",
    "revoke_api_key": "test_destinations.py",
    "rotate_api_key": "test_destinations.py",
    "rotate_webhook_secret": "test_destinations.py",
    "webhook": "test_destinations.py",
    "webhook_message": "test_destinations.py",
    "welcome": "test_first_run.py",
}
NOT_PAGES = {
    "analytics_csv": "a file",
    "analytics_of_post_csv": "a file",
    "article_text": "a part of the publish dialog",
    "export_file": "a file",
    "read_draft": "JSON",
    "redirects_file": "a file",
    "schedule_status": "a part of the editor",
    "tag_choices": "a part of the details",
}
WITH_CONTENT = PAGES | {
    "author": "/desk/settings/authors/ada",
    "author-new": "/desk/settings/authors/new",
    "bulk-schedule": "/desk/bulk/schedule?post={post}&post={external}",
    "calendar-week": "/desk/calendar?week=",
    "confirm": "/desk/confirm",
    "connect-wordpress": "/desk/settings/destinations/new/wordpress",
    "cover": "/desk/posts/{post}/cover",
    "disconnect": "/desk/settings/destinations/mastodon/disconnect",
    "drafts": "/desk?in=drafts",
    "image": "/desk/media/{media}",
    "key-new": "/desk/settings/keys/new",
    "move": "/desk/calendar/posts/{scheduled}",
    "page": "/desk/posts/{post}/page",
    "preview": "/desk/posts/{post}/preview",
    "published": "/desk?in=published",
    "publish-too-long": "/desk/posts/{long}/publish",
    "publish-changes": "/desk/posts/{changed}/publish",
    "queue-zone": "/desk/queue/zone",
    "reconnect": "/desk/settings/destinations/mastodon/reconnect",
    "rename": "/desk/settings/destinations/mastodon/rename",
    "slot": "/desk/calendar/slot?at=2031-07-22T07:00:00Z",
    "status-scheduled": "/desk/posts/{scheduled}/status",
    "waiting": "/desk/waiting/wordpress",
    "series-change": "/desk/settings/series/{series}",
    "series-new": "/desk/settings/series/new",
    "site-icon": "/desk/settings/blog/images/icon",
    "look-preview": "/desk/settings/look/preview",
    "redirect-change": "/desk/settings/redirects/{redirect}",
    "redirect-new": "/desk/settings/redirects/new",
    "tag": "/desk/settings/tags/edit?tag=design",
    "webhook-new": "/desk/settings/webhooks/new",
}
OPEN_ALL = """() => {
    for (const one of document.querySelectorAll("details:not([name], .drop)")) one.open = true;
}"""


@pytest.fixture(scope="module")
def desk() -> Iterator[Desk]:
    with a_desk_with_dialogs() as desk:
        yield desk


@matrix("name", WITH_CONTENT, default=every(4, WITH_CONTENT))
def test_every_page_is_accessible_with_content(name: str, page: Page, desk: Desk, look: Callable[..., None]) -> None:
    answer = page.goto(WITH_CONTENT[name].format(**desk.ids), wait_until="networkidle")
    assert answer is not None
    assert answer.status == 200
    page.evaluate(OPEN_ALL)
    look(page, f"content-{name}", all_views=True)


def test_every_page_of_an_owner_is_visited(desk: Desk) -> None:
    with desk.app() as (app, _):
        urls = app.url_map.bind("localhost")
        visited = {urls.match(path.format(**desk.ids).partition("?")[0])[0] for path in WITH_CONTENT.values()}
        pages = {rule.endpoint for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ())}
    required = {name for name in DEMANDS if f"desk.{name}" in pages and DEMANDS[name] is not None}
    assert {name.removeprefix("desk.") for name in visited} | set(ELSEWHERE) | set(NOT_PAGES) == required


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
    look(page, "login", all_views=True)
