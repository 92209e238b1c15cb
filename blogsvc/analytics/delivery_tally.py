"""Count single deliveries by destination, state and lateness, in SQL.

The lateness is rounded to three digits, so that the number of counts does not grow with the number of deliveries.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, CompoundSelect, Select, and_, case, func, literal_column, select, union_all

from blogsvc.models import Attempt, Delivery, db
from blogsvc.models.sql_time import milliseconds_between

# From a time to before another one.
Span = tuple[datetime, datetime]


@dataclass
class Tally:
    """Counts of deliveries."""

    states: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    # The number of deliveries by their lateness in milliseconds.
    lateness: Counter[int] = field(default_factory=Counter)

    def add(self, states: Mapping[str, int], lateness: Mapping[int, int] | Iterable[int], retried: int) -> None:
        """Add counts by state, and the lateness of each delivery or the number of deliveries by lateness."""
        self.states.update(states)
        self.lateness.update(lateness)
        self.retried += retried


def tally(spans: Collection[Span], post_ids: Collection[str] = (), platforms: Collection[str] = ()) -> dict[str, Tally]:
    """Count the deliveries due within these spans, by destination. Empty collections of the others mean all."""
    tallies = defaultdict[str, Tally](Tally)
    if not spans:
        return tallies
    within: list[ColumnElement[bool]] = []
    if post_ids:
        within.append(Delivery.post_id.in_(post_ids))
    if platforms:
        within.append(Delivery.destination.in_(platforms))
    for destination, state, lateness, count in db.session.execute(_counts(spans, within)):
        tallies[destination].states[state] += count
        if lateness is not None:
            tallies[destination].lateness[lateness] += count
    for destination, count in db.session.execute(_retried(spans, within)):
        tallies[destination].retried += count
    return tallies


def _in_spans(query: Select[Any], spans: Collection[Span]) -> CompoundSelect[Any]:
    """Select the deliveries due within one of these spans, each from the index by time."""
    return union_all(*(query.where(Delivery.due_at >= start, Delivery.due_at < end) for start, end in spans))


def _retried(spans: Collection[Span], within: list[ColumnElement[bool]]) -> Select[str, int]:
    # A literal, because a parameter would not match the partial index.
    is_unsuccessful = (Attempt.delivery_id == Delivery.id) & (Attempt.outcome != literal_column("'succeeded'"))
    was_retried = select(Attempt.id).where(is_unsuccessful).exists()
    found = _in_spans(select(Delivery.destination).where(*within, was_retried), spans).subquery()
    return select(found.c.destination, func.count()).group_by(found.c.destination)


def _counts(spans: Collection[Span], within: list[ColumnElement[bool]]) -> Select[Any]:
    """Count by destination, state and lateness in milliseconds: exact below a second, then with three digits."""
    is_delivered = and_(Delivery.state == "delivered", Delivery.delivered_at.is_not(None))
    lateness = case((is_delivered, milliseconds_between(Delivery.due_at, Delivery.delivered_at)))
    each = select(Delivery.destination, Delivery.state, lateness.label("late")).where(*within)
    # Otherwise SQLite would calculate the lateness once for each time it is used below.
    known = _in_spans(each, spans).cte("known").prefix_with("MATERIALIZED").c
    steps = ((known.late < 1000 * size, known.late - known.late % size) for size in (1, 10, 100, 1000, 10_000))
    rounded = case((known.late < 0, 0), *steps, else_=known.late - known.late % 100_000)
    query = select(known.destination, known.state, rounded.label("rounded"), func.count())
    return query.group_by(known.destination, known.state, literal_column("rounded"))
