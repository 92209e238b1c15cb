"""When a platform is asked about a copy: how it does, and whether it is still as we left it.

How it does is asked hourly for a day, daily for a month and weekly from then on; whether it is as we left it, daily.
A survey that fails is not repeated: the next one comes by itself.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, or_, select, update

from blogsvc.connectors.base import Connector
from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
MONTH = timedelta(days=30)
# What has a copy to ask about. What is on its way may be about to change it.
ASKED = ("delivered",)


def expect_surveys(delivery: Delivery, connector: Connector, now: datetime) -> None:
    """A copy landed: from now on its platform is asked about it, as far as that platform tells."""
    delivery.measure_at = now + HOUR if type(connector).can("stats") else None
    delivery.look_at = now + DAY if type(connector).can("look") else None


def put_off(delivery: Delivery, now: datetime) -> tuple[bool, bool]:
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


def _is_due(now: datetime) -> ColumnElement[bool]:
    return or_(Delivery.measure_at <= now, Delivery.look_at <= now)


def _asked() -> tuple[Any, ...]:
    return Delivery.state.in_(ASKED), Connection.state != "disconnected"


def due_connections(now: datetime) -> list[str]:
    """The connections with a copy that is due."""
    query = select(Delivery.connection_id).join(Connection).where(*_asked(), _is_due(now)).distinct()
    return [lane for lane in db.session.scalars(query) if lane]


def next_of(connection_id: str, now: datetime) -> Delivery | None:
    """A copy of this connection that is due."""
    query = select(Delivery).join(Connection).where(Delivery.connection_id == connection_id, *_asked(), _is_due(now))
    return db.session.scalar(query.order_by(Delivery.id).limit(1))


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """When the next copy is due, of connections other than those."""
    query = select(func.min(Delivery.measure_at), func.min(Delivery.look_at)).join(Connection)
    row = db.session.execute(query.where(*_asked(), Delivery.connection_id.not_in(but))).one()
    return min((moment for moment in row if moment is not None), default=None)


def leave_alone(connection_id: str, until: datetime) -> None:
    """Ask nothing about any copy of this connection before then."""
    for column in (Delivery.measure_at, Delivery.look_at):
        late = update(Delivery).where(Delivery.connection_id == connection_id, column < until)
        db.session.execute(late.values({column: until}).execution_options(synchronize_session=False))
