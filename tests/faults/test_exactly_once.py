"""Whatever a platform does with a request: no copy is lost or duplicated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Connection, Delivery, Post
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.faults.conftest import KINDS, Beside
from tests.faulty_platform import AFTER, BEFORE, FaultyPlatform
from tests.tiers import matrix

# Faults that certainly changed nothing: all others leave an uncertain delivery.
CLEAR = ("refuse", "429")
FAULTS = ("refuse", *BEFORE, *AFTER, "slow")
Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]


def meet(fault: str, platform: FaultyPlatform, tick: Tick) -> None:
    """Apply the fault to the next request."""
    if fault == "refuse":
        platform.goes_down()
        tick()
        platform.comes_up()
    else:
        platform.will(fault)
        tick()
    platform.goes_on()


def time_heals(time: Time, tick: Tick) -> None:
    for _ in range(4):
        time.passes(minutes=31)
        tick()


@matrix("fault", FAULTS)
@pytest.mark.parametrize("kind", ["faulty-key", "faulty-find"])
def test_a_copy_is_created_exactly_once(
    kind: str, fault: str, link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link(kind)
    post = a_post(live=True, platforms=[kind])
    meet(fault, platform, tick)
    time_heals(time, tick)
    assert platform.account(kind).titles_of(post.id) == ["A post"]
    assert len(platform.account(kind).made) == 1


@matrix("fault", FAULTS)
def test_without_key_and_lookup_a_copy_is_created_at_most_once_and_may_stay_uncertain(
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    meet(fault, platform, tick)
    time_heals(time, tick)
    is_clear = fault in (*CLEAR, "slow")
    assert delivery(post, "faulty-none").state == ("delivered" if is_clear else "uncertain")
    assert len(platform.account("faulty-none").made) == (1 if is_clear or fault.endswith("-after") else 0)


# How the repetition or the lookup fails. A rejection settles the delivery if the request was
# repeated; a rejected lookup says nothing about the copy.
SECOND = ("hang", "reset", "429", "500", "503", "rubbish", "401", "html", "refuse")


@matrix(
    "kind,second",
    [(kind, second) for kind in ("faulty-key", "faulty-find") for second in SECOND]
    + [("faulty-find", "400"), ("faulty-find", "404")],
    ids="-".join,
    default=lambda case: case[1] in ("hang", "500", "404"),
)
def test_an_uncertain_delivery_stays_uncertain_until_a_lookup_succeeds(
    kind: str,
    second: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    tools: Tools,
    delivery: Find,
) -> None:
    """The copy exists; the lookup fails in different ways; then the author edits the post."""
    link(kind)
    post = a_post(live=True, platforms=[kind])
    meet("500-after", platform, tick)
    time.passes(minutes=1)
    meet(second, platform, tick)
    change(post, "Newer", time)
    release(kind, tools)
    time_heals(time, tick)
    assert len(platform.account(kind).made) == 1
    assert platform.account(kind).titles_of(post.id) == ["Newer"]


def change(post: Post, title: str, time: Time) -> None:
    editing.edit(post, {"title": title}, None, time())
    publishing.publish(post, time())


def release(name: str, tools: Tools) -> None:
    manage.verify(Connection.named(name), tools)


def test_an_author_resolves_an_uncertain_delivery_as_delivered(
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
    tools: Tools,
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    meet("reset-after", platform, tick)
    assert delivery(post, "faulty-none").post.state == "partial"
    decide.resolve_delivered(delivery(post, "faulty-none"), "https://there.example/1", time(), tools)
    time_heals(time, tick)
    assert delivery(post, "faulty-none").url == "https://there.example/1"
    assert delivery(post, "faulty-none").post.state == "published"
    assert len(platform.account("faulty-none").creates) == 1


def test_an_author_resolves_an_uncertain_delivery_as_not_delivered(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    meet("reset", platform, tick)
    decide.resolve_again(delivery(post, "faulty-none"), time())
    tick()
    assert delivery(post, "faulty-none").post.state == "published"
    assert platform.account("faulty-none").titles_of(post.id) == ["A post"]


@pytest.mark.parametrize("kind", KINDS)
@matrix("fault", ["hang-after", "hang"])
def test_an_attempt_with_an_expired_lease_is_settled_and_its_late_result_is_ignored(
    kind: str,
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    beside: Beside,
    delivery: Find,
) -> None:
    account = link(kind) and platform.account(kind)
    post = a_post(live=True, platforms=[kind])
    platform.will(fault)
    beside.tick()
    assert platform.wait_for(lambda: account.calls)
    time.passes(minutes=1)  # beyond any lease, while the call still hangs
    tick()
    late = delivery(post, kind)
    assert late.state == ("uncertain" if kind != "faulty-key" else "retrying")
    assert late.attempts[0].outcome == "lost"
    time_heals(time, tick)
    state, fence = delivery(post, kind).state, delivery(post, kind).fence
    platform.goes_on()
    beside.wait()
    tick()
    assert (delivery(post, kind).state, delivery(post, kind).fence) == (state, fence)
    assert state == ("uncertain" if kind == "faulty-none" else "delivered")
    assert len(account.made) == (0 if kind == "faulty-none" and fault == "hang" else 1)
