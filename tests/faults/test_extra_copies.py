"""A post that is there twice, because a request was executed after it was sent again: found, told and removed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from blogsvc.auth import accounts
from blogsvc.delivery import attention, decide
from blogsvc.delivery.extra_copies import remove_extra_copies
from blogsvc.errors import StateConflict
from blogsvc.models import Delivery, Event, Post, User, db
from blogsvc.models.extra_copy import extra_copies_of
from blogsvc.posts import publishing
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
KIND = "faulty-find"


@pytest.fixture
def owner(app: Flask, time: Time) -> User:
    return accounts.add_user("ann@blog.example", "Ann", "a sentence to sign in by", "owner", "UTC", time())


@pytest.fixture
def twice(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> Post:
    """A post that was sent again because its request was held longer than anybody waits, and then passed on."""
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("held")
    tick()
    for _ in range(3):
        time.passes(minutes=3)
        tick()
    assert delivery(post, KIND).state == "delivered"
    pass_on(platform)
    return post


def pass_on(platform: FaultyPlatform) -> None:
    before = len(platform.account(KIND).made)
    platform.goes_on()
    assert platform.wait_for(lambda: len(platform.account(KIND).made) == before + 1)


def search(time: Time, tick: Tick) -> None:
    time.passes(minutes=11)
    tick()


def told() -> list[str]:
    return [event.data["url"] for event in db.session.query(Event) if event.type == "delivery.duplicated"]


def needs(owner: User, time: Time) -> list[str]:
    return [trouble.cause.kind for trouble in attention.attention_for(owner, time()).troubles]


def test_an_extra_copy_is_told_and_the_copy_that_is_ours_stays(
    twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find, owner: User
) -> None:
    ours = delivery(twice, KIND).url
    search(time, tick)
    found = delivery(twice, KIND)
    (extra,) = extra_copies_of(found.id)
    assert (found.state, found.url, found.extra_count) == ("delivered", ours, 1)
    assert extra.url != ours
    assert told() == [extra.url]
    assert needs(owner, time) == ["duplicated"]
    search(time, tick)
    assert told() == [extra.url]


def test_an_extra_copy_is_removed_on_demand(
    twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find, owner: User
) -> None:
    search(time, tick)
    remove_extra_copies(delivery(twice, KIND), time())
    tick()
    found = delivery(twice, KIND)
    assert (found.extra_count, extra_copies_of(found.id), needs(owner, time)) == (0, [], [])
    assert [copy["url"] for copy in platform.account(KIND).copies_of(twice.id)] == [found.url]
    with pytest.raises(StateConflict):
        remove_extra_copies(found, time())


def test_an_extra_copy_can_be_kept_and_is_not_told_again(
    twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find, owner: User
) -> None:
    search(time, tick)
    decide.leave(delivery(twice, KIND), time())
    assert needs(owner, time) == []
    for _ in range(3):
        time.passes(hours=25)
        tick()
    assert (delivery(twice, KIND).extra_count, len(told())) == (0, 1)
    assert len(platform.account(KIND).copies) == 2


def test_an_extra_copy_that_the_author_deletes_there_is_forgotten(
    twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    search(time, tick)
    (extra,) = extra_copies_of(delivery(twice, KIND).id)
    del platform.account(KIND).copies[extra.remote_id]
    time.passes(hours=25)
    tick()
    assert extra_copies_of(delivery(twice, KIND).id) == []


@pytest.mark.parametrize("is_known", [True, False], ids=["told before", "not told yet"])
def test_withdrawing_removes_all_copies(
    is_known: bool, twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    if is_known:
        search(time, tick)
    decide.withdraw(delivery(twice, KIND), time())
    tick()
    found = delivery(twice, KIND)
    assert (found.state, found.extra_count, platform.account(KIND).copies) == ("withdrawn", 0, {})


def test_a_copy_that_arrives_after_the_withdrawal_is_removed(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find
) -> None:
    link(KIND)
    post = a_post(live=True, platforms=[KIND])
    platform.will("held")
    tick()
    publishing.unpublish(post, time())
    for _ in range(2):
        time.passes(minutes=3)
        tick()
    assert delivery(post, KIND).state == "withdrawn"
    pass_on(platform)
    search(time, tick)
    assert platform.account(KIND).copies == {}
    assert told() == []


def test_a_copy_that_arrives_days_after_the_withdrawal_is_told(
    twice: Post, platform: FaultyPlatform, time: Time, tick: Tick, delivery: Find, owner: User
) -> None:
    """It may be the author's own duplicate, so it is not removed without asking."""
    (late, *_) = platform.account(KIND).copies.values()
    decide.withdraw(delivery(twice, KIND), time())
    tick()
    search(time, tick)
    platform.account(KIND).copies["c9"] = {**late, "id": "c9"}
    time.passes(hours=25)
    tick()
    assert (delivery(twice, KIND).state, delivery(twice, KIND).extra_count) == ("withdrawn", 1)
    assert list(platform.account(KIND).copies) == ["c9"]


def test_a_post_without_a_doubt_is_not_searched_for(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link(KIND)
    a_post(live=True, platforms=[KIND])
    tick()
    before = len(platform.account(KIND).calls)
    for _ in range(3):
        search(time, tick)
    assert len(platform.account(KIND).calls) == before


def test_searches_end_after_a_week(
    link: Tick, a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link(KIND)
    a_post(live=True, platforms=[KIND])
    platform.will("reset")
    calls = []
    for _ in range(20):
        tick()
        calls.append(len(platform.account(KIND).calls))
        time.passes(hours=25)
    assert calls[3] < calls[7] < calls[9]
    assert calls[12] == calls[19]
