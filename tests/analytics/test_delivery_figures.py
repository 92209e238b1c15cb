"""Delivery figures by destination: success rate, retries, and percentiles of the lateness."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from blogsvc.models import Attempt, Delivery, Post, db, transaction
from tests.api_client import Api
from tests.clock import NOW

Posts = Callable[..., Post]
DUE = NOW - timedelta(days=1)


def deliver(post: Post, destination: str, seconds_late: float | None, outcomes: str = "succeeded") -> None:
    """Add a delivery with one attempt for each outcome; it failed if it was never delivered."""
    with transaction():
        delivery = Delivery.to(db.session.merge(post), destination, None, DUE)
        delivery.state, delivery.next_attempt_at = ("failed" if seconds_late is None else "delivered"), None
        if seconds_late is not None:
            delivery.delivered_at = DUE + timedelta(seconds=seconds_late)
        for number, outcome in enumerate(outcomes.split()):
            attempt = Attempt(id=f"{delivery.id[-30:]}{number}", number=number + 1, operation="create", started_at=DUE)
            attempt.outcome, attempt.finished_at = outcome, DUE
            delivery.attempts.append(attempt)


def deliveries_of(api: Api, destination: str) -> dict[str, Any]:
    rows = {row["platform"]: row["deliveries"] for row in api.get("/analytics").json["byPlatform"]}
    found: dict[str, Any] = rows[destination]
    return found


def test_lateness_has_percentiles_for_each_destination_and_in_total(api: Api, a_post: Posts) -> None:
    for number in range(21):
        post = a_post()
        deliver(post, "quick", number / 1000)
        deliver(post, "slow", number * 10)
    assert deliveries_of(api, "quick")["latenessPercentiles"] == {
        "p50": 0.01,
        "p95": 0.019,
        "p99": 0.02,
        "count": 21,
        "max": 0.02,
    }
    slow = deliveries_of(api, "slow")
    assert slow["latenessPercentiles"] == {"p50": 100.0, "p95": 190.0, "p99": 198.0, "count": 21, "max": 200.0}
    assert slow["medianLateness"] == 100.0
    total = api.get("/analytics").json["totals"]["deliveries"]
    assert total["latenessPercentiles"]["p50"] == pytest.approx(0.0195, abs=0.0006)


@pytest.mark.parametrize(
    ("late", "shown"),
    [(-5, 0.0), (0.4567, 0.457), (2.345, 2.34), (61.29, 61.2), (754.9, 754.0), (3605, 3600.0), (86_399, 86_300.0)],
)
def test_lateness_has_three_digits(api: Api, a_post: Posts, late: float, shown: float) -> None:
    deliver(a_post(), "hook", late)
    assert deliveries_of(api, "hook")["medianLateness"] == shown


def test_a_destination_without_arrivals_has_no_lateness(api: Api, a_post: Posts) -> None:
    deliver(a_post(), "hook", None, "failed")
    figures = deliveries_of(api, "hook")
    assert (figures["failed"], figures["successRate"]) == (1, 0.0)
    assert figures["latenessPercentiles"] is figures["medianLateness"] is None


def test_a_delivery_counts_as_retried_once_however_often_it_was_tried(api: Api, a_post: Posts) -> None:
    deliver(a_post(), "hook", 3, "retried retried succeeded")
    deliver(a_post(), "hook", 1)
    deliver(a_post(), "other", 1)
    figures = deliveries_of(api, "hook")
    assert (figures["delivered"], figures["retried"], figures["successRate"]) == (2, 1, 1.0)
    assert api.get("/analytics").json["totals"]["deliveries"]["retried"] == 1
