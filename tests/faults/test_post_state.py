"""The state of a post follows its deliveries, whoever changes them and when."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import select

from blogsvc.delivery import decide
from blogsvc.models import Connection, Delivery, Event, Post, db
from blogsvc.models.post_states import state_of
from tests.clock import NOW, Time
from tests.faulty_platform import FaultyPlatform

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]


@pytest.mark.parametrize(
    ("deliveries", "state"),
    [
        ("delivered", "published"),
        ("delivered delivered", "published"),
        ("delivered queued", "publishing"),
        ("delivered sending", "publishing"),
        ("delivered retrying", "publishing"),
        ("failed retrying", "publishing"),
        ("uncertain queued", "publishing"),
        ("delivered failed", "partial"),
        ("delivered uncertain", "partial"),
        ("uncertain", "partial"),
        ("uncertain failed", "partial"),
        ("failed", "failed"),
        ("failed failed", "failed"),
        ("failed withdrawn", "failed"),
        ("delivered withdrawn", "published"),
        ("withdrawn withdrawn", "unpublished"),
    ],
)
def test_the_state_of_a_post_is_derived_from_its_deliveries(deliveries: str, state: str) -> None:
    post = Post(id="post_1")
    rows = [Delivery.to(post, str(n), None, NOW) for n, _ in enumerate(deliveries.split())]
    for row, is_now in zip(rows, deliveries.split(), strict=True):
        row.state = is_now
    assert state_of(rows) == state


@pytest.mark.settings(send_timeout_seconds=30)
def test_a_post_is_published_when_its_slowest_destination_has_it(
    link: Callable[..., Connection], a_post: Callable[..., Post], platform: FaultyPlatform, tick: Tick, delivery: Find
) -> None:
    """Lanes settle concurrently, each with its own snapshot of the rows."""
    places = [link("faulty-key", f"place-{n}").name for n in range(6)]
    posts = [a_post(live=True, platforms=places) for _ in range(3)]
    platform.will("slow", "ok", "slow", "ok", "ok", "slow", "ok", "ok", "slow")
    tick()
    assert [post.state for post in posts] == ["published"] * 3
    told = list(db.session.scalars(select(Event.post_id).where(Event.type == "post.published")))
    assert sorted(told) == sorted(post.id for post in posts)


def test_a_manual_retry_of_failed_deliveries_makes_a_partial_post_published(
    link: Callable[..., Connection], a_post: Callable[..., Post], platform: FaultyPlatform, time: Time, tick: Tick
) -> None:
    link("faulty-key")
    link("faulty-none")
    post = a_post(live=True, platforms=["site", "faulty-key", "faulty-none"])
    platform.will("400", "400")
    tick()
    assert post.state == "partial"
    for row in post.deliveries[1:]:
        decide.retry(row, time())
    assert post.state == "publishing"
    tick()
    assert post.state == "published"
