"""Attention: each cause is listed once, for the users concerned, until it is resolved."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy import select

from blogsvc.auth import accounts
from blogsvc.connections import disconnect
from blogsvc.context import Tools
from blogsvc.delivery import attention, decide
from blogsvc.delivery.attention import FailureCause
from blogsvc.errors import Invalid, StateConflict
from blogsvc.models import Connection, Delivery, Post, User, db, transaction
from blogsvc.models.setting import heartbeat
from blogsvc.posts import clock_jumps, publishing, trash
from tests.clock import NOW, Time
from tests.outside import Outside

Make = Callable[..., Post]
Tick = Callable[[], None]


@pytest.fixture
def owner(app: Flask) -> User:
    return accounts.add_user("ann@blog.example", "Ann", "a sentence to sign in by", "owner", "UTC", NOW)


@pytest.fixture
def author(app: Flask) -> User:
    return accounts.add_user("bo@blog.example", "Bo", "a sentence to sign in by", "author", "UTC", NOW)


@pytest.fixture
def platform_returns(outside: Outside) -> Callable[..., None]:
    """Return a function that sets the response of the platform of `connect`."""

    def teach(status: int) -> None:
        outside.always(status=status)

    return teach


def only(post: Post) -> Delivery:
    db.session.expire_all()
    return db.session.scalars(select(Delivery).where(Delivery.post_id == post.id)).one()


def test_attention_is_empty_when_nothing_failed(a_post: Make, owner: User, tick: Tick, time: Time) -> None:
    a_post(live=True)
    tick()
    assert attention.attention_for(owner, time()).count == 0


def test_failures_with_one_cause_are_grouped(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(422)
    posts = [a_post(live=True, platforms=["hook"], title=f"{n}") for n in range(7)]
    tick()
    (trouble,) = attention.attention_for(owner, time(), most=5).troubles
    assert trouble.cause == FailureCause("failed", "hook", "rejected")
    assert trouble.count == 7
    assert len(trouble.deliveries) == 5
    assert {delivery.post_id for delivery in attention.deliveries_of(trouble.cause, owner)} == {
        post.id for post in posts
    }


def test_attention_lists_only_posts_the_user_can_see(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    author: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(422)
    theirs, _other = (a_post(live=True, platforms=["hook"]) for _ in range(2))
    with transaction():
        theirs.author_id = author.id
    tick()
    assert attention.attention_for(owner, time()).troubles[0].count == 2
    (trouble,) = attention.attention_for(author, time()).troubles
    assert [delivery.post_id for delivery in trouble.deliveries] == [theirs.id]
    assert len(attention.deliveries_of(trouble.cause, author)) == 1


def test_a_disconnected_connection_is_listed_with_its_waiting_deliveries(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    author: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(401)
    for _ in range(3):
        a_post(live=True, platforms=["hook"])
    tick()
    found = attention.attention_for(owner, time())
    assert found.troubles == []
    (outage,) = found.outages
    assert (outage.connection.name, outage.waiting, outage.failed) == ("hook", 3, 0)
    assert attention.attention_for(author, time()).outages == []


def test_failed_deliveries_of_a_disconnected_connection_are_listed_once_it_works_again(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    tick: Tick,
    time: Time,
    tools: Tools,
) -> None:
    connect()
    platform_returns(422)
    a_post(live=True, platforms=["hook"])
    tick()
    with transaction():
        Connection.named("hook").disconnect("It says no.")
    found = attention.attention_for(owner, time())
    assert (found.troubles, found.outages[0].failed) == ([], 1)

    with transaction():
        Connection.named("hook").record_success()
    found = attention.attention_for(owner, time())
    assert (found.outages, found.troubles[0].count) == ([], 1)


def test_an_uncertain_delivery_needs_attention_only_if_it_cannot_be_looked_up(
    a_post: Make, connect: Callable[..., str], owner: User, tick: Tick, time: Time
) -> None:
    connect()
    post = a_post(live=True, platforms=["hook"])
    delivery = only(post)
    with transaction():
        delivery.postpone("uncertain", time() + timedelta(minutes=1), "uncertain", "No answer.", time())
    assert attention.attention_for(owner, time()).count == 0
    with transaction():
        delivery.postpone("uncertain", None, "uncertain", "No answer.", time())
    (trouble,) = attention.attention_for(owner, time()).troubles
    assert trouble.cause.kind == "uncertain"


@pytest.fixture
def drifted(a_post: Make, connect: Callable[..., str], tick: Tick) -> Callable[[str], Delivery]:
    def make(drift: str) -> Delivery:
        connect()
        delivery = only(a_post(live=True, platforms=["hook"]))
        tick()
        delivery = only(delivery.post)
        with transaction():
            delivery.record_drift(drift)
        return delivery

    return make


def test_a_dismissed_edited_copy_needs_attention_again_after_another_change(
    drifted: Callable[[str], Delivery], owner: User, time: Time
) -> None:
    delivery = drifted("edited")
    assert attention.attention_for(owner, time()).troubles[0].cause.kind == "edited"
    decide.leave(delivery, time())
    assert attention.attention_for(owner, time()).count == 0
    assert only(delivery.post).drift == "edited"
    with transaction():
        delivery.record_drift("gone")
    assert attention.attention_for(owner, time()).troubles[0].cause.kind == "gone"


def test_a_copy_removed_on_the_platform_can_be_dismissed(
    drifted: Callable[[str], Delivery], owner: User, time: Time
) -> None:
    delivery = drifted("gone")
    decide.leave(delivery, time())
    assert attention.attention_for(owner, time()).count == 0
    assert only(delivery.post).state == "withdrawn"
    with pytest.raises(StateConflict):
        decide.leave(delivery, time())


def test_dismissing_a_failed_delivery_makes_the_post_published(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(422)
    post = a_post(live=True, platforms=["site", "hook"])
    tick()
    assert post.state == "partial"
    decide.leave(post.delivery_to("hook"), time())
    assert attention.attention_for(owner, time()).count == 0
    assert (post.state, post.delivery_to("hook").state) == ("published", "withdrawn")


def test_a_retry_uses_the_connection_that_has_the_name_now(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(422)
    post = a_post(live=True, platforms=["hook"])
    tick()
    disconnect.disconnect(Connection.named("hook"), time())
    with pytest.raises(Invalid, match="Connect it first"):
        decide.retry(only(post), time())
    platform_returns(200)
    connect()
    decide.retry(only(post), time())
    tick()
    assert only(post).state == "delivered"


def test_missed_posts_are_grouped(a_post: Make, owner: User, author: User, tick: Tick, time: Time) -> None:
    for _ in range(7):
        publishing.schedule(a_post(), time() + timedelta(hours=1), time())
    time.passes(days=3)
    tick()
    found = attention.attention_for(owner, time(), most=5)
    assert (found.count, found.missed.count, len(found.missed.posts)) == (1, 7, 5)
    assert len(attention.missed_posts(owner)) == 7
    assert attention.attention_for(author, time()).missed.count == 0


def test_posts_in_the_trash_need_no_attention(
    a_post: Make,
    connect: Callable[..., str],
    platform_returns: Callable[..., None],
    owner: User,
    tick: Tick,
    time: Time,
) -> None:
    connect()
    platform_returns(422)
    post = a_post(live=True, platforms=["hook"])
    tick()
    trash.discard(post, time())
    assert attention.attention_for(owner, time()).count == 0


@pytest.mark.parametrize("drift", ["edited", "gone"])
def test_a_changed_copy_of_a_post_in_the_trash_needs_no_attention(
    drifted: Callable[[str], Delivery], owner: User, time: Time, drift: str
) -> None:
    delivery = drifted(drift)
    trash.discard(delivery.post, time())
    assert attention.attention_for(owner, time()).count == 0
    assert attention.deliveries_of(FailureCause(drift, "hook", ""), owner) == []
    assert only(delivery.post).drift == drift


def test_a_stalled_scheduler_needs_attention(a_post: Make, owner: User, time: Time) -> None:
    assert not attention.attention_for(owner, time()).is_stalled, "it never ran, and nothing is due"
    publishing.schedule(a_post(), time() + timedelta(minutes=1), time())
    time.passes(minutes=5)
    assert attention.attention_for(owner, time()).is_stalled
    with transaction():
        heartbeat(time())
    assert not attention.attention_for(owner, time()).is_stalled
    time.passes(minutes=2)
    found = attention.attention_for(owner, time())
    assert found.is_stalled
    assert found.stalled_since == time() - timedelta(minutes=2)


def test_a_system_time_that_was_set_needs_attention_for_a_day(
    app: Flask, tools: Tools, owner: User, time: Time
) -> None:
    clock_jumps.note_jump(timedelta(hours=3), tools.clocks())
    found = attention.attention_for(owner, time.passes(hours=1))
    assert found.clock_jump == (time() - timedelta(hours=1), timedelta(hours=3))
    assert found.count == 1
    assert attention.attention_for(owner, time.passes(days=1)).clock_jump is None
