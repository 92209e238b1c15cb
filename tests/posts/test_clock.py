"""A wrong system time publishes nothing early: it was set while nothing ran, or other servers say another time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from flask import Flask

from blogsvc.connections import manage
from blogsvc.context import Tools, attach
from blogsvc.lib.clocks import ServerDates
from blogsvc.models import Post, db
from blogsvc.posts import publishing
from blogsvc.scheduler.loop import Scheduler
from blogsvc.scheduler.one_pass import one_pass
from tests.clock import Time
from tests.outside import Outside, Reply, Seen

Run = Callable[..., None]
HOUR = timedelta(hours=1)


class Machine:
    """A machine with a clock that can be set, and one that can't."""

    def __init__(self, app: Flask, tools: Tools, time: Time, outside: Outside) -> None:
        self.app, self.time, self.outside, self.seconds, self.boot = app, time, outside, 1_000.0, "first"
        self.tools = tools

    def passes(self, **span: float) -> None:
        self.time.passes(**span)
        self.seconds += timedelta(**span).total_seconds()

    def sets_time(self, **span: float) -> None:
        self.time.passes(**span)

    def boots(self) -> None:
        self.boot, self.seconds = self.boot + "+", 10.0

    def health(self) -> dict[str, Any]:
        """Return what the server says of itself."""
        attach(self.app, self.process())
        answer: dict[str, Any] = self.app.test_client().get("/health").json
        return answer

    def process(self) -> Tools:
        """Return the tools of a process that starts now, and has nothing in memory."""
        steady = lambda: self.seconds  # noqa: E731
        http = self.outside.http(dates=ServerDates(steady))
        return replace(self.tools, http=http, steady=steady, boot=self.boot)


@pytest.fixture
def machine(app: Flask, tools: Tools, time: Time, outside: Outside) -> Machine:
    return Machine(app, tools, time, outside)


@pytest.fixture(params=["serve", "tick"])
def run(request: pytest.FixtureRequest, machine: Machine) -> Run:
    """Return a function that starts the command, and stops it after one pass."""

    def once() -> None:
        if request.param == "tick":
            one_pass(machine.app, machine.process())
        else:
            scheduler = Scheduler(machine.app, machine.process())
            scheduler.tick()
            for lanes in scheduler.lanes:
                lanes.wait()
        db.session.rollback()
        db.session.expire_all()

    return once


def state(post: Post) -> str:
    return Post.get(post.id).state


@pytest.mark.parametrize("hours", [2, 20])
def test_what_is_due_only_by_a_leap_while_nothing_ran_waits_for_its_author(
    hours: int, run: Run, machine: Machine, time: Time, a_post: Callable[..., Post]
) -> None:
    run()
    early = publishing.schedule(a_post(), time() + hours * HOUR - timedelta(minutes=30), time())
    due = publishing.schedule(a_post(), time() + timedelta(minutes=5), time())
    later = publishing.schedule(a_post(), time() + (hours + 1) * HOUR, time())
    machine.passes(minutes=10)
    machine.sets_time(hours=hours)
    run()
    assert [state(early), state(due), state(later)] == ["missed", "published", "scheduled"]
    assert machine.health()["clockJumpSeconds"] == hours * 3600
    run()
    assert state(later) == "scheduled"


def test_a_time_that_was_set_back_while_nothing_ran_publishes_nothing_early(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post]
) -> None:
    run()
    post = publishing.schedule(a_post(), time() + HOUR, time())
    machine.passes(minutes=1)
    machine.sets_time(hours=-20)
    run()
    assert state(post) == "scheduled"
    assert machine.health()["clockJumpSeconds"] == -20 * 3600
    machine.passes(hours=20, minutes=58)
    run()
    assert state(post) == "scheduled"
    machine.passes(minutes=1)
    run()
    assert state(post) == "published"


def test_a_leap_that_another_machine_has_noticed_is_not_noticed_again(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post]
) -> None:
    run()
    here, machine.boot = machine.boot, "another machine"
    machine.passes(minutes=5)
    run()
    machine.sets_time(hours=2)
    run()
    post = publishing.schedule(a_post(), time() + HOUR / 2, time())
    machine.passes(minutes=31)
    machine.boot = here
    run()
    assert state(post) == "published"


def test_time_that_passes_while_nothing_runs_is_no_leap(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post]
) -> None:
    run()
    post = publishing.schedule(a_post(), time() + HOUR, time())
    machine.passes(hours=5)
    run()
    assert state(post) == "published"
    assert machine.health()["clockJumpSeconds"] is None


@pytest.fixture
def there(outside: Outside, machine: Machine) -> Callable[..., None]:
    """Return a function that connects a webhook whose server says that time."""

    def connect(time_there: Callable[[], datetime], name: str = "there") -> None:
        def dated(seen: Seen) -> Reply:
            return Reply(status=200, headers={"Date": format_datetime(time_there().astimezone(UTC), usegmt=True)})

        outside.teach("POST", f"https://{name}.example/in", dated)
        outside.teach("HEAD", f"https://{name}.example", dated)
        manage.connect("webhook", name, {"url": f"https://{name}.example/in"}, machine.process())

    return connect


def test_after_another_start_of_the_machine_the_servers_are_asked_before_a_due_post_is_published(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post], there: Callable[..., None]
) -> None:
    wrong_by = [timedelta(0)]
    there(lambda: time() - wrong_by[0])
    run()
    post = publishing.schedule(a_post(), time() + 3 * HOUR, time())
    machine.boots()
    machine.sets_time(hours=2, minutes=30)
    wrong_by[0] = timedelta(hours=2, minutes=30)
    run()  # nothing is due yet
    machine.passes(minutes=30)
    run()
    assert state(post) == "scheduled"
    assert machine.health()["clockAheadSeconds"] == 2.5 * 3600
    machine.passes(hours=2, minutes=29)
    run()
    assert state(post) == "scheduled"
    machine.passes(minutes=1)
    run()
    assert state(post) == "published"


def test_one_server_whose_time_is_wrong_holds_nothing(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post], there: Callable[..., None]
) -> None:
    there(time, "right")
    there(lambda: time() - 9 * HOUR, "wrong")
    run()
    post = publishing.schedule(a_post(), time() + HOUR, time())
    machine.boots()
    machine.passes(hours=1)
    run()
    assert state(post) == "published"


def test_a_server_that_does_not_answer_holds_nothing(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post], there: Callable[..., None], outside: Outside
) -> None:
    there(time)
    run()
    post = publishing.schedule(a_post(), time() + HOUR, time())
    machine.boots()
    machine.passes(hours=1)
    outside.always(failure="refused")
    run()
    assert state(post) == "published"


def test_a_time_behind_that_of_other_servers_is_named(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post], there: Callable[..., None]
) -> None:
    there(lambda: time() + HOUR)
    run()
    publishing.schedule(a_post(), time() + HOUR, time())
    machine.boots()
    machine.passes(hours=1)
    run()
    assert machine.health()["clockAheadSeconds"] == -3600


def test_a_server_that_was_wrong_holds_nothing_once_it_is_right(
    run: Run, machine: Machine, time: Time, a_post: Callable[..., Post], there: Callable[..., None]
) -> None:
    behind = [2 * HOUR]
    there(lambda: time() - behind[0])
    run()
    post = publishing.schedule(a_post(), time() + HOUR, time())
    machine.boots()
    machine.passes(hours=1)
    run()
    assert state(post) == "scheduled"
    behind[0] = timedelta(0)
    machine.passes(minutes=11)
    run()
    assert state(post) == "published"
