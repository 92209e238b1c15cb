"""A delivery whose lease expires is sent again, and the late result of the first attempt is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Event

import pytest

from blogsvc.config import Config
from blogsvc.models import Delivery, Post
from tests.clock import Time
from tests.faults.conftest import Beside
from tests.faulty_platform import FaultyPlatform


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, send_timeout_seconds=20)


def test_an_attempt_with_an_expired_lease_does_not_settle_its_successor(
    link: Callable[[str], None],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Callable[[], None],
    beside: Beside,
    delivery: Callable[[Post, str], Delivery],
) -> None:
    link("faulty-key")
    account = platform.account("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    platform.will("hang", "hang")
    beside.tick()
    assert platform.wait_for(lambda: len(account.calls) == 1)
    time.passes(minutes=1)  # beyond any lease, while the call still hangs
    tick()
    first, platform.going_on = platform.going_on, Event()
    time.passes(minutes=1)
    beside.tick()
    assert platform.wait_for(lambda: len(account.calls) == 2)

    first.set()
    beside.threads[0].join(30)
    successor = delivery(post, "faulty-key")
    assert (successor.state, successor.fence) == ("sending", 2)
    assert [attempt.outcome for attempt in successor.attempts] == ["lost", None]

    platform.goes_on()
    beside.wait()
    time.passes(minutes=31)
    tick()
    assert delivery(post, "faulty-key").state == "delivered"
    assert len(account.made) == 1
