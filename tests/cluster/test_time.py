"""The time of the database counts, whatever the clocks of the machines say."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from time import monotonic

import pytest
from flask import Flask

from blogsvc import create_app
from blogsvc.context import Tools
from blogsvc.lib.clocks import ServerDates
from blogsvc.lib.time import utc_now
from blogsvc.models import Post, close_connections, db
from blogsvc.models.database_time import ASK_EVERY, DatabaseTime
from blogsvc.posts import publishing
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import eventually
from tests.outside import Outside

SOON = timedelta(seconds=10)  # more than a busy machine needs, less than the clocks are wrong by


class Clock:
    """The clocks of a machine: the system time, which is wrong, and one that can't be set."""

    def __init__(self, ahead: timedelta) -> None:
        self.ahead, self.slept = ahead, 0.0

    def system(self) -> datetime:
        return utc_now() + self.ahead

    def steady(self) -> float:
        return monotonic() + self.slept


@pytest.fixture
def machine(tools: Tools, outside: Outside) -> Iterator[Callable[[Clock], Flask]]:
    """Yield a function that makes the application of a machine with such clocks."""
    made: list[Flask] = []

    def make(clock: Clock) -> Flask:
        dates = ServerDates(clock.steady, {"right.example": (utc_now(), clock.steady())})
        time = DatabaseTime(clock.system, clock.steady)
        own = replace(tools, now=time, steady=clock.steady, http=outside.http(dates=dates))
        made.append(create_app(tools=own))
        return made[-1]

    yield make
    for app in made:
        with app.app_context():
            close_connections()


def now(app: Flask) -> datetime:
    tools: Tools = app.extensions["tools"]
    with app.app_context():
        db.session.connection()
        close_connections()
    return tools.now()


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_machine_with_a_wrong_clock_goes_by_the_time_of_the_database(
    machine: Callable[[Clock], Flask], seconds: int, caplog: pytest.LogCaptureFixture
) -> None:
    app = machine(Clock(timedelta(seconds=seconds)))
    assert abs(now(app) - utc_now()) < SOON
    side = "ahead of" if seconds > 0 else "behind"
    (line,) = [line for line in caplog.messages if "system time" in line]
    assert line == f"the system time is 90 s {side} the database's, which counts; set this one"
    health = app.test_client().get("/health").json
    assert health is not None
    assert abs(health["clockAheadOfDatabaseSeconds"] - seconds) <= 1


def test_a_machine_whose_clock_is_set_goes_on_by_the_time_of_the_database(
    machine: Callable[[Clock], Flask], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    clock = Clock(timedelta(0))
    app = machine(clock)
    now(app)
    clock.ahead = timedelta(hours=1)
    assert abs(now(app) - utc_now()) < SOON
    clock.slept += ASK_EVERY
    assert abs(now(app) - utc_now()) < SOON  # it was asked again
    clock.ahead, clock.slept = timedelta(0), clock.slept + ASK_EVERY
    now(app)
    told = [line for line in caplog.messages if "system time" in line]
    assert told[-1] == "the system time is that of the database again"
    assert len(told) == 2
    health = app.test_client().get("/health").json
    assert health is not None
    assert health["clockAheadOfDatabaseSeconds"] is None


def test_the_time_goes_on_while_the_database_is_not_asked(machine: Callable[[Clock], Flask]) -> None:
    clock = Clock(timedelta(0))
    app = machine(clock)
    before = now(app)
    clock.slept += 3600
    tools: Tools = app.extensions["tools"]
    assert timedelta(0) <= tools.now() - before - timedelta(hours=1) < SOON


@pytest.mark.parametrize("seconds", [-90, 90])
def test_a_machine_with_a_wrong_clock_publishes_neither_early_nor_late(
    machine: Callable[[Clock], Flask], a_post: Callable[..., Post], app: Flask, seconds: int
) -> None:
    wrong = machine(Clock(timedelta(seconds=seconds)))
    right = now(wrong)
    due, later = a_post(title="Due"), a_post(title="Later")
    publishing.schedule(due, right + timedelta(seconds=1), right)
    publishing.schedule(later, right + timedelta(seconds=80), right)
    eventually(lambda: now(wrong) > right + timedelta(seconds=1))
    one_pass(wrong, wrong.extensions["tools"])
    db.session.rollback()
    assert [db.session.get_one(Post, post.id, populate_existing=True).state for post in (due, later)] == [
        "published",
        "scheduled",
    ]
