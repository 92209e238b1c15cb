"""When a platform is asked about a copy: how it does, and whether it is still as we left it.

How it does is asked hourly for a day, daily for a month and weekly from then on; whether it is as we left it, daily.
A survey that fails is not repeated: the next one comes by itself.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, select, update
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc.connectors.base import Connector
from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
MONTH = timedelta(days=30)
# Where nothing is asked: there is no copy, or one that is about to change. Said this way round, because an index on
# states would be taken for `in`, and nearly all deliveries are delivered.
NOT_ASKED = ("queued", "sending", "retrying", "failed", "uncertain", "withdrawn")


def schedule_checks(delivery: Delivery, connector: Connector, now: datetime) -> None:
    """A copy landed: from now on its platform is asked about it, as far as that platform tells."""
    delivery.measure_at = now + HOUR if type(connector).can("stats") else None
    delivery.look_at = now + DAY if type(connector).can("look") else None


def postpone(delivery: Delivery, now: datetime) -> tuple[bool, bool]:
    """Take what is due of a copy's two surveys in hand, by moving them on. Answers which: to measure, to look."""
    is_to_measure = delivery.measure_at is not None and delivery.measure_at <= now
    is_to_look = delivery.look_at is not None and delivery.look_at <= now
    if is_to_measure:
        set_quietly(delivery.id, measure_at=now + interval(now - delivery.created_at))
    if is_to_look:
        set_quietly(delivery.id, look_at=now + DAY)
    return is_to_measure, is_to_look


def set_quietly(delivery_id: str, **values: datetime) -> None:
    """Change what no document of a post tells, without making another version of the post of it."""
    quiet = update(Delivery).where(Delivery.id == delivery_id).values(values)
    db.session.execute(quiet.execution_options(synchronize_session=False))


def interval(age: timedelta) -> timedelta:
    """How long until a copy of this age is measured again."""
    if age < DAY:
        return HOUR
    return DAY if age < MONTH else WEEK


def _soonest(what: Any, moment: InstrumentedAttribute[datetime | None]) -> Select[Any]:
    """A copy or a part of it, those first that are asked about next. By the index of that moment."""
    asked = Delivery.state.not_in(NOT_ASKED), Connection.state != "disconnected", moment.is_not(None)
    return select(what).join(Connection).where(*asked).order_by(moment)


MOMENTS = (Delivery.measure_at, Delivery.look_at)


def due_connections(now: datetime) -> list[str]:
    """The connections with a copy that is due."""
    queries = [_soonest(Delivery.connection_id, moment).where(moment <= now) for moment in MOMENTS]
    return list(dict.fromkeys(lane for query in queries for lane in db.session.scalars(query) if lane))


def next_of(connection_id: str, now: datetime) -> Delivery | None:
    """A copy of this connection that is due."""
    # Few are due of many that a connection has: an expression keeps SQLite from the index on connections.
    of_connection = Delivery.connection_id.concat("") == connection_id
    for moment in MOMENTS:
        query = _soonest(Delivery, moment).where(of_connection, moment <= now)
        if (found := db.session.scalar(query.limit(1))) is not None:
            return found  # type: ignore[no-any-return]
    return None


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """When the next copy is due, of connections other than those."""
    others = Delivery.connection_id.not_in(but)
    soonest = [db.session.scalar(_soonest(moment, moment).where(others).limit(1)) for moment in MOMENTS]
    return min((moment for moment in soonest if moment is not None), default=None)


def stop_checks(connection_id: str, until: datetime) -> None:
    """Ask nothing about any copy of this connection before then."""
    for column in MOMENTS:
        late = update(Delivery).where(Delivery.connection_id == connection_id, column < until)
        db.session.execute(late.values({column: until}).execution_options(synchronize_session=False))
