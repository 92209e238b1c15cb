"""Count deliveries by outcome and destination, and measure how late they were, in SQL.

One query counts the deliveries by destination, state and lateness. The lateness is rounded to three digits, so that
the number of its rows does not grow with the number of deliveries.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import accumulate
from math import ceil, floor
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, literal_column, select

from blogsvc.analytics.scope import ReportScope
from blogsvc.models import Attempt, Delivery, db
from blogsvc.models.sql_time import milliseconds_between

IN_PROGRESS = ("queued", "sending", "retrying")


@dataclass(frozen=True)
class LatenessPercentiles:
    """Seconds from the time when deliveries were due. 95 % of them arrived no later than `p95`. `p50` is the median."""

    p50: float
    p95: float
    p99: float


@dataclass(frozen=True)
class DeliveryFigures:
    """Deliveries by outcome. `success_rate` is 0 to 1; None without deliveries, as is the lateness."""

    delivered: int = 0
    failed: int = 0
    uncertain: int = 0
    pending: int = 0
    withdrawn: int = 0
    retried: int = 0
    success_rate: float | None = None
    lateness: LatenessPercentiles | None = None


@dataclass
class _Tally:
    states: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    # The number of deliveries by their lateness in milliseconds.
    lateness: Counter[int] = field(default_factory=Counter)

    def figures(self) -> DeliveryFigures:
        states = self.states
        settled = states["delivered"] + states["failed"]
        return DeliveryFigures(
            delivered=states["delivered"],
            failed=states["failed"],
            uncertain=states["uncertain"],
            pending=sum(states[state] for state in IN_PROGRESS),
            withdrawn=states["withdrawn"],
            retried=self.retried,
            success_rate=round(states["delivered"] / settled, 4) if settled else None,
            lateness=_percentiles(self.lateness) if self.lateness else None,
        )


def delivery_figures(scope: ReportScope) -> tuple[DeliveryFigures, dict[str, DeliveryFigures]]:
    """Return the figures of the deliveries that were due within the scope: of all, and by destination."""
    total, tallies = _Tally(), defaultdict[str, _Tally](_Tally)
    for destination, state, lateness, count in db.session.execute(_counts(scope)):
        for tally in (total, tallies[destination]):
            tally.states[state] += count
            if lateness is not None:
                tally.lateness[lateness] += count
    # A literal, because a parameter would not match the partial index.
    unsuccessful = select(Attempt.delivery_id).where(Attempt.outcome != literal_column("'succeeded'"))
    retried = select(Delivery.destination, func.count()).where(*_within(scope), Delivery.id.in_(unsuccessful))
    for destination, count in db.session.execute(retried.group_by(Delivery.destination)):
        for tally in (total, tallies[destination]):
            tally.retried += count
    return total.figures(), {name: tally.figures() for name, tally in tallies.items()}


def _within(scope: ReportScope) -> list[ColumnElement[bool]]:
    conditions = [Delivery.due_at >= scope.start, Delivery.due_at < scope.end]
    if scope.post_ids:
        conditions.append(Delivery.post_id.in_(scope.post_ids))
    if scope.platforms:
        conditions.append(Delivery.destination.in_(scope.platforms))
    return conditions


def _counts(scope: ReportScope) -> Select[Any]:
    """Count by destination, state and lateness in milliseconds: exact below a second, then with three digits."""
    is_delivered = and_(Delivery.state == "delivered", Delivery.delivered_at.is_not(None))
    lateness = case((is_delivered, milliseconds_between(Delivery.due_at, Delivery.delivered_at)))
    each = select(Delivery.destination, Delivery.state, lateness.label("late")).where(*_within(scope))
    # Otherwise SQLite would calculate the lateness once for each time it is used below.
    known = each.cte("known").prefix_with("MATERIALIZED").c
    steps = ((known.late < 1000 * size, known.late - known.late % size) for size in (1, 10, 100, 1000, 10_000))
    rounded = case((known.late < 0, 0), *steps, else_=known.late - known.late % 100_000)
    query = select(known.destination, known.state, rounded.label("rounded"), func.count())
    return query.group_by(known.destination, known.state, literal_column("rounded"))


def _percentiles(lateness: Mapping[int, int]) -> LatenessPercentiles:
    """Return the percentiles of a histogram in milliseconds. Values between two ranks are interpolated."""
    values = sorted(lateness)
    ends = list(accumulate(lateness[value] for value in values))

    def at(share: float) -> float:
        rank = share * (ends[-1] - 1)
        low, high = (next(v for v, end in zip(values, ends, strict=True) if n < end) for n in (floor(rank), ceil(rank)))
        return round((low + (high - low) * (rank - floor(rank))) / 1000, 3)

    return LatenessPercentiles(at(0.5), at(0.95), at(0.99))
