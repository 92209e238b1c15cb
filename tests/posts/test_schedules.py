"""Schedules over a year of simulated time, both changes of the clocks, and times when nothing ran."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc.context import Tools
from blogsvc.lib.crypto import Vault
from blogsvc.lib.time import RepeatedTime, SkippedTime, resolve, utc_now
from blogsvc.models import Event, Post, db, transaction
from blogsvc.models.due_posts import next_scheduled_at
from blogsvc.models.event import IN_ORDER
from blogsvc.posts import publishing, trash
from blogsvc.posts.publish_request import WallTime
from blogsvc.scheduler.loop import Scheduler
from tests.clock import NOW, Time, wait_until
from tests.outside import Outside
from tests.tiers import exhaustive

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe")
WINDOW = timedelta(hours=24)
YEAR = 365


wall = datetime.fromisoformat  # a local time, without a time zone


def publish_due(now: datetime) -> None:
    while publishing.publish_due(now, WINDOW):
        db.session.expire_all()


def published() -> list[tuple[str, datetime]]:
    """Return every published post with its time, in order."""
    rows = db.session.execute(
        select(Event.post_id, Event.created_at).where(Event.type == "post.published").order_by(*IN_ORDER)
    )
    return [(post_id, at) for post_id, at in rows]


def a_year_of_schedules(random: Random) -> list[datetime | WallTime]:
    """Return local times in three time zones, including skipped and repeated ones, and instants."""
    wishes: list[datetime | WallTime] = []
    for zone in ZONES:
        local = wall("2027-01-01T01:45")
        for day in range(0, YEAR, 5):
            moment = local + timedelta(days=day, minutes=random.randrange(0, 60))
            wishes.append(WallTime(moment, zone, random.choice([0, 1])))
        wishes += [WallTime(moment, zone, fold) for moment in clock_changes(zone) for fold in (0, 1)]
    return wishes + [NOW + timedelta(days=60, seconds=random.randrange(YEAR * 86400)) for _ in range(60)]


def clock_changes(zone: str) -> Iterator[datetime]:
    """Yield the skipped and repeated local times of 2027 in a time zone, to the quarter hour."""
    for quarter in range(YEAR * 96):
        local = wall("2027-01-01T00:00") + timedelta(minutes=15 * quarter)
        if local.hour > 3 or local.weekday() != 6:  # all change on a Sunday night
            continue
        try:
            resolve(local, zone)
        except (SkippedTime, RepeatedTime):
            yield local


@exhaustive
def test_a_year_of_schedules_is_published_completely_and_never_early(a_post: Callable[..., Post], time: Time) -> None:
    random = Random(7)
    due: dict[str, datetime] = {}
    for wish in a_year_of_schedules(random):
        post = publishing.schedule(a_post(), wish, time())
        due[post.id] = wish.instant() if isinstance(wish, WallTime) else wish
    while (moment := next_scheduled_at()) is not None:
        publish_due(moment - timedelta(microseconds=1))  # a clock that looks too early finds nothing
        # One time in four, nothing runs for a while, up to the window.
        asleep = WINDOW * random.random() if random.random() < 0.25 else timedelta()
        time.now = moment + asleep
        publish_due(time())
        db.session.expire_all()
    done = published()
    assert [post_id for post_id, _ in done] == sorted(due, key=lambda post_id: (due[post_id], post_id))
    assert all(timedelta() <= at - due[post_id] <= WINDOW for post_id, at in done)
    assert len({at for _, at in done}) > 150


def test_posts_due_together_are_published_in_the_order_of_their_times(a_post: Callable[..., Post], time: Time) -> None:
    later, earlier, same = (
        publishing.schedule(a_post(), time() + timedelta(hours=hours), time()).id for hours in (2, 1, 2)
    )
    time.passes(hours=3)
    publish_due(time())
    assert [post_id for post_id, _ in published()] == [earlier, later, same]


@pytest.mark.parametrize(
    ("zone", "local", "fold", "instant"),
    [
        ("Europe/Berlin", "2027-03-28T02:30", 0, "2027-03-28T01:30"),
        ("Europe/Berlin", "2027-03-28T02:30", 1, "2027-03-28T00:30"),
        ("Europe/Berlin", "2027-10-31T02:30", 0, "2027-10-31T00:30"),
        ("Europe/Berlin", "2027-10-31T02:30", 1, "2027-10-31T01:30"),
        ("America/New_York", "2027-11-07T01:30", 0, "2027-11-07T05:30"),
        ("America/New_York", "2027-11-07T01:30", 1, "2027-11-07T06:30"),
        # Only half an hour.
        ("Australia/Lord_Howe", "2027-04-04T01:45", 0, "2027-04-03T14:45"),
        ("Australia/Lord_Howe", "2027-04-04T01:45", 1, "2027-04-03T15:15"),
    ],
)
def test_a_repeated_or_skipped_local_time_is_the_chosen_instant(
    zone: str, local: str, fold: int, instant: str, a_post: Callable[..., Post], time: Time
) -> None:
    post = publishing.schedule(a_post(), WallTime(wall(local), zone, fold), time())
    assert post.scheduled_at == datetime.fromisoformat(instant).replace(tzinfo=UTC)


def test_a_repeated_local_time_is_rejected_until_fold_is_given(a_post: Callable[..., Post], time: Time) -> None:
    post = a_post()
    with pytest.raises(RepeatedTime):
        publishing.schedule(post, WallTime(wall("2027-10-31T02:30"), "Europe/Berlin"), time())
    db.session.expire_all()
    assert (post.state, post.scheduled_at, post.wall_time) == ("draft", None, None)


@pytest.fixture
def missed(a_post: Callable[..., Post], time: Time) -> Post:
    """A post whose time came while nothing ran, for longer than the window."""
    post = publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    time.passes(hours=25, seconds=1)
    publish_due(time())
    db.session.expire_all()
    return post


def test_a_post_late_by_more_than_the_window_is_missed(missed: Post, time: Time) -> None:
    assert missed.state == "missed"
    time.passes(days=3)
    publish_due(time())
    assert published() == []


def test_a_post_late_by_exactly_the_window_is_published(a_post: Callable[..., Post], time: Time) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    time.passes(hours=25)
    publish_due(time())
    assert published() == [(post.id, time())]


def test_a_delivery_is_due_at_the_scheduled_time_however_late_the_scheduler_runs(
    a_post: Callable[..., Post], connect: Callable[..., str], time: Time
) -> None:
    at = time() + timedelta(hours=1)
    post = publishing.schedule(a_post(platforms=["site", connect()]), at, time())
    time.passes(hours=3)
    publish_due(time())
    db.session.expire_all()
    assert {delivery.destination: delivery.due_at for delivery in post.deliveries} == {"site": at, "hook": at}


def test_a_missed_post_can_be_published_now(missed: Post, time: Time) -> None:
    publishing.publish(missed, time())
    assert published() == [(missed.id, time())]


def test_a_missed_post_can_be_rescheduled(missed: Post, time: Time) -> None:
    publishing.schedule(missed, time() + timedelta(hours=1), time())
    publish_due(time())
    assert published() == []
    publish_due(time.passes(hours=1))
    assert published() == [(missed.id, time())]


def test_a_missed_post_can_be_unscheduled(missed: Post, time: Time) -> None:
    publishing.unschedule(missed, time())
    db.session.expire_all()
    assert (missed.state, missed.scheduled_at) == ("draft", None)


def test_the_instant_is_updated_when_the_time_zone_rules_change(a_post: Callable[..., Post], time: Time) -> None:
    wish = WallTime(wall("2027-07-01T09:00"), "Europe/Berlin")
    moved = publishing.schedule(a_post(), wish, time())
    stays = publishing.schedule(a_post(), wish.instant(), time())
    with transaction():
        for post in (moved, stays):
            post.scheduled_at = wish.instant() + timedelta(hours=1)  # as if calculated with older rules
    assert publishing.update_wall_times() == 1
    db.session.expire_all()
    assert moved.scheduled_at == wish.instant()
    assert stays.scheduled_at == wish.instant() + timedelta(hours=1)
    assert publishing.update_wall_times() == 0


def test_a_repeated_local_time_keeps_its_fold_when_the_time_zone_rules_change(
    a_post: Callable[..., Post], time: Time
) -> None:
    second = WallTime(wall("2027-10-31T02:30"), "Europe/Berlin", fold=1)
    post = publishing.schedule(a_post(), second, time())
    assert publishing.update_wall_times() == 0
    with transaction():
        post.scheduled_at = second.instant() + timedelta(hours=2)  # as if calculated with older rules
    assert publishing.update_wall_times() == 1
    db.session.expire_all()
    assert post.scheduled_at == second.instant() == datetime(2027, 10, 31, 1, 30, tzinfo=UTC)


def test_deleted_posts_are_not_published(a_post: Callable[..., Post], time: Time) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    trash.discard(post, time())
    publish_due(time.passes(hours=1))
    assert published() == []


@pytest.fixture
def scheduler(app: Flask, tools: Tools, outside: Outside) -> Iterator[Scheduler]:
    """The real scheduler, with the time of the machine."""
    vault = Vault.open(tools.config.instance / "secret.key")
    scheduler = Scheduler(app, Tools(config=tools.config, vault=vault, http=outside.http(), now=utc_now))
    scheduler.start()
    yield scheduler
    scheduler.stop(grace_seconds=5)


def test_the_scheduler_sleeps_until_a_post_is_due_and_wakes_for_an_earlier_one(
    scheduler: Scheduler, a_post: Callable[..., Post]
) -> None:
    later = publishing.schedule(a_post(), utc_now() + timedelta(seconds=20), utc_now())
    soon = publishing.schedule(a_post(), utc_now() + timedelta(seconds=1.2), utc_now())
    now = publishing.schedule(a_post(), utc_now() + timedelta(seconds=0.4), utc_now())
    wait_until(lambda: len(published()) == 2)
    assert [post_id for post_id, _ in published()] == [now.id, soon.id]
    for post, (_, at) in zip((now, soon), published(), strict=True):
        assert post.scheduled_at is not None
        assert timedelta() <= at - post.scheduled_at < timedelta(seconds=1)
    assert later.id not in dict(published())
