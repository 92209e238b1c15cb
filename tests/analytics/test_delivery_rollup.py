"""Roll-ups of deliveries change no figure, whenever they run and whatever changes afterwards."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import func, select

from blogsvc.analytics.delivery_rollup import roll_up_deliveries
from blogsvc.models import Attempt, Delivery, DeliveryDay, Post, StaleDeliveryDay, db, transaction
from blogsvc.posts import trash
from tests.api_client import Api
from tests.clock import NOW

Posts = Callable[..., Post]
SCOPES = (
    "",
    "from=2026-11-10&to=2026-11-24&timezone=Pacific/Auckland",
    "from=2026-11-15T05:00:00Z&to=2026-11-22T21:00:00Z",
    "from=2026-11-20T05:00:00Z&to=2026-11-20T21:00:00Z",
    "platform=hook",
)


@pytest.fixture
def deliveries(app: Flask, a_post: Posts) -> list[str]:
    """Add a delivery to two destinations every seven hours of the last ten days, and return their ids."""
    ids = []
    for number in range(34):
        post = a_post()
        with transaction():
            for destination in ("hook", "other"):
                due = NOW - timedelta(hours=7 * number + 1)
                delivery = Delivery.to(db.session.merge(post), destination, None, due)
                delivery.state = "failed" if number % 9 == 0 else "delivered"
                delivery.delivered_at = due + timedelta(seconds=number) if number % 9 else None
                attempt = Attempt(id=f"{delivery.id[-30:]}0", number=1, operation="create", started_at=due)
                attempt.outcome, attempt.finished_at = "succeeded" if number % 4 else "retried", due
                delivery.attempts.append(attempt)
                ids.append(delivery.id)
    return ids


def figures(api: Api) -> list[Any]:
    """Return the figures of deliveries in many scopes."""
    found = [api.get(f"/analytics?{scope}").json for scope in SCOPES]
    return [
        (answer["totals"]["deliveries"], {row["platform"]: row["deliveries"] for row in answer["byPlatform"]})
        for answer in found
    ]


def roll_up() -> None:
    while roll_up_deliveries(NOW):
        pass


def count(table: Any) -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(table)) or 0


def test_roll_ups_of_deliveries_change_no_figure(api: Api, deliveries: list[str]) -> None:
    before = figures(api)
    assert before[0][0]["delivered"] == 60
    assert before[0][0]["retried"] == 18
    steps = 0
    while roll_up_deliveries(NOW, max_steps=1):
        steps += 1
        assert figures(api) == before
    assert (steps, count(DeliveryDay), count(StaleDeliveryDay)) == (10, 20, 1), "all days but today"


def test_a_delivery_that_changes_later_is_counted_as_it_is(api: Api, deliveries: list[str]) -> None:
    roll_up()
    with transaction():
        delivery = db.session.get_one(Delivery, deliveries[20])
        delivery.state, delivery.delivered_at = "failed", None
    changed = figures(api)
    assert (changed[0][0]["delivered"], changed[0][0]["failed"]) == (59, 9)
    roll_up()
    assert figures(api) == changed


def test_a_delivery_that_becomes_due_again_moves_to_that_day(api: Api, deliveries: list[str]) -> None:
    roll_up()
    with transaction():
        db.session.get_one(Delivery, deliveries[20]).due_at = NOW - timedelta(days=40)
    moved = figures(api)
    assert moved[0][0]["delivered"] == 59
    roll_up()
    assert figures(api) == moved
    assert api.get("/analytics?from=2026-10-01&to=2026-10-31").json["totals"]["deliveries"]["delivered"] == 1


def test_the_deliveries_of_a_deleted_post_are_not_counted(api: Api, deliveries: list[str]) -> None:
    roll_up()
    post_id = db.session.get_one(Delivery, deliveries[20]).post_id
    with transaction():
        for delivery in db.session.scalars(select(Delivery).where(Delivery.post_id == post_id)):
            delivery.state = "withdrawn"
    roll_up()
    assert figures(api)[0][0]["withdrawn"] == 2
    assert api.delete(f"/posts/{post_id}").status_code in (200, 204)
    trash.empty_trash(NOW + timedelta(days=31))
    assert figures(api)[0][0]["withdrawn"] == 0
    roll_up()
    assert figures(api)[0][0]["withdrawn"] == 0
