"""The calendar and the queue in a browser: by dragging, by keyboard, on a phone, and without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from blogsvc.models import Post
from blogsvc.posts import editing, publishing, queue_slots
from blogsvc.posts.publish_request import WallTime
from tests.browser.conftest import NARROW, Desk
from tests.clock import eventually

BERLIN = "Europe/Berlin"


@pytest.fixture(scope="module")
def next_month(desk: Desk) -> datetime:
    """Return the first day of next month in Berlin, as a naive local time."""
    with desk.app() as (_, tools):
        now = tools.now().astimezone(ZoneInfo(BERLIN)).replace(tzinfo=None)
    return (now.replace(day=1, hour=0, minute=0, second=0, microsecond=0) + timedelta(days=32)).replace(day=1)


def write(desk: Desk, title: str, at: datetime | None = None, *, live: bool = False) -> str:
    """Create a post; with `at` it is scheduled for that local time in Berlin."""
    with desk.app() as (_, tools):
        post = editing.create({"title": title, "content": "Words."}, None, tools.now())
        if at is not None:
            publishing.schedule(post, WallTime(at, BERLIN), tools.now())
        if live:
            publishing.publish(post, tools.now())
        return post.id


def add_slots(desk: Desk, *times: tuple[int, str]) -> None:
    with desk.app():
        for weekday, time in times:
            queue_slots.add_slot(weekday, time)


def scheduled_at(desk: Desk, post_id: str) -> datetime | None:
    """Return the scheduled local time in Berlin."""
    with desk.app():
        at = Post.get(post_id).scheduled_at
        return at.astimezone(ZoneInfo(BERLIN)).replace(tzinfo=None) if at else None


def next_change(after: datetime) -> datetime:
    """Return 02:30 on the last Sunday of next March, which does not exist in Berlin."""
    last = after.replace(year=after.year + (after.month > 2), month=3, day=31, hour=2, minute=30)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def chip(page: Page, title: str) -> Locator:
    return page.locator(".chip").filter(has=page.locator(".title", has_text=title))


def day(page: Page, at: datetime) -> Locator:
    return page.locator(f'[data-on="day={at:%Y-%m-%d}"]')


def test_a_post_can_be_dragged_to_another_day_and_returns_if_rejected(
    page: Page, desk: Desk, next_month: datetime, look: Callable[..., None]
) -> None:
    tenth = next_month.replace(day=10, hour=9)
    post_id = write(desk, "On ferries", tenth)
    empty = write(desk, "Nothing in it yet")
    with desk.app() as (_, tools):
        editing.edit(Post.get(empty), {"content": ""}, None, tools.now())
    write(desk, "Out already", live=True)
    add_slots(desk, (1, "08:15"), (3, "08:15"))
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    twelfth = tenth + timedelta(days=2)
    chip(page, "On ferries").drag_to(day(page, twelfth))
    expect(page.locator("#notices")).to_contain_text("“On ferries” is scheduled")
    expect(day(page, twelfth)).to_contain_text("On ferries")
    expect(chip(page, "On ferries").get_by_role("link").first).to_be_focused()
    assert scheduled_at(desk, post_id) == twelfth
    look(page, "calendar")

    place = page.locator(".open").nth(1)
    date = place.locator("xpath=ancestor::li[@data-on]").get_attribute("data-on")
    chip(page, "On ferries").drag_to(place)
    expect(page.locator(f'[data-on="{date}"] .chip')).to_contain_text("08:15")

    chip(page, "Nothing in it yet").drag_to(day(page, twelfth))
    expect(page.locator("#notices")).to_contain_text("Add content before")
    expect(page.locator(".drafts").get_by_text("Nothing in it yet")).to_be_visible()

    chip(page, "On ferries").drag_to(page.locator(".drafts"))
    expect(page.locator(".drafts").get_by_text("On ferries")).to_be_visible()
    eventually(lambda: scheduled_at(desk, post_id) is None)  # the page shows it at once

    page.goto("/desk/calendar")
    expect(chip(page, "Out already")).not_to_have_attribute("draggable", "true")
    page.goto("/desk/calendar?view=list")
    look(page, "calendar-list")


def test_a_drop_can_be_undone_and_one_on_a_past_day_says_why_it_is_refused(
    page: Page, desk: Desk, next_month: datetime, look: Callable[..., None]
) -> None:
    tenth = next_month.replace(day=10, hour=9)
    post_id = write(desk, "Back and forth", tenth)
    page.goto(f"/desk/calendar?week={tenth:%Y-%m-%d}")
    look(page, "calendar-week")
    neighbour = tenth + timedelta(days=1 if tenth.weekday() < 6 else -1)
    chip(page, "Back and forth").drag_to(day(page, neighbour))
    expect(page.locator("#notices")).to_contain_text("“Back and forth” is scheduled")
    assert scheduled_at(desk, post_id) == neighbour
    page.get_by_role("button", name="Undo").click()
    expect(day(page, tenth)).to_contain_text("Back and forth")
    eventually(lambda: scheduled_at(desk, post_id) == tenth)

    draft = write(desk, "Dragged into the past")
    page.goto("/desk/calendar?month=2026-01")
    chip(page, "Dragged into the past").drag_to(page.locator('[data-on="day=2026-01-15"]'))
    expect(page.locator("#notices")).to_contain_text("This day is in the past. Choose a later day.")
    assert scheduled_at(desk, draft) is None


def test_a_click_on_an_empty_day_starts_a_post_for_that_day(page: Page, next_month: datetime) -> None:
    twentieth = next_month.replace(day=20)
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    day(page, twentieth).click(position={"x": 40, "y": 90})
    page.wait_for_url("**/desk/posts/*")
    expect(page.locator("#notices")).to_contain_text("This draft is for")
    assert f"at={twentieth:%Y-%m-%d}" in page.url


def test_a_dragged_post_returns_if_the_server_does_not_respond(
    page: Page, desk: Desk, next_month: datetime, watched: object
) -> None:
    watched.expect("ERR_FAILED", "Failed to fetch")  # type: ignore[attr-defined]
    at = next_month.replace(day=14, hour=9)
    write(desk, "Going nowhere", at)
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    page.route("**/drop", lambda route: route.abort())
    chip(page, "Going nowhere").drag_to(day(page, at + timedelta(days=1)))
    expect(page.locator("#notices")).to_contain_text("the server didn't respond")
    expect(day(page, at)).to_contain_text("Going nowhere")


def test_a_post_can_be_moved_with_the_keyboard(
    page: Page, desk: Desk, next_month: datetime, look: Callable[..., None]
) -> None:
    at = next_month.replace(day=17, hour=9)
    post_id = write(desk, "By hand", at)
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    chip(page, "By hand").get_by_role("link").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Move “By hand”")
    expect(dialog.get_by_label("Day")).to_be_focused()
    look(page, "calendar-move")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(chip(page, "By hand").get_by_role("link", name="Move By hand")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog.get_by_label("Day")).to_be_focused()
    page.keyboard.type(f"{at:%m}19{at:%Y}")  # the order of its fields depends on the language of the browser
    dialog.get_by_role("button", name="Move").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#notices")).to_contain_text("“By hand” is scheduled")
    expect(chip(page, "By hand").get_by_role("link").first).to_be_focused()
    assert scheduled_at(desk, post_id) == at.replace(day=19)
    page.goto(f"/desk/calendar/posts/{post_id}")  # the same as a page
    expect(page.get_by_role("heading", level=1)).to_have_text("Move “By hand”")
    look(page, "calendar-move-page")


def test_a_skipped_local_time_asks_for_a_choice(
    page: Page, desk: Desk, next_month: datetime, look: Callable[..., None]
) -> None:
    change = next_change(next_month)
    post_id = write(desk, "In the gap", change - timedelta(days=2))
    page.goto(f"/desk/calendar?month={change:%Y-%m}")
    chip(page, "In the gap").drag_to(day(page, change))
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("skip 02:30")
    expect(day(page, change - timedelta(days=2))).to_contain_text("In the gap")
    look(page, "calendar-which")
    dialog.get_by_role("button", name="03:30").click()
    expect(dialog).to_be_hidden()
    expect(day(page, change)).to_contain_text("03:30")
    assert scheduled_at(desk, post_id) == change.replace(hour=3)

    chip(page, "In the gap").get_by_role("link", name="Move In the gap").click()
    dialog.get_by_label("Time").fill("02:15")
    dialog.get_by_role("button", name="Move").click()
    expect(dialog).to_contain_text("skip 02:15")
    dialog.get_by_role("button", name="01:15").click()
    expect(page.locator("#notices")).to_contain_text("01:15")
    assert scheduled_at(desk, post_id) == change.replace(hour=1, minute=15)


def test_queue_slots_can_be_added_and_drafts_queued(page: Page, desk: Desk, look: Callable[..., None]) -> None:
    for title in ("Alpha", "Beta", "Gamma"):
        write(desk, title)
    page.goto("/desk/queue")
    for name in ("Wednesday", "Saturday"):
        page.get_by_role("checkbox", name=name).check()
    page.get_by_label("Time", exact=True).fill("07:45")
    page.get_by_role("button", name="Add queue slot").click()
    expect(page.get_by_role("button", name="Remove Saturday, 07:45")).to_be_visible()
    for title in ("Alpha", "Beta", "Gamma"):
        page.get_by_role("button", name=f"Add to queue {title}").click()
    line = page.locator(".entry bdi").filter(has_text="a")
    queued = ["Alpha", "Beta", "Gamma"]
    expect(page.locator(".entry[draggable] bdi")).to_have_text(queued)
    look(page, "queue")
    page.get_by_role("button", name="Move “Gamma” earlier").click()
    expect(page.locator(".entry[draggable] bdi")).to_have_text(["Alpha", "Gamma", "Beta"])
    expect(page.get_by_role("button", name="Move “Gamma” earlier")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".entry[draggable] bdi")).to_have_text(["Gamma", "Alpha", "Beta"])
    rows = page.locator(".entry[draggable]")
    rows.filter(has_text="Beta").drag_to(rows.filter(has_text="Gamma"))
    expect(line.filter(has_text="Beta")).to_be_visible()
    expect(page.locator(".entry[draggable] bdi")).to_have_text(["Beta", "Gamma", "Alpha"])
    page.get_by_role("button", name="Remove Saturday, 07:45").click()
    expect(page.get_by_role("button", name="Remove Saturday, 07:45")).to_have_count(0)
    page.get_by_role("link", name="free slot").first.click()
    expect(page.get_by_role("dialog")).to_contain_text("is free")
    look(page, "calendar-place")
    page.goto("/desk/queue/zone")
    look(page, "queue-zone")


def test_on_a_phone_the_month_is_a_list(
    open_browser: Callable[..., BrowserContext], desk: Desk, next_month: datetime
) -> None:
    write(desk, "On the way", next_month.replace(day=21, hour=9))
    page = open_browser(viewport=NARROW, has_touch=True).new_page()
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    expect(day(page, next_month.replace(day=21))).to_contain_text(f"{next_month.replace(day=21):%a} 21")
    expect(page.locator(".bare:not(.today)").first).to_be_hidden()
    page.get_by_role("link", name="Move On the way").click()
    expect(page.get_by_role("dialog").get_by_label("Day")).to_be_visible()


def test_a_post_can_be_moved_without_javascript(plain_page: Page, desk: Desk, next_month: datetime) -> None:
    at = next_month.replace(day=24, hour=9)
    post_id = write(desk, "Plainly", at)
    page = plain_page
    page.goto(f"/desk/calendar?month={next_month:%Y-%m}")
    page.get_by_role("link", name="Move Plainly").click()
    page.get_by_label("Day").fill("2001-01-01")
    page.get_by_role("button", name="Move").click()
    expect(page.get_by_text("This day is in the past")).to_be_visible()
    page.get_by_label("Day").fill(f"{at.replace(day=26):%Y-%m-%d}")
    page.get_by_label("Time").fill("18:00")
    page.get_by_role("button", name="Move").click()
    expect(day(page, at.replace(day=26))).to_contain_text("18:00")
    assert scheduled_at(desk, post_id) == at.replace(day=26, hour=18)
