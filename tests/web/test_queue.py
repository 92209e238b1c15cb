"""The queue: weekly queue slots, the posts on them, and their order."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from blogsvc.context import Tools
from blogsvc.models import Post, QueueSlot, User, db
from blogsvc.posts import calendar, publishing, queue_slots
from tests.clock import Time
from tests.web.page_walk import Pages

HTMX = {"HX-Request": "true", "HX-Request-Type": "partial"}


@pytest.fixture
def daily() -> None:
    queue_slots.change_zone("Europe/Berlin")
    for weekday in range(7):
        queue_slots.add_slot(weekday, "09:00")


@pytest.fixture
def queued(a_post: Callable[..., Post], time: Time, daily: None, tools: Tools) -> list[Post]:
    return [calendar.enqueue(a_post(title=title), time(), tools) for title in ("First", "Second", "Third")]


def order(html: str) -> list[str]:
    return re.findall(r"<bdi>(\w+)</bdi>", html)


def test_queue_slots_can_be_added_for_several_days_and_removed(pages: Pages) -> None:
    answer = pages.post("/desk/queue/slots", weekdays=["0", "4"], time="09:00")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk/queue#slots")
    pages.post("/desk/queue/slots", weekdays=["4", "5"], time="09:00")
    assert [slot.weekday for slot in QueueSlot.all()] == [0, 4, 5]
    assert "Remove Friday, 09:00" in pages.get("/desk/queue").text
    assert pages.post("/desk/queue/slots/remove", slot="4 09:00").status_code == 303
    db.session.rollback()
    db.session.expire_all()
    assert [slot.weekday for slot in QueueSlot.all()] == [0, 5]
    for slot in ("4 09:00", "x 09:00", ""):
        assert pages.post("/desk/queue/slots/remove", slot=slot).status_code == 404


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"time": "09:00"}, "Select at least one day."),
        ({"weekdays": "1"}, "Enter a time."),
        ({"weekdays": "9", "time": "09:00"}, "not a valid choice"),
    ],
)
def test_an_invalid_queue_slot_shows_the_error_at_its_field(pages: Pages, form: dict[str, str], words: str) -> None:
    answer = pages.post("/desk/queue/slots", **form)
    assert (answer.status_code, words in answer.text) == (422, True)
    assert QueueSlot.all() == []


def test_a_queue_that_is_shown_again_leaves_out_what_has_passed(
    pages: Pages, a_post: Callable[..., Post], time: Time
) -> None:
    queue_slots.add_slot(1, "09:02")
    publishing.schedule(a_post(title="Soon"), time() + timedelta(minutes=1), time())
    page = pages.get("/desk/queue").text
    assert "<bdi>Soon</bdi>" in page
    assert "today, 10:02" in page, "nine in UTC is ten in Berlin"
    time.passes(minutes=3)
    page = pages.get("/desk/queue").text
    assert "<bdi>Soon</bdi>" not in page
    assert "today, 10:02" not in page
    assert page.count("free slot</a>") == 10


def test_a_draft_can_be_added_to_the_queue(pages: Pages, a_post: Callable[..., Post], daily: None) -> None:
    post = a_post(title="Next")
    assert "Add to queue" in pages.get("/desk/queue").text
    answer = pages.post(f"/desk/queue/posts/{post.id}", back="queue")
    assert answer.headers["Location"] == f"/desk/queue?moved={post.id}"
    page = pages.get("/desk/queue").text
    assert "“Next” is scheduled for tomorrow, 09:00 (Europe/Berlin)." in page
    assert order(page) == ["Next"]
    assert page.count(">free slot<") == 10


def test_without_queue_slots_nothing_can_be_queued_and_the_page_explains_how_to_begin(
    pages: Pages, a_post: Callable[..., Post]
) -> None:
    assert "No queue slots yet" in pages.get("/desk/queue").text
    answer = pages.post(f"/desk/queue/posts/{a_post().id}")
    assert (answer.status_code, "no free slot" in answer.text) == (409, True)
    assert 'name="time"' in answer.text  # the form for a slot


def test_the_queue_can_be_reordered_with_buttons(pages: Pages, queued: list[Post]) -> None:
    first, second, third = queued
    path = f"/desk/queue/posts/{third.id}/position"
    assert pages.post(path, up=second.id, back="queue").status_code == 303
    assert order(pages.get("/desk/queue").text) == ["First", "Third", "Second"]
    answer = pages.post(path, headers=HTMX, up=first.id, back="queue")
    assert answer.text.lstrip().startswith('<section id="line"')
    assert order(answer.text) == ["Third", "First", "Second"]
    assert order(pages.post(f"/desk/queue/posts/{third.id}/position", headers=HTMX, down=first.id).text)[1] == "Third"


def test_a_post_dropped_on_another_takes_its_queue_slot(pages: Pages, queued: list[Post]) -> None:
    first, _, third = queued
    answer = pages.post(f"/desk/queue/posts/{first.id}/position", headers=HTMX, of=third.id)
    assert order(answer.text) == ["Second", "Third", "First"]


def test_a_post_with_its_own_time_is_listed_in_the_queue_and_keeps_its_time(
    pages: Pages, queued: list[Post], a_post: Callable[..., Post], time: Time
) -> None:
    own = publishing.schedule(a_post(title="Own"), datetime(2026, 11, 26, 12, tzinfo=UTC), time())
    page = pages.get("/desk/queue").text
    assert order(page) == ["First", "Second", "Own", "Third"]
    assert "outside the queue" in page
    answer = pages.post(f"/desk/queue/posts/{queued[0].id}/position", headers=HTMX, of=own.id)
    assert (answer.status_code, "“Own” is no longer in the queue." in answer.text) == (409, True)
    assert order(answer.text) == ["First", "Second", "Own", "Third"]


def test_a_long_queue_links_to_the_calendar(
    pages: Pages, a_post: Callable[..., Post], time: Time, daily: None, tools: Tools
) -> None:
    assert "Later posts are in the" not in pages.get("/desk/queue").text
    for _ in range(95):
        calendar.enqueue(a_post(title="One"), time(), tools)
    page = pages.get("/desk/queue")
    assert len(order(page.text)) == 95
    assert page.text.count(">free slot<") == 5
    assert 'Later posts are in the <a href="/desk/calendar?month=2027-03">calendar</a>.' in page.text


def test_changing_the_time_zone_of_the_queue_explains_the_effect(pages: Pages, queued: list[Post]) -> None:
    before = queued[0].scheduled_at
    assert "keep their time" in pages.get("/desk/queue/zone").text
    answer = pages.post("/desk/queue/zone", time_zone="Asia/Tokio")
    assert (answer.status_code, "did you mean Asia/Tokyo" in answer.text) == (422, True)
    assert pages.post("/desk/queue/zone", time_zone="Asia/Tokyo").status_code == 303
    db.session.rollback()
    db.session.expire_all()
    assert (queue_slots.blog_zone(), queued[0].scheduled_at) == ("Asia/Tokyo", before)
    assert "Asia/Tokyo (UTC+9)" in pages.get("/desk/queue").text


def test_an_author_cannot_change_queue_slots(
    somebody: Callable[..., User], browser_of: Callable[[User], Pages], queued: list[Post]
) -> None:
    browser = browser_of(somebody("author", name="Ben"))
    page = browser.get("/desk/queue").text
    assert "Monday" in page
    assert order(page) == []
    assert "Add queue slot" not in page
    assert browser.post("/desk/queue/slots", weekdays="1", time="10:00").status_code == 403
    assert browser.post("/desk/queue/zone", time_zone="UTC").status_code == 403
