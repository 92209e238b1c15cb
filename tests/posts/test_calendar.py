"""The calendar: posts are moved, except published ones, and pinned revisions are kept."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import event, update

from blogsvc.context import Tools
from blogsvc.errors import Invalid, StateConflict
from blogsvc.lib.time import RepeatedTime, SkippedTime
from blogsvc.models import Post, db
from blogsvc.posts import calendar, publishing, queue_slots
from blogsvc.posts.calendar_entries import planned, published, without_time
from blogsvc.posts.publish_request import WallTime
from tests.clock import NOW, Time

pytestmark = pytest.mark.usefixtures("app")

BERLIN = "Europe/Berlin"
DAY = timedelta(days=1)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def local(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.fixture
def scheduled(a_post: Callable[..., Post], time: Time) -> Callable[..., Post]:
    """Return a function that schedules a post at a local time, in Berlin by default."""

    def make(at: str, zone: str = BERLIN, **words: str) -> Post:
        return publishing.schedule(a_post(**words), WallTime(local(at), zone), time())

    return make


@pytest.fixture
def daily(time: Time) -> list[datetime]:
    """Add a queue slot each day at nine in Berlin; return the next ones."""
    queue_slots.change_zone(BERLIN)
    for weekday in range(7):
        queue_slots.add_slot(weekday, "09:00")
    return [place.at for place in queue_slots.next_slots(time(), 6)]


def test_a_post_moved_to_another_day_keeps_its_local_time(
    scheduled: Callable[..., Post], time: Time, tools: Tools
) -> None:
    post = scheduled("2027-03-26T09:00")
    calendar.move(post, date(2027, 3, 29), BERLIN, time(), tools)
    assert (post.state, post.wall_time, post.time_zone) == ("scheduled", "2027-03-29T09:00:00", BERLIN)
    assert post.scheduled_at == utc("2027-03-29T07:00")


def test_moving_a_post_keeps_the_local_time_of_its_own_time_zone(
    scheduled: Callable[..., Post], time: Time, tools: Tools
) -> None:
    """23:30 in New York is the next morning for a viewer in Berlin."""
    post = scheduled("2027-01-10T23:30", "America/New_York")
    calendar.move(post, date(2027, 1, 14), BERLIN, time(), tools)
    assert (post.wall_time, post.time_zone) == ("2027-01-13T23:30:00", "America/New_York")
    assert post.scheduled_at == utc("2027-01-14T04:30")


def test_moving_a_post_without_a_time_zone_keeps_the_local_time_of_the_viewer(
    a_post: Callable[..., Post], time: Time, tools: Tools
) -> None:
    post = publishing.schedule(a_post(), utc("2027-03-26T08:00"), time())
    calendar.move(post, date(2027, 3, 29), BERLIN, time(), tools)
    assert (post.wall_time, post.time_zone) == ("2027-03-29T09:00:00", BERLIN)


def test_a_post_can_be_moved_to_another_day_and_time(scheduled: Callable[..., Post], time: Time, tools: Tools) -> None:
    post = scheduled("2027-01-10T23:30", "America/New_York")
    calendar.move(post, local("2027-02-01T10:15"), BERLIN, time(), tools)
    assert (post.scheduled_at, post.time_zone) == (utc("2027-02-01T09:15"), BERLIN)


def test_moving_a_post_keeps_its_pinned_revision(scheduled: Callable[..., Post], time: Time, tools: Tools) -> None:
    post = scheduled("2027-01-10T09:00")
    pinned = post.live_revision_id
    db.session.execute(update(Post).values(content="Words that came later."))  # as a working copy with newer changes
    db.session.commit()
    calendar.move(post, date(2027, 1, 11), BERLIN, time(), tools)
    assert post.live_revision_id == pinned


@pytest.mark.parametrize("day", [date(2026, 11, 23), date(2026, 1, 1), date(1, 1, 1)])
def test_a_past_day_is_rejected(scheduled: Callable[..., Post], time: Time, day: date, tools: Tools) -> None:
    post = scheduled("2027-01-10T09:00")
    with pytest.raises(Invalid, match="is in the past"):
        calendar.move(post, day, BERLIN, time(), tools)
    db.session.expire_all()
    assert post.scheduled_at == utc("2027-01-10T08:00")


@pytest.mark.parametrize("at", ["2027-01-10T09:00", "2027-01-10T09:58"], ids=["an hour ago", "two minutes ago"])
def test_a_past_time_of_today_is_rejected(scheduled: Callable[..., Post], time: Time, at: str, tools: Tools) -> None:
    with pytest.raises(Invalid, match="is in the past"):
        calendar.move(scheduled(at), time().date(), BERLIN, time(), tools)


@pytest.mark.parametrize("day", [date(2032, 1, 1), date.max])
def test_a_day_too_far_ahead_is_rejected(a_post: Callable[..., Post], time: Time, day: date, tools: Tools) -> None:
    with pytest.raises(Invalid, match="five years"):
        calendar.move(a_post(), day, BERLIN, time(), tools)


def test_a_published_post_cannot_be_moved(a_post: Callable[..., Post], time: Time, tools: Tools) -> None:
    post = a_post(live=True)
    for move in (
        lambda: calendar.move(post, date(2027, 1, 10), BERLIN, time(), tools),
        lambda: calendar.enqueue(post, time(), tools),
        lambda: calendar.use_slot(post, time() + DAY, time(), tools),
    ):
        with pytest.raises(StateConflict, match="already published"):
            move()


def test_a_missed_post_can_be_moved_to_a_later_day(a_post: Callable[..., Post], time: Time, tools: Tools) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    time.passes(days=2)
    publishing.publish_due(time(), timedelta(hours=24))
    db.session.expire_all()
    assert post.state == "missed"
    calendar.move(post, time().date() + DAY, "UTC", time(), tools)
    assert (post.state, post.scheduled_at) == ("scheduled", utc("2026-11-27T10:00"))


def test_moving_to_a_skipped_or_repeated_local_time_is_rejected(
    scheduled: Callable[..., Post], time: Time, tools: Tools
) -> None:
    post = scheduled("2027-03-20T02:30")
    with pytest.raises(SkippedTime):
        calendar.move(post, date(2027, 3, 28), BERLIN, time(), tools)
    with pytest.raises(RepeatedTime):
        calendar.move(post, date(2027, 10, 31), BERLIN, time(), tools)
    db.session.expire_all()
    assert post.scheduled_at == utc("2027-03-20T01:30")
    calendar.move(post, date(2027, 10, 31), BERLIN, time(), tools, fold=1)
    assert post.scheduled_at == utc("2027-10-31T01:30")
    calendar.move(post, date(2027, 3, 28), BERLIN, time(), tools, fold=0)
    assert post.scheduled_at == utc("2027-03-28T01:30")
    calendar.move(post, date(2027, 3, 29), BERLIN, time(), tools)
    assert post.scheduled_at == utc("2027-03-29T00:30")  # and it is 02:30 again


def test_a_draft_moved_to_a_day_takes_the_first_free_queue_slot(
    a_post: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    queue_slots.add_slot(daily[1].weekday(), "15:00")
    for expected in ("2026-11-26T08:00", "2026-11-26T14:00", "2026-11-26T08:00"):
        post = calendar.move(a_post(), date(2026, 11, 26), BERLIN, time(), tools)
        assert (post.state, post.scheduled_at) == ("scheduled", utc(expected))


@pytest.mark.parametrize(
    ("now", "expected"),
    [("2026-11-20T12:00", "2026-11-24T08:00"), ("2026-11-24T08:00", "2026-11-24T09:00")],
)
def test_without_queue_slots_a_draft_is_scheduled_at_nine_or_the_next_hour(
    a_post: Callable[..., Post], now: str, expected: str, tools: Tools
) -> None:
    post = calendar.move(a_post(), date(2026, 11, 24), BERLIN, utc(now), tools)
    assert post.scheduled_at == utc(expected)


def test_a_draft_cannot_be_moved_to_a_day_that_is_nearly_over(a_post: Callable[..., Post], tools: Tools) -> None:
    with pytest.raises(Invalid, match="nearly over"):
        calendar.move(a_post(), date(2026, 11, 24), BERLIN, utc("2026-11-24T22:30"), tools)


def test_a_draft_without_content_cannot_be_scheduled(a_post: Callable[..., Post], time: Time, tools: Tools) -> None:
    with pytest.raises(Invalid, match="Add content before"):
        calendar.move(a_post(content=""), date(2027, 1, 10), BERLIN, time(), tools)


def test_drafts_are_queued_in_order(
    a_post: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    queued = [calendar.enqueue(a_post(), time(), tools) for _ in range(3)]
    assert [post.scheduled_at for post in queued] == daily[:3]
    assert (queued[0].wall_time, queued[0].time_zone) == ("2026-11-25T09:00:00", BERLIN)


def test_without_a_free_queue_slot_nothing_can_be_queued(a_post: Callable[..., Post], time: Time, tools: Tools) -> None:
    with pytest.raises(StateConflict, match="no free slot"):
        calendar.enqueue(a_post(), time(), tools)


def test_a_queue_slot_can_be_used_once(
    a_post: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    calendar.use_slot(a_post(), daily[2], time(), tools)
    for at in (daily[2], daily[2] + timedelta(minutes=1), time() - timedelta(hours=1)):
        with pytest.raises(StateConflict, match="no longer free"):
            calendar.use_slot(a_post(), at, time(), tools)


def test_the_queue_lists_posts_and_free_queue_slots(
    a_post: Callable[..., Post], scheduled: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    own = scheduled("2026-11-25T18:00")
    first, second = (calendar.enqueue(a_post(), time(), tools) for _ in range(2))
    found = [(place.post.post_id, place.at, place.is_slot) for place in calendar.queue(time()) if place.post]
    assert found == [
        (first.id, daily[0], True),
        (own.id, utc("2026-11-25T17:00"), False),
        (second.id, daily[1], True),
    ]


def test_moving_a_post_in_the_queue_shifts_the_posts_between(
    a_post: Callable[..., Post], scheduled: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    a, b, c, d = (calendar.enqueue(a_post(), time(), tools) for _ in range(4))
    own = scheduled("2026-11-26T18:00")
    calendar.swap_before(d, b, time())
    assert [post.scheduled_at for post in (a, d, b, c)] == daily[:4]
    calendar.swap_before(a, c, time())
    assert [post.scheduled_at for post in (d, b, c, a)] == daily[:4]
    calendar.swap_before(b, d, time())
    assert [post.scheduled_at for post in (b, d, c, a)] == daily[:4]
    assert own.scheduled_at == utc("2026-11-26T17:00")
    assert b.wall_time == "2026-11-25T09:00:00"


def test_a_post_with_its_own_time_has_no_place_in_the_queue(
    a_post: Callable[..., Post], scheduled: Callable[..., Post], time: Time, daily: list[datetime], tools: Tools
) -> None:
    post, own = calendar.enqueue(a_post(), time(), tools), scheduled("2026-11-26T18:00", title="At its hour")
    for pair in ((post, own), (own, post)):
        with pytest.raises(StateConflict, match="“At its hour” is no longer in the queue"):
            calendar.swap_before(*pair, time())


def test_the_calendar_lists_scheduled_and_published_posts(
    a_post: Callable[..., Post], scheduled: Callable[..., Post], time: Time
) -> None:
    draft, out = a_post(), a_post(live=True)
    later, sooner = scheduled("2026-11-29T09:00"), scheduled("2026-11-28T09:00", title="Sooner")
    scheduled("2026-12-01T00:00")
    span = (utc("2026-10-31T23:00"), utc("2026-11-30T23:00"))
    assert [(entry.post_id, entry.title, entry.state) for entry in planned(*span)] == [
        (sooner.id, "Sooner", "scheduled"),
        (later.id, "A post", "scheduled"),
    ]
    assert [(entry.post_id, entry.state, entry.at) for entry in published(*span)] == [(out.id, "published", NOW)]
    assert [entry.post_id for entry in without_time(9)] == [draft.id]


def test_an_author_sees_only_their_own_posts(scheduled: Callable[..., Post], a_post: Callable[..., Post]) -> None:
    mine = [scheduled("2026-11-29T09:00"), a_post(live=True), a_post()]
    scheduled("2026-11-29T10:00"), a_post(live=True), a_post()
    db.session.execute(update(Post).where(Post.id.in_([post.id for post in mine])).values(author_id="per_me"))
    db.session.commit()
    span = (utc("2026-11-01T00:00"), utc("2026-12-01T00:00"))
    found = [*planned(*span, "per_me"), *published(*span, "per_me"), *without_time(9, "per_me")]
    assert [entry.post_id for entry in found] == [post.id for post in mine]


def test_a_month_is_loaded_with_one_query(scheduled: Callable[..., Post]) -> None:
    for day in range(10, 20):
        scheduled(f"2027-01-{day}T09:00")
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        asked.append(statement)

    event.listen(db.engine, "before_cursor_execute", note)
    assert len(planned(utc("2027-01-01T00:00"), utc("2027-02-01T00:00"))) == 10
    event.remove(db.engine, "before_cursor_execute", note)
    assert len([statement for statement in asked if statement.startswith("SELECT")]) == 1
