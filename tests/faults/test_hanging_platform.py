"""The real scheduler with real threads: a failing platform never delays another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from flask import Flask

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.time import utc_now
from blogsvc.models import Connection, Delivery, Post, db
from blogsvc.scheduler.loop import Scheduler
from tests.clock import Time, wait_until
from tests.faulty_platform import FaultyPlatform

Find = Callable[[Post, str], Delivery]


class RealTime(Time):
    """The time of the machine, for tests that need it."""

    def __call__(self) -> datetime:
        return utc_now()


@pytest.fixture
def config(config: Config) -> Config:
    """Long enough that everything that does not wait for a hanging platform is done before, even on a busy machine."""
    return replace(config, send_timeout_seconds=4)


@pytest.fixture
def time() -> Time:
    return RealTime()


@pytest.fixture
def scheduler(app: Flask, tools: Tools) -> Iterator[Scheduler]:
    scheduler = Scheduler(app, tools)
    scheduler.start()
    yield scheduler
    scheduler.stop(grace_seconds=5)


def test_a_hanging_platform_does_not_delay_other_platforms(
    scheduler: Scheduler,
    link: Callable[..., Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    delivery: Find,
) -> None:
    link("faulty-key", "good")
    link("faulty-none", "bad")
    platform.account("bad").always("hang")
    posts = [a_post(live=True, platforms=["bad", "good"]) for _ in range(3)]
    wait_until(lambda: delivery(posts[0], "bad").state == "sending")
    wait_until(lambda: delivery(posts[-1], "good").state == "delivered")
    assert delivery(posts[0], "bad").state == "sending"
    # The hanging delivery keeps hanging; later ones are sent once it times out.
    wait_until(lambda: len(platform.account("bad").calls) == 1)
    platform.account("bad").always("ok")
    wait_until(lambda: delivery(posts[0], "bad").state == "uncertain")
    platform.goes_on()
    wait_until(lambda: delivery(posts[2], "bad").state == "delivered")
    assert len(platform.account("bad").made) == 2


def test_a_stopping_scheduler_waits_for_the_delivery_in_progress(
    app: Flask,
    tools: Tools,
    link: Callable[..., Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    delivery: Find,
) -> None:
    scheduler = Scheduler(app, tools)
    scheduler.start()
    link("faulty-key")
    platform.will("slow")
    posts = [a_post(live=True, platforms=["faulty-key"]) for _ in range(3)]
    wait_until(lambda: bool(platform.account("faulty-key").calls))
    scheduler.stop(grace_seconds=5)
    states = sorted(delivery(post, "faulty-key").state for post in posts)
    db.session.rollback()
    assert states == ["delivered", "queued", "queued"]
