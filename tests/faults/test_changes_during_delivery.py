"""Changes by the author while a delivery is in progress, and their outcome."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from blogsvc.delivery import decide
from blogsvc.models import Delivery, Event, Post, db
from blogsvc.posts import editing, publishing, trash
from tests.clock import Time
from tests.faults.conftest import Beside, reload_rows
from tests.faulty_platform import FaultyPlatform
from tests.tiers import matrix

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
KINDS = ("faulty-key", "faulty-find")


def time_heals(time: Time, tick: Tick) -> None:
    for _ in range(3):
        time.passes(minutes=31)
        tick()


@pytest.fixture
def on_its_way(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, beside: Beside
) -> Callable[[str, str], Post]:
    """Return a function that starts a delivery; the platform responds slowly, or with the given behaviour."""

    def begin(kind: str, behaviour: str = "slow") -> Post:
        link(kind)
        post = a_post(live=True, platforms=[kind])
        platform.will(behaviour)
        beside.tick()
        assert platform.wait_for(lambda: platform.account(kind).calls)
        reload_rows()
        return post

    return begin


def reword(post: Post, time: Time, title: str = "Newer") -> None:
    editing.edit(post, {"title": title}, None, time())
    publishing.publish(post, time())


@matrix("behaviour", ["hang-after", "slow", "hang", "reset-after", "429"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_post_changed_during_its_delivery_ends_with_the_new_text(
    kind: str,
    behaviour: str,
    on_its_way: Callable[..., Post],
    beside: Beside,
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    post = on_its_way(kind, behaviour)
    reword(post, time)
    beside.wait()
    time_heals(time, tick)
    assert platform.account(kind).titles_of(post.id) == ["Newer"]
    assert len(platform.account(kind).made) == 1
    assert delivery(post, kind).post.state == "published"


@matrix("behaviour", ["hang-after", "slow", "hang"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_withdrawn_during_its_delivery_ends_removed(
    kind: str,
    behaviour: str,
    on_its_way: Callable[..., Post],
    beside: Beside,
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    post = on_its_way(kind, behaviour)
    decide.withdraw(delivery(post, kind), time())
    beside.wait()
    time_heals(time, tick)
    assert platform.account(kind).copies_of(post.id) == []
    assert delivery(post, kind).state == "withdrawn"


def test_a_post_deleted_before_it_was_sent_is_never_sent(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    trash.discard(post, time())
    time_heals(time, tick)
    assert platform.account("faulty-key").calls == []
    assert delivery(post, "faulty-key").state == "withdrawn"


@pytest.mark.parametrize("fault", ["none", "429"])
@pytest.mark.parametrize(
    ("take_down", "state", "sent"),
    [
        ("discard", "delivered", []),
        ("discard and withdraw", "withdrawn", ["DELETE"]),
        ("unpublish", "withdrawn", ["DELETE"]),
    ],
)
def test_deleting_a_post_drops_its_pending_update_and_removes_the_copy_only_on_request(
    take_down: str,
    state: str,
    sent: list[str],
    fault: str,
    link: Tick,
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    delivery: Find,
) -> None:
    link("faulty-key")
    account = platform.account("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    tick()
    reword(post, time)
    if fault != "none":
        platform.will(fault)
        tick()
    assert delivery(post, "faulty-key").state == ("queued" if fault == "none" else "retrying")
    account.calls.clear()
    if take_down == "unpublish":
        publishing.unpublish(post, time())
    else:
        trash.discard(post, time(), withdraw="withdraw" in take_down)
    time_heals(time, tick)
    assert [call.method for call in account.calls] == sent
    assert account.titles_of(post.id) == ([] if sent else ["A post"])
    assert delivery(post, "faulty-key").state == state


def test_an_uncertain_delivery_of_a_deleted_post_is_not_retried(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    platform.will("500-after")
    tick()
    trash.discard(delivery(post, "faulty-key").post, time())
    time_heals(time, tick)
    assert len(platform.account("faulty-key").calls) == 1
    assert delivery(post, "faulty-key").error_code == "cancelled"


def test_an_unchanged_payload_is_not_sent_again(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-key")
    post = a_post(live=True, platforms=["faulty-key"])
    tick()
    editing.edit(post, {"tags": ["new"]}, None, time())  # which this platform does not receive
    publishing.publish(post, time())
    tick()
    assert [call.method for call in platform.account("faulty-key").calls] == ["POST"]
    assert delivery(post, "faulty-key").post.state == "published"


def test_a_platform_that_cannot_update_copies_gets_a_note_and_no_error(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    tick()
    reword(post, time)
    tick()
    assert platform.account("faulty-none").titles_of(post.id) == ["A post"]
    assert (delivery(post, "faulty-none").state, delivery(post, "faulty-none").error_code) == ("delivered", None)
    assert delivery(post, "faulty-none").post.state == "published"
    notes: list[dict[str, Any]] = list(db.session.scalars(select(Event.data).where(Event.type == "delivery.succeeded")))
    assert "can't change a published copy" in notes[-1]["note"]


def test_a_copy_removed_on_the_platform_is_reported_and_created_again_by_a_retry(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link("faulty-find")
    post = a_post(live=True, platforms=["faulty-find"])
    tick()
    platform.account("faulty-find").copies.clear()
    reword(post, time)
    tick()
    assert (delivery(post, "faulty-find").state, delivery(post, "faulty-find").error_code) == ("failed", "gone")
    decide.retry(delivery(post, "faulty-find"), time())
    tick()
    assert platform.account("faulty-find").titles_of(post.id) == ["Newer"]
    assert delivery(post, "faulty-find").post.state == "published"


def test_a_copy_that_may_have_arrived_is_withdrawn_although_the_post_is_deleted_then(
    link: Callable[..., object],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Callable[[], None],
    delivery: Callable[[Post, str], Delivery],
) -> None:
    link("faulty-find")
    post = a_post(live=True, platforms=["faulty-find"])
    platform.will("reset-after")
    tick()
    assert delivery(post, "faulty-find").state == "uncertain"
    publishing.unpublish(post, time())
    trash.discard(post, time())
    for _ in range(3):
        time.passes(minutes=2)
        tick()
    assert delivery(post, "faulty-find").state == "withdrawn"
    assert platform.account("faulty-find").copies == {}
