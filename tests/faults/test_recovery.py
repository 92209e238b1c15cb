"""After a kill or an outage, work goes on at once: no lease and no back-off has to be waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from threading import Event

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import delete, event

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.process_lock import ProcessLock, ended_processes
from blogsvc.models import Connection, Delivery, Post, Revision, db, transaction
from blogsvc.posts import publishing
from blogsvc.scheduler.lanes import STUMBLE
from blogsvc.scheduler.loop import MAX_SLEEP, Scheduler
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import Time, wait_until
from tests.databases import another
from tests.faults.conftest import Beside, reload_rows
from tests.faulty_platform import FaultyPlatform
from tests.full_disk import fill_with_events, full_disk

Find = Callable[[Post, str], Delivery]


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, send_timeout_seconds=20)


def test_a_process_that_has_ended_is_known_by_the_lock_that_it_no_longer_holds(config: Config) -> None:
    first, second = ProcessLock(config.processes), ProcessLock(config.processes)
    assert ended_processes(config.processes) == []
    first.release()
    assert ended_processes(config.processes) == [first.name]
    second.release()


def test_the_work_of_a_killed_process_goes_on_when_the_next_one_starts(
    app: Flask,
    tools: Tools,
    link: Callable[[str], Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    delivery: Find,
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    platform.will("hang-after")
    killed = Beside(app, replace(tools))
    killed.tick()
    assert platform.wait_for(lambda: platform.account("faulty-key").calls)
    assert delivery(post, "faulty-key").state == "sending"

    one_pass(app, tools)
    assert delivery(post, "faulty-key").state == "sending", "the other process still runs"
    killed.pass_[1].process.release()
    one_pass(app, tools)
    assert delivery(post, "faulty-key").state == "retrying"
    assert delivery(post, "faulty-key").attempts[0].outcome == "lost"
    platform.goes_on()
    killed.wait()


def test_a_result_that_arrives_after_its_lease_is_stored_if_nobody_has_acted_since(
    link: Callable[[str], Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Callable[[], None],
    beside: Beside,
    delivery: Find,
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    platform.will("late")
    beside.tick()
    assert platform.wait_for(lambda: platform.account("faulty-none").calls)
    time.passes(minutes=1)  # beyond any lease, while the call still hangs
    tick()
    assert delivery(post, "faulty-none").state == "uncertain"
    platform.goes_on()
    beside.wait()
    settled = delivery(post, "faulty-none")
    assert settled.state == "delivered"
    assert [attempt.outcome for attempt in settled.attempts] == ["succeeded"]


def test_an_outcome_is_stored_even_if_the_next_delivery_of_the_lane_cannot_be_claimed(
    link: Callable[[str], Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    tick: Callable[[], None],
    delivery: Find,
) -> None:
    link("faulty-none")
    post, broken = (a_post(title=title, live=True, platforms=["faulty-none"]) for title in ("Post", "Broken"))
    with transaction():
        db.session.execute(delete(Revision).where(Revision.post_id == broken.id))
    tick()
    assert delivery(post, "faulty-none").state == "delivered"
    assert [attempt.outcome for attempt in delivery(post, "faulty-none").attempts] == ["succeeded"]
    assert delivery(broken, "faulty-none").attempts == []


def test_the_first_success_of_a_platform_that_was_down_releases_its_whole_queue(
    link: Callable[[str], Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Callable[[], None],
    delivery: Find,
) -> None:
    link("faulty-key")
    account = platform.account("faulty-key")
    posts = [a_post(live=True, platforms=["faulty-key"]) for _ in range(8)]
    platform.always("503")
    for _ in range(30):
        tick()
        time.passes(minutes=5)
    platform.always("ok")
    time.passes(minutes=31)  # the end of the pause
    tick()
    tick()
    assert {delivery(post, "faulty-key").state for post in posts} == {"delivered"}
    assert len(account.made) == len(posts)


def test_a_tick_that_finds_nothing_to_do_writes_nothing(app: Flask, tools: Tools, a_post: Callable[..., Post]) -> None:
    a_post(live=True)
    scheduler, commits = Scheduler(app, tools), 0

    def count(_session: object) -> None:
        nonlocal commits
        commits += 1

    scheduler.tick()
    event.listen(db.session, "before_commit", count)
    for _ in range(5):
        scheduler.tick()
    event.remove(db.session, "before_commit", count)
    assert commits == 0


class SlowScheduler(Scheduler):
    """Counts its ticks, each of which lasts until `go_on` is set."""

    def __init__(self, app: Flask, tools: Tools) -> None:
        super().__init__(app, tools)
        self.ticks, self.begun, self.go_on = 0, Event(), Event()

    def tick(self) -> timedelta:
        span = super().tick()
        self.ticks += 1
        self.begun.set()
        assert self.go_on.wait(30)
        return span


def test_many_wake_ups_during_a_tick_cause_one_more_tick(app: Flask, tools: Tools) -> None:
    scheduler = SlowScheduler(app, tools)
    scheduler.start()
    assert scheduler.begun.wait(30)
    for _ in range(1000):
        scheduler.wake()
    scheduler.begun.clear()
    scheduler.go_on.set()
    assert scheduler.begun.wait(30)
    assert scheduler.stop(grace_seconds=5)
    assert scheduler.ticks == 2


class BlindScheduler(SlowScheduler):
    """Does not notice that the database has changed."""

    def _database_state(self) -> None:
        return None


def test_a_lane_that_ends_causes_a_tick(app: Flask, tools: Tools) -> None:
    scheduler = BlindScheduler(app, tools)
    scheduler.go_on.set()
    scheduler.start()
    assert scheduler.begun.wait(30)
    scheduler.begun.clear()
    scheduler.wake_soon()
    assert scheduler.begun.wait(20)  # it would sleep for 30 seconds
    assert scheduler.stop(grace_seconds=5)


@dataclass
class Clocks:
    """The system time, and a clock that cannot be set. Both begin together."""

    time: Time
    seconds: float = 0.0

    def pass_(self, span: timedelta) -> None:
        self.time.now += span
        self.seconds += span.total_seconds()


@pytest.fixture
def clocks(time: Time) -> Clocks:
    return Clocks(time)


def test_a_post_that_is_due_only_because_the_time_was_set_ahead_waits_for_its_author(
    app: Flask, tools: Tools, a_post: Callable[..., Post], clocks: Clocks, time: Time, client: FlaskClient
) -> None:
    scheduler = Scheduler(app, replace(tools, steady=lambda: clocks.seconds))
    scheduler.tick()
    soon = publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    tomorrow = publishing.schedule(a_post(), time() + timedelta(days=1), time())
    clocks.pass_(timedelta(minutes=1))
    scheduler.tick()
    reload_rows()
    assert Post.get(soon.id).state == "published"

    time.passes(days=2)  # somebody sets the time
    scheduler.tick()
    reload_rows()
    assert Post.get(tomorrow.id).state == "missed"
    assert client.get("/health").json["clockJumpSeconds"] == 2 * 24 * 3600


@pytest.mark.settings(busy_timeout_seconds=0.05)
def test_a_leap_of_the_time_is_not_forgotten_while_the_database_is_busy(
    app: Flask, tools: Tools, a_post: Callable[..., Post], clocks: Clocks, time: Time, config: Config
) -> None:
    scheduler = Scheduler(app, replace(tools, steady=lambda: clocks.seconds))
    scheduler.tick()
    tomorrow = publishing.schedule(a_post(), time() + timedelta(days=1), time())
    time.passes(days=2)
    with another(config.rows_url, writes=True):
        assert scheduler.tick() == STUMBLE
    scheduler.tick()
    reload_rows()
    assert Post.get(tomorrow.id).state == "missed"


def test_the_scheduler_goes_on_after_the_time_was_set_back(
    app: Flask, tools: Tools, a_post: Callable[..., Post], clocks: Clocks, time: Time, client: FlaskClient
) -> None:
    scheduler = Scheduler(app, replace(tools, steady=lambda: clocks.seconds))
    scheduler.tick()
    time.passes(hours=-1)
    assert scheduler.tick() <= MAX_SLEEP
    post = publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    clocks.pass_(timedelta(minutes=1))
    scheduler.tick()
    reload_rows()
    assert Post.get(post.id).state == "published"
    assert client.get("/health").json["clockJumpSeconds"] == -3600


@pytest.mark.sqlite("only its file can be limited")
def test_the_scheduler_starts_on_a_full_disk_and_works_once_there_is_room(
    app: Flask, tools: Tools, a_post: Callable[..., Post], time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    post = publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    time.passes(minutes=1)
    scheduler = Scheduler(app, tools)
    with full_disk(app):
        fill_with_events()
        scheduler.start()
        wait_until(lambda: scheduler.trouble is not None)
        assert Post.get(post.id).state == "scheduled"
    wait_until(lambda: Post.get(post.id).state == "published")
    assert scheduler.stop(grace_seconds=5)
    errors = [(record.message, record.exc_info) for record in caplog.records if record.levelname == "ERROR"]
    assert errors == [("the database can't be written: database or disk is full", None)]


@pytest.mark.settings(busy_timeout_seconds=0.05)
def test_a_post_that_is_late_makes_health_fail_and_the_log_says_why(
    app: Flask,
    tools: Tools,
    a_post: Callable[..., Post],
    time: Time,
    config: Config,
    client: FlaskClient,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    one_pass(app, tools)
    post = publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    scheduler = Scheduler(app, tools)
    with another(config.rows_url, writes=True):
        scheduler.start()
        time.passes(seconds=74)
        assert client.get("/health").status_code == 200
        time.passes(seconds=2)
        assert client.get("/health").json["status"] == "stalled"
        wait_until(lambda: "1 scheduled post is late by up to 16 s: " in caplog.text)
    wait_until(lambda: Post.get(post.id).state == "published")
    wait_until(lambda: "no scheduled post is late any more" in caplog.text)
    (said,) = (line for line in caplog.messages if "is late by" in line)
    assert "lock" in said
    assert scheduler.stop(grace_seconds=5)
    assert client.get("/health").json["status"] == "ok"


@pytest.mark.settings(scheduler=False)
def test_with_cron_a_post_may_be_a_minute_late(
    app: Flask, tools: Tools, a_post: Callable[..., Post], time: Time, client: FlaskClient
) -> None:
    one_pass(app, tools)
    publishing.schedule(a_post(), time() + timedelta(seconds=1), time())
    time.passes(seconds=60)
    assert client.get("/health").status_code == 200
    time.passes(seconds=40)
    assert client.get("/health").status_code == 503
