"""Temporary failures are retried: back-off, Retry-After, circuit breaker, giving up, and disconnected accounts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from sqlalchemy import func, select

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Connection, Delivery, Event, Post, db
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform
from tests.tiers import exhaustive, matrix

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
KEY = "faulty-key"


def events(type: str) -> int:
    return db.session.scalar(select(func.count()).where(Event.type == type)) or 0


def next_try(delivery: Delivery) -> datetime:
    assert delivery.next_attempt_at is not None
    return delivery.next_attempt_at


def lane_is_due(delivery: Delivery) -> datetime:
    assert delivery.connection is not None
    return max(next_try(delivery), delivery.connection.paused_until or next_try(delivery))


def test_the_delay_between_retries_grows_with_jitter(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KEY)
    post = a_post(live=True, platforms=[KEY])
    platform.always("503")
    waits = []
    for _ in range(6):
        tick()
        waits.append((next_try(delivery(post, KEY)) - time()).total_seconds())
        time.now = lane_is_due(delivery(post, KEY))
    for wait, about in zip(waits, (10, 60, 300, 1800, 7200, 21600), strict=True):
        assert about * 0.8 <= wait <= about * 1.2
    assert any(wait != round(wait) for wait in waits)


@pytest.mark.parametrize("kind", ["faulty-key", "faulty-none"])
def test_a_retry_after_from_a_platform_is_respected(
    kind: str, link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link(kind)
    posts = [a_post(live=True, platforms=[kind]) for _ in range(3)]
    platform.asks_to_wait("90")
    platform.will("429")
    tick()
    time.passes(seconds=89)
    tick()
    assert len(platform.account(kind).calls) == 1
    time.passes(seconds=1)
    tick()
    assert all(platform.account(kind).titles_of(post.id) for post in posts)


@pytest.mark.parametrize(("asked", "least", "most"), [("0", 8, 12), ("999999999999999", 86400, 86400)])
def test_a_retry_after_that_is_too_short_or_too_long_is_bounded(
    asked: str,
    least: int,
    most: int,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link(KEY)
    post = a_post(live=True, platforms=[KEY])
    platform.asks_to_wait(asked)
    platform.will("429")
    tick()
    assert least <= (next_try(delivery(post, KEY)) - time()).total_seconds() <= most
    assert len(platform.account(KEY).calls) == 1


@exhaustive
@pytest.mark.parametrize(
    ("kind", "fault"), [(KEY, "503"), (KEY, "429"), ("faulty-find", "500"), ("faulty-none", "429")]
)
def test_a_platform_that_is_down_gets_few_requests_and_every_post_once_it_is_back(
    kind: str, fault: str, link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link(kind)
    posts = [a_post(live=True, platforms=[kind], title=f"Post {n}") for n in range(50)]
    platform.asks_to_wait("60")
    platform.always(fault)
    for _ in range(180):  # three hours
        tick()
        time.passes(minutes=1)
    # Five failures, then one at the end of each pause: 30 s, 1, 2, 4, 8, 16, 30, 30, ... min; or as requested.
    assert len(platform.account(kind).calls) <= (5 + 12 if fault != "429" else 180)
    platform.behaves()
    for _ in range(24):
        time.passes(hours=1)
        tick()
    assert [platform.account(kind).titles_of(post.id) for post in posts] == [[f"Post {n}"] for n in range(50)]
    assert len(platform.account(kind).made) == 50


def test_a_failing_platform_without_lookup_leaves_few_uncertain_deliveries(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-none")
    posts = [a_post(live=True, platforms=["faulty-none"]) for _ in range(20)]
    platform.always("500")
    for _ in range(3):
        tick()
    platform.behaves()
    for _ in range(10):
        time.passes(hours=1)
        tick()
    states = [delivery(post, "faulty-none").state for post in posts]
    assert (states.count("uncertain"), states.count("delivered")) == (5, 15)


def test_a_delivery_fails_for_good_after_a_day_and_can_be_retried_manually(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KEY)
    post = a_post(live=True, platforms=[KEY])
    platform.always("503")
    for _ in range(30):
        tick()
        time.passes(hours=1)
    given_up = delivery(post, KEY)
    assert (given_up.state, given_up.error_code, given_up.post.state) == ("failed", "gave_up", "failed")
    assert events("delivery.failed") == 1
    platform.behaves()
    decide.retry(given_up, time())
    time.passes(minutes=31)  # the pause of the lane
    tick()
    assert delivery(post, KEY).post.state == "published"
    assert len(platform.account(KEY).made) == 1


def test_the_last_attempt_is_at_the_deadline(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KEY)
    post, end = a_post(live=True, platforms=[KEY]), time() + timedelta(hours=24)
    platform.always("503")
    planned = []
    tick()
    while (waiting := delivery(post, KEY)).state == "retrying":
        planned.append(next_try(waiting))
        time.now = lane_is_due(waiting)
        tick()
    assert max(planned) == end
    assert (waiting.state, waiting.error_code) == ("failed", "gave_up")


def test_a_delivery_still_uncertain_after_a_day_needs_the_author(
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
    tools: Tools,
) -> None:
    link("faulty-find")
    post = a_post(live=True, platforms=["faulty-find"])
    platform.always("500-after")
    for _ in range(40):
        tick()
        time.passes(hours=1)
    asked = delivery(post, "faulty-find")
    assert (asked.state, asked.next_attempt_at) == ("uncertain", None)
    assert len(platform.account("faulty-find").made) == 1
    decide.resolve_delivered(asked, None, time(), tools)
    assert delivery(post, "faulty-find").post.state == "published"


@pytest.mark.parametrize("fault", ["401", "403", "402", "301"])
@matrix("kind", ["faulty-find", "faulty-key", "faulty-none"])
def test_a_rejected_account_pauses_its_lane_with_one_event_until_it_is_verified(
    kind: str,
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    tools: Tools,
) -> None:
    link(kind)
    posts = [a_post(live=True, platforms=[kind]) for _ in range(5)]
    platform.always(fault)
    for _ in range(3):
        tick()
        time.passes(hours=1)
    assert len(platform.account(kind).creates) == 1
    assert Connection.named(kind).state == "disconnected"
    assert events("connection.disconnected") == 1
    platform.behaves()
    manage.verify(Connection.named(kind), tools)
    tick()
    assert [len(platform.account(kind).copies_of(post.id)) for post in posts] == [1] * 5


def test_an_account_rejected_during_a_lookup_keeps_the_delivery_uncertain_until_it_is_verified(
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    tools: Tools,
    delivery: Find,
) -> None:
    link("faulty-find")
    post = a_post(live=True, platforms=["faulty-find"])
    platform.will("500-after", "401")
    tick()
    assert delivery(post, "faulty-find").state == "uncertain"
    time.passes(minutes=31)
    tick()
    assert [call.method for call in platform.account("faulty-find").calls] == ["POST", "GET"]
    assert Connection.named("faulty-find").state == "disconnected"
    assert events("connection.disconnected") == 1
    waiting = delivery(post, "faulty-find")
    assert (waiting.state, waiting.error_code, waiting.is_in_doubt) == ("retrying", "disconnected", True)
    manage.verify(Connection.named("faulty-find"), tools)
    tick()
    assert delivery(post, "faulty-find").state == "delivered"
    assert len(platform.account("faulty-find").creates) == 1
