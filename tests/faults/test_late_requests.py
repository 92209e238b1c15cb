"""A proxy holds a request, and passes it on after blogsvc gave up waiting or was killed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask

from blogsvc.connections.disconnect import disconnect
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Connection, Delivery, Post
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.faults.conftest import Beside
from tests.faulty_platform import FaultyPlatform
from tests.tiers import matrix

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
KIND = "faulty-find"


def pass_on(platform: FaultyPlatform, copies: int) -> None:
    """Pass the held request on, and wait until the platform has these copies."""
    platform.goes_on()
    assert platform.wait_for(lambda: len(platform.account(KIND).made) == copies)


def wait_for_lookup(time: Time, tick: Tick, delivery: Delivery) -> timedelta:
    """Let the time pass until the next lookup, and run it. Returns that time."""
    assert delivery.next_attempt_at is not None
    wait = delivery.next_attempt_at - time()
    time.now = delivery.next_attempt_at
    tick()
    return wait


def pass_on_after(
    seconds: int, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Callable[[], Delivery]
) -> None:
    """Run the lookups until one can tell, and pass the held request on after this time."""
    passes_on_at = time() + timedelta(seconds=seconds)
    while (one := delivery()).state == "uncertain":
        assert one.next_attempt_at is not None
        if one.next_attempt_at >= passes_on_at and not platform.account(KIND).made:
            pass_on(platform, copies=1)
        wait_for_lookup(time, tick, one)


@matrix("held", [5, 30, 120], default=lambda held: held == 30)
def test_a_request_that_a_proxy_holds_creates_one_copy(
    held: int, link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("held")
    tick()
    pass_on_after(held, platform, time, tick, lambda: delivery(post, KIND))
    assert delivery(post, KIND).state == "delivered"
    assert len(platform.account(KIND).creates) == 1


def test_after_no_answer_the_copy_is_looked_up_later_than_after_a_broken_connection(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KIND)
    waits = {}
    for fault in ("reset-after", "hang-after"):
        post = a_post(live=True, platforms=[KIND])
        platform.will(fault)
        tick()
        waits[fault] = wait_for_lookup(time, tick, delivery(post, KIND))
        platform.goes_on()
        assert delivery(post, KIND).state == "delivered"
    assert waits["reset-after"] < timedelta(seconds=15)
    assert waits["hang-after"] >= timedelta(seconds=30)


def test_a_request_that_never_arrives_is_sent_again_within_three_minutes(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("504")
    started = time()
    tick()
    while (one := delivery(post, KIND)).state == "uncertain":
        wait_for_lookup(time, tick, one)
    assert one.state == "delivered"
    assert timedelta(minutes=2) < time() - started < timedelta(minutes=3)
    assert len(platform.account(KIND).made) == 1


@matrix("held", [5, 30, 120], default=lambda held: held == 30)
def test_a_request_that_is_held_while_the_server_is_killed_creates_one_copy(
    held: int,
    app: Flask,
    tools: Tools,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("held")
    killed = Beside(app, replace(tools))
    killed.tick()
    assert platform.wait_for(lambda: platform.account(KIND).calls)
    killed.pass_[1].process.release()
    tick()
    pass_on_after(held, platform, time, tick, lambda: delivery(post, KIND))
    killed.wait()
    assert delivery(post, KIND).state == "delivered"
    assert len(platform.account(KIND).creates) == 1


@pytest.mark.parametrize("fault", ["429", "429-after"])
def test_a_rate_limit_leads_to_one_copy_whether_or_not_the_platform_created_it(
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will(fault)
    tick()
    assert delivery(post, KIND).error_code == "rate_limited"
    time.passes(minutes=1)
    tick()
    tick()
    assert delivery(post, KIND).state == "delivered"
    assert len(platform.account(KIND).made) == 1


@pytest.mark.parametrize("fault", ["429", "429-after"])
@pytest.mark.parametrize("kind", [KIND, "faulty-key"])
def test_an_edit_after_a_rate_limit_leads_to_one_copy_with_the_newer_text(
    kind: str,
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link(kind)
    post = a_post(live=True, platforms=[kind])
    platform.will(fault)
    tick()
    editing.edit(post, {"title": "Newer"}, None, time())
    publishing.publish(post, time())
    for _ in range(3):
        time.passes(minutes=1)
        tick()
    assert delivery(post, kind).state == "delivered"
    assert platform.account(kind).titles_of(post.id) == ["Newer"]
    assert len(platform.account(kind).made) == 1


@pytest.mark.parametrize("is_whole_post", [True, False], ids=["the post", "one copy"])
def test_after_a_rate_limit_a_withdrawn_post_is_not_sent_again(
    is_whole_post: bool,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    platform.will("429")
    tick()
    if is_whole_post:
        publishing.unpublish(post, time())
    else:
        decide.withdraw(delivery(post, "faulty-key"), time())
    time.passes(minutes=5)
    tick()
    assert delivery(post, "faulty-key").state == "withdrawn"
    assert len(platform.account("faulty-key").calls) == 1


@pytest.mark.parametrize("fault", ["reset-after", "500-after"])
def test_a_creation_whose_repetition_after_a_rate_limit_is_in_doubt_is_withdrawn(
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    platform.will("429", fault)
    tick()
    time.passes(seconds=30)
    tick()
    assert len(platform.account("faulty-key").made) == 1
    publishing.unpublish(post, time())
    for _ in range(3):
        time.passes(minutes=2)
        tick()
    assert delivery(post, "faulty-key").state == "withdrawn"
    assert platform.account("faulty-key").copies == {}


def test_a_delivery_that_was_only_rate_limited_waits_for_another_account(
    link: Callable[[str], Connection],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    connection = link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("429")
    tick()
    disconnect(connection, time())
    assert delivery(post, KIND).state == "blocked"


def test_after_a_rate_limit_a_withdrawn_draft_is_not_published(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-stage")
    post = a_post(platforms=["faulty-stage"])
    publishing.schedule(post, time() + timedelta(minutes=2), time())
    tick()
    time.passes(minutes=2)
    platform.will("ok", "ok", "429")  # the draft is read twice before it is published
    tick()
    publishing.unpublish(post, time())
    time.passes(minutes=5)
    tick()
    tick()
    assert delivery(post, "faulty-stage").state == "withdrawn"
    writes = [call for call in platform.account("faulty-stage").calls if call.method == "PUT"]
    assert [call.behaviour for call in writes] == ["429"]


def test_a_copy_that_is_published_again_after_a_doubt_is_sent_once(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("504")
    tick()
    while delivery(post, KIND).state == "uncertain":
        wait_for_lookup(time, tick, delivery(post, KIND))
    publishing.unpublish(post, time())
    tick()
    publishing.publish(post, time())
    tick()
    tick()
    assert delivery(post, KIND).state == "delivered"
    assert [call.method for call in platform.account(KIND).calls if call.method in ("POST", "PUT")] == ["POST"] * 3
