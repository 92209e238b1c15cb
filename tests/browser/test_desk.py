"""The dashboard in a browser: search, bulk actions, trash, history and attention; with and without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from blogsvc.models import Connection, Post, db, transaction
from blogsvc.posts import autosave, editing, publishing
from blogsvc.posts.publish_request import PublishRequest
from tests.browser.conftest import Desk
from tests.publishing import publish_request

SCRIPTS = (Path(__file__).parent.parent / "payloads" / "scripts.txt").read_text().splitlines()
Look = Callable[..., None]


def write(desk: Desk, *titles: str, **words: object) -> list[str]:
    """Create drafts with these titles and return their ids."""
    with desk.app() as (_, tools):
        fields = {"content": "Of blue pencils.", **words}
        return [_draft(title, fields, tools.now()).id for title in titles]


def _draft(title: str, fields: dict[str, object], now: datetime) -> Post:
    if title:
        return editing.create({"title": title, **fields}, ["site"], now)
    post = autosave.begin(None, now)  # only the editor saves a post without a title
    return autosave.autosave(post, fields, ["site"], post.rev, now)


def row(page: Page, title: str) -> Locator:
    return page.locator("#posts li.post").filter(has_text=title)


def choose(page: Page, *titles: str) -> None:
    for title in titles:
        row(page, title).hover()
        row(page, title).get_by_role("checkbox").check()


@pytest.fixture(scope="module")
def troubles(desk: Desk) -> None:
    """One of each: a disconnected connection, a missed post, grouped failures, an uncertain one, an edited copy."""
    with desk.app() as (_, tools), transaction():
        now = tools.now()
        for name in ("devto", "bluesky", "mastodon"):
            Connection.add(name, name, now)
        for number in range(3):
            post = editing.create({"title": f"Refused {number}", "content": "x"}, ["site", "devto"], now)
            publishing.publish(post, now).delivery_to("devto").fail("rejected", "Too many tags.", now)
            post.settle(now)
        post = editing.create({"title": "In doubt", "content": "x"}, ["bluesky"], now)
        delivery = publishing.publish(post, now).deliveries[0]
        db.session.flush()  # an attempt is of a delivery that is stored
        delivery.choose(now)
        delivery.claim(now, timedelta(minutes=1), "a-process")
        delivery.postpone("uncertain", None, "uncertain", "No answer.", now)
        post.settle(now)
        Connection.named("mastodon").disconnect("The token was revoked.")
        post = editing.create({"title": "Missed", "content": "x"}, ["site"], now)
        publishing.schedule(post, now + timedelta(days=1), now)
        post.state, post.scheduled_at = "missed", now - timedelta(days=2)


def test_attention_is_shown_first_and_can_be_resolved(
    page: Page, desk: Desk, troubles: None, look: Look, watched: object
) -> None:
    write(desk, "مرحبا بالعالم", "W" * 300, "A very long title " * 15, "", *SCRIPTS[:8])
    page.goto("/desk")
    needs = page.get_by_role("region", name="Needs attention")
    expect(needs.get_by_text("Mastodon is disconnected.")).to_be_visible()
    expect(needs.get_by_role("heading", level=3)).to_have_text(
        [re.compile(one) for one in ("This blog", "Bluesky", "DEV", "Mastodon")]
    )
    expect(needs.get_by_text("rejected 3 posts")).to_be_visible()
    expect(needs.get_by_role("link", name="Refused 1")).to_be_visible()
    look(page, "desk-needs")

    needs.get_by_text("Other choices for 3 posts on DEV").click()
    needs.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_text("3 posts dismissed.")).to_be_visible()
    page.get_by_role("button", name="The post is there").click()
    expect(page.get_by_text("1 post resolved.")).to_be_visible()
    page.get_by_role("button", name="Publish now").click()
    expect(page.get_by_text("1 post queued for publishing.")).to_be_visible()
    expect(page.get_by_role("region", name="Needs attention").locator("li.task")).to_have_count(1)
    with desk.app(), transaction():
        Connection.named("mastodon").record_success()
    page.reload()
    expect(page.get_by_role("region", name="Needs attention")).to_have_count(0)


def test_posts_are_searched_while_typing_and_can_be_navigated_with_keys(page: Page, desk: Desk, look: Look) -> None:
    write(desk, "On giraffes", "Of giraffes and more", "Of elephants", tags=["zoo"])
    page.goto("/desk")
    page.keyboard.press("/")
    search = page.get_by_role("searchbox", name="Search posts")
    expect(search).to_be_focused()
    page.keyboard.type("giraffe")
    expect(page.locator("#posts li.post")).to_have_count(2)
    expect(page).to_have_url(f"{desk.url}/desk?q=giraffe")
    expect(page.locator("#posts [role=status]")).to_have_text("2 posts found")
    expect(search).to_be_focused()
    search.fill("")
    page.get_by_label("Tag", exact=True).first.select_option("zoo")
    expect(page.locator("#posts li.post")).to_have_count(3)
    look(page, "desk-search")

    page.locator("h1").click()
    for key in ("j", "j", "x"):
        page.keyboard.press(key)
    expect(page.locator("#posts li.post").nth(1).get_by_role("checkbox")).to_be_checked()
    expect(page.get_by_text("1 selected")).to_be_visible()
    page.keyboard.press("k")
    expect(page.locator("#posts .name a").first).to_be_focused()
    look(page, "desk-chosen")
    page.get_by_label("Select all on this page").check()
    expect(page.get_by_text("3 selected")).to_be_visible()
    page.get_by_label("Select all on this page").uncheck()
    expect(page.locator("#bulk")).to_be_hidden()

    row(page, "On giraffes").get_by_label("More actions for").click()
    expect(page.get_by_role("link", name="Version history")).to_be_visible()
    look(page, "desk-menu")
    page.keyboard.press("Escape")
    expect(page.get_by_role("link", name="Version history")).to_be_hidden()
    page.goto("/desk?q=unheard+of")
    look(page, "desk-nothing")


def test_several_posts_can_be_tagged_scheduled_trashed_restored_and_erased(page: Page, desk: Desk, look: Look) -> None:
    ids = write(desk, "Heron", "Egret", "Stork")
    page.goto("/desk?in=drafts")
    choose(page, "Heron", "Egret")
    page.locator("#bulk").get_by_label("Tag").fill("birds")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 posts tagged “birds”.")).to_be_visible()
    expect(row(page, "Heron")).to_contain_text("birds")
    expect(page).to_have_url(f"{desk.url}/desk?in=drafts")

    choose(page, "Stork")
    page.get_by_role("button", name="Schedule…").click()
    look(page, "desk-schedule")
    page.get_by_role("textbox", name="Time").fill("2020-05-01T09:00")
    page.get_by_role("button", name="Schedule post").click()
    expect(page.get_by_text("This time is in the past")).to_be_visible()
    look(page, "desk-schedule-refused")
    then = datetime.now(UTC) + timedelta(days=40)
    page.get_by_role("textbox", name="Time").fill(f"{then:%Y-%m-%dT09:00}")
    page.get_by_role("button", name="Schedule post").click()
    expect(page.get_by_text("1 post scheduled.")).to_be_visible()
    expect(row(page, "Stork")).to_contain_text("09:00")

    page.goto("/desk?in=drafts")
    choose(page, "Heron", "Egret")
    page.locator("#bulk").get_by_role("button", name="Move to trash").click()
    expect(page.get_by_text("2 posts moved to the trash")).to_be_visible()
    page.goto("/desk/trash")
    look(page, "trash")
    page.get_by_role("button", name="Restore “Heron”").click()
    expect(page.get_by_text("1 post restored from the trash")).to_be_visible()
    choose(page, "Egret")
    page.get_by_role("button", name="Delete permanently…").click()
    expect(page.get_by_role("heading", name="Delete this post permanently?")).to_be_visible()
    look(page, "erase")
    page.get_by_role("button", name="Delete post permanently").click()
    expect(page.get_by_text("1 post deleted permanently.")).to_be_visible()
    look(page, "trash-empty")
    with desk.app():
        assert Post.get(ids[0]).deleted_at is None


@pytest.fixture
def versions(desk: Desk) -> str:
    """Return a post with three versions, the second of which is live."""
    with desk.app() as (_, tools):
        now = tools.now()
        post = editing.create({"title": "Ink", "content": "One line.\n\nAnother line.\n\nالسطر"}, ["site"], now)
        editing.edit(post, {"content": "One line.\n\nAnother good line.\n\nالسطر الأخير"}, None, now)
        publishing.publish(post, now)
        editing.edit(post, {"title": "Ink and " + "W" * 200, "content": "<b>" + "v" * 300}, None, now)
        return post.id


def test_the_menu_of_a_published_post_leads_to_it_on_the_blog(page: Page, desk: Desk) -> None:
    with desk.app() as (_, tools):
        post = editing.create({"title": "On the air", "content": "Some words."}, ["site"], tools.now())
        publish_request(post, PublishRequest(), tools)
        path = f"/desk/posts/{post.id}/status"
    page.goto(path)
    expect(page.get_by_role("button", name="Unpublish post")).to_be_visible()
    expect(page.get_by_role("link", name="View on your blog")).to_be_visible()
    page.goto("/desk")
    page.get_by_label("More actions for “On the air”").click()
    link = page.get_by_role("link", name="View on blog").locator("visible=true")
    with page.context.expect_page() as opened:
        link.click()
    expect(opened.value.locator("article.h-entry")).to_be_visible()


def test_a_version_can_be_compared_and_restored(page: Page, versions: str, look: Look) -> None:
    page.goto(f"/desk/posts/{versions}/history")
    look(page, "history")
    page.get_by_role("link", name="1 Saved").click()
    expect(page.get_by_role("heading", name="Version 1 compared with the current draft")).to_be_visible()
    expect(page.locator("#comparison del").first).to_be_visible()
    expect(page.get_by_role("link", name="1 Saved")).to_have_attribute("aria-current", "true")
    expect(page.locator("#comparison [role=status]")).to_contain_text("Comparing version 1")
    look(page, "history-difference")
    page.get_by_label("Compare with").select_option("2")
    page.get_by_role("button", name="Compare").click()
    expect(page.get_by_role("heading", name="Version 1 compared with version 2")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="1 Saved").click()
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.get_by_text("Version 1 is restored.")).to_be_visible()
    expect(page.get_by_role("link", name="4 Restored from version 1")).to_be_visible()


def test_the_dashboard_works_without_javascript(plain_page: Page, desk: Desk, versions: str) -> None:
    page = plain_page
    write(desk, "Plain one", "Plain two")
    page.goto("/desk")
    page.get_by_role("searchbox").fill("plain")
    page.get_by_role("button", name="Search").click()
    expect(page.locator("#posts li.post")).to_have_count(2)
    choose(page, "Plain one", "Plain two")
    page.locator("#bulk").get_by_role("button", name="Move to trash").click()
    expect(page.get_by_text("2 posts moved to the trash")).to_be_visible()
    page.goto("/desk/trash")
    page.get_by_role("button", name="Restore “Plain one”").click()
    expect(page.get_by_text("1 post restored")).to_be_visible()
    page.get_by_role("button", name="Empty trash…").click()
    page.get_by_role("button", name="permanently").click()
    expect(page.get_by_text("The trash is empty.")).to_be_visible()
    page.goto("/desk?in=drafts&q=plain")
    row(page, "Plain one").get_by_label("More actions for").click()
    page.get_by_role("button", name="Duplicate").click()
    expect(page.get_by_text("is created as a draft")).to_be_visible()

    page.goto(f"/desk/posts/{versions}/history")
    page.get_by_role("link", name="1 Saved").click()
    page.get_by_role("button", name="Restore version 1").click()
    expect(page.get_by_text("Version 1 is restored.")).to_be_visible()
