"""Of the schedulers that share a database, one leads; when it ends, another one takes over."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc import create_app
from blogsvc.context import Tools
from blogsvc.lib.clocks import ServerDates
from blogsvc.lib.time import steady_seconds, utc_now
from blogsvc.models import Event, Post, close_connections, db
from blogsvc.models.database_time import DatabaseTime
from blogsvc.models.leadership import TERM, Leader, lead, leader, resign
from blogsvc.posts import publishing
from blogsvc.scheduler.loop import Scheduler
from tests.clock import NOW, eventually, wait_until
from tests.cluster.fleet import A_MOMENT, Fleet
from tests.outside import Outside


def test_the_first_process_leads_until_its_term_ends(app: Flask) -> None:
    assert leader(NOW) is None
    assert lead("one", NOW)
    assert not lead("two", NOW + TERM - A_MOMENT)
    assert leader(NOW + TERM - A_MOMENT) == Leader("one", 1, NOW + TERM)
    assert leader(NOW + TERM) is None
    assert lead("two", NOW + TERM)
    assert leader(NOW + TERM) == Leader("two", 2, NOW + 2 * TERM)


def test_a_leader_that_renews_its_term_goes_on(app: Flask) -> None:
    lead("one", NOW)
    assert lead("one", NOW + A_MOMENT)
    assert not lead("two", NOW + TERM)
    assert leader(NOW + TERM) == Leader("one", 1, NOW + A_MOMENT + TERM)


def test_another_process_leads_at_once_after_the_leader_has_resigned(app: Flask) -> None:
    lead("one", NOW)
    resign(["two"], NOW)
    assert not lead("two", NOW)
    resign(["one", "two"], NOW)
    assert lead("two", NOW)


def test_a_time_that_was_set_back_leaves_nobody_leading(app: Flask) -> None:
    lead("one", NOW)
    assert leader(NOW - timedelta(hours=1)) is None
    assert lead("two", NOW - timedelta(hours=1))


@pytest.fixture
def machine(tools: Tools, tmp_path: Path, outside: Outside) -> Iterator[Callable[[str], Scheduler]]:
    """Yield a function that makes the scheduler of a machine, with its own folder and the time of the database."""
    made: list[Scheduler] = []

    def make(name: str) -> Scheduler:
        (tmp_path / name).mkdir()
        config = replace(tools.config, instance=tmp_path / name)
        dates = ServerDates(said={"right.example": (utc_now(), steady_seconds())})
        own = Tools(config=config, vault=tools.vault, http=outside.http(dates=dates), now=DatabaseTime())
        made.append(Scheduler(create_app(tools=own), own))
        return made[-1]

    yield make
    for scheduler in made:
        if scheduler.ticker.ident is not None and not scheduler.is_closing:
            scheduler.stop(grace_seconds=5)
        with scheduler.app.app_context():
            close_connections()


def name_of_leader() -> str | None:
    db.session.rollback()
    found = leader(utc_now())
    return found.process if found else None


def test_when_the_leader_stops_the_other_scheduler_publishes(
    machine: Callable[[str], Scheduler], app: Flask, a_post: Callable[..., Post]
) -> None:
    one, two = machine("one"), machine("two")
    one.start()
    eventually(lambda: name_of_leader() == one.tools.process.name)
    two.start()
    first = publishing.schedule(a_post(), utc_now() + A_MOMENT, utc_now())
    wait_until(lambda: db.session.get_one(Post, first.id).state == "published")
    assert name_of_leader() == one.tools.process.name
    assert one.stop(grace_seconds=5)
    second = publishing.schedule(a_post(), utc_now() + A_MOMENT, utc_now())
    wait_until(lambda: db.session.get_one(Post, second.id).state == "published", TERM.total_seconds() - 1)
    assert name_of_leader() == two.tools.process.name
    published = db.session.scalars(select(Event.post_id).where(Event.type == "post.published")).all()
    assert sorted(str(post_id) for post_id in published) == sorted([first.id, second.id])


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_when_the_machine_of_the_leader_is_gone_the_other_one_publishes(fleet: Fleet, end: signal.Signals) -> None:
    one = fleet.server("one")
    fleet.wait_until_published(one, first := fleet.schedule(one))
    two = fleet.server("two")
    assert one.process is not None
    os.killpg(one.process.pid, end)
    fleet.wait_until_published(two, second := fleet.schedule(two))
    if end is signal.SIGSTOP:
        os.killpg(one.process.pid, signal.SIGCONT)
        fleet.wait_until_published(one, third := fleet.schedule(two))
        events = fleet.call(two, "GET", "/events?type=post.published")["data"]
        assert [event["postId"] for event in events] == [first, second, third]
    assert fleet.tracebacks() == []
