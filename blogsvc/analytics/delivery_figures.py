"""Report deliveries by outcome and destination, and how late they were.

Whole UTC days are read from their roll-ups (`delivery_rollup.py`), unless they are stale. All other deliveries, and
those of selected posts, are counted one by one (`delivery_tally.py`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from itertools import accumulate
from math import ceil, floor
from typing import Any

from sqlalchemy import Select, select

from blogsvc.analytics.delivery_tally import Span, Tally, tally
from blogsvc.analytics.scope import ReportScope
from blogsvc.models import DeliveryDay, StaleDeliveryDay, db
from blogsvc.models.view_rollup import DAY, day_start, next_midnight

IN_PROGRESS = ("queued", "blocked", "awaiting_hand", "sending", "retrying")


@dataclass(frozen=True)
class LatenessPercentiles:
    """Seconds from the time when deliveries were due. 95 % of them arrived no later than `p95`. `p50` is the median.

    `count` is the number of deliveries that arrived, and `max` the lateness of the last of them.
    """

    p50: float
    p95: float
    p99: float
    count: int
    max: float


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

    @property
    def due(self) -> int:
        """The number of deliveries that were due, without withdrawn ones."""
        return self.delivered + self.failed + self.uncertain + self.pending


def delivery_figures(scope: ReportScope) -> tuple[DeliveryFigures, dict[str, DeliveryFigures]]:
    """Return the figures of the deliveries that were due within the scope: of all, and by destination."""
    tallies = defaultdict[str, Tally](Tally)
    spans = [(scope.start, scope.end)]
    if not scope.post_ids:
        first, last = next_midnight(scope.start), day_start(scope.end)
        stale = select(StaleDeliveryDay.day).where(StaleDeliveryDay.day.between(first.date(), last.date()))
        spans = _spans_to_count(scope, db.session.scalars(stale.order_by(StaleDeliveryDay.day)))
        for destination, states, lateness, retried in db.session.execute(_rolled_up(first, last, stale, scope)):
            tallies[destination].add(states, lateness, retried)
    for destination, counted in tally(spans, scope.post_ids, scope.platforms).items():
        tallies[destination].add(counted.states, counted.lateness, counted.retried)
    total = Tally()
    for each in tallies.values():
        total.add(each.states, each.lateness, each.retried)
    return _figures(total), {destination: _figures(each) for destination, each in tallies.items()}


def _spans_to_count(scope: ReportScope, stale: Iterable[date]) -> list[Span]:
    """Return the spans whose deliveries have to be counted one by one: stale days, and parts of days at the ends."""
    first, last = next_midnight(scope.start), day_start(scope.end)
    if first > last:
        return [(scope.start, scope.end)]
    days = (datetime.combine(day, time(), UTC) for day in stale if day < last.date())
    spans: list[Span] = []
    for start, end in ((scope.start, first), *((day, day + DAY) for day in days), (last, scope.end)):
        if spans and spans[-1][1] == start:
            spans[-1] = (spans[-1][0], end)
        elif start < end:
            spans.append((start, end))
    return spans


def _rolled_up(first: datetime, last: datetime, stale: Select[Any], scope: ReportScope) -> Select[Any]:
    """Select the roll-ups of the days from `first` to before `last`, except stale ones."""
    query = select(DeliveryDay.destination, DeliveryDay.states, DeliveryDay.lateness, DeliveryDay.retried)
    query = query.where(DeliveryDay.day >= first.date(), DeliveryDay.day < last.date(), DeliveryDay.day.not_in(stale))
    return query.where(DeliveryDay.destination.in_(scope.platforms)) if scope.platforms else query


def _figures(tally: Tally) -> DeliveryFigures:
    states = tally.states
    settled = states["delivered"] + states["failed"]
    return DeliveryFigures(
        delivered=states["delivered"],
        failed=states["failed"],
        uncertain=states["uncertain"],
        pending=sum(states[state] for state in IN_PROGRESS),
        withdrawn=states["withdrawn"],
        retried=tally.retried,
        success_rate=round(states["delivered"] / settled, 4) if settled else None,
        lateness=_percentiles(tally.lateness) if tally.lateness else None,
    )


def _percentiles(lateness: Mapping[int, int]) -> LatenessPercentiles:
    """Return the percentiles of a histogram in milliseconds. Values between two ranks are interpolated."""
    values = sorted(lateness)
    ends = list(accumulate(lateness[value] for value in values))

    def at(share: float) -> float:
        rank = share * (ends[-1] - 1)
        low, high = (values[bisect_right(ends, each)] for each in (floor(rank), ceil(rank)))
        return round((low + (high - low) * (rank - floor(rank))) / 1000, 3)

    return LatenessPercentiles(at(0.5), at(0.95), at(0.99), ends[-1], at(1))
