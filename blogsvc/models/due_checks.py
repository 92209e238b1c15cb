"""The schedule of the checks of copies (their statistics, and changes made on the platform), and of connections.

Statistics are requested hourly on the first day, daily in the first 30 days, then weekly. A copy is read back a minute
after it was sent, then daily together with the check for changes.
A check that fails is not retried, except one for late writes; the next one follows on schedule. A disconnected
connection is verified at its `verify_at`, and its copies are not checked.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Select, func, select, update
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc.connectors.base import Connector
from blogsvc.models.base import db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
MONTH = timedelta(days=30)
# Time for a platform to show a new copy to readers, before it is read back.
FIRST_READ = timedelta(minutes=1)
# States without checks: no copy exists, or the copy is about to change. The queries exclude these states instead of
# asking for `delivered`, because nearly all rows match that and the database would use the index on the state.
NOT_ASKED = ("queued", "blocked", "awaiting_hand", "sending", "retrying", "failed", "uncertain")


def schedule_checks(delivery: Delivery, connector: Connector, now: datetime) -> None:
    """Schedule the first checks of a copy that has just been sent, as far as its connector supports them."""
    delivery.measure_at = now + HOUR if type(connector).can("stats") else None
    kind = type(connector)
    delivery.look_at = now + FIRST_READ if kind.can("read_back") else now + DAY if kind.can("fetch_version") else None


def schedule_late_check(delivery: Delivery, connector: Connector, now: datetime) -> None:
    """Schedule a check for when the late writes of a copy are over, unless one is due before.

    A request that was repeated with success changes nothing more than the version when it arrives late.
    """
    operations = {write.operation for write in delivery.late_writes}
    if operations - {delivery.keys.get("operation")} or (operations and type(connector).can("fetch_version")):
        at = max(delivery.late_until or now, now)
        delivery.look_at = min(at, delivery.look_at or at)


def postpone(delivery: Delivery, now: datetime) -> tuple[bool, bool]:
    """Set the next times of the checks that are due now.

    Returns two flags: statistics are due, and a check for changes is due.
    """
    is_to_measure = delivery.measure_at is not None and delivery.measure_at <= now
    is_to_look = delivery.look_at is not None and delivery.look_at <= now
    if is_to_measure:
        set_quietly(delivery.id, measure_at=now + interval(now - delivery.created_at))
    if is_to_look:
        set_quietly(delivery.id, look_at=_next_look(delivery, now))
    return is_to_measure, is_to_look


def _next_look(delivery: Delivery, now: datetime) -> datetime:
    """Return the time of the next check for changes. A check for late writes that fails is repeated after an hour."""
    if not delivery.late_writes:
        return now + DAY
    late_until = delivery.late_until
    return late_until if late_until is not None and late_until > now else now + HOUR


def set_quietly(delivery_id: str, **values: object) -> None:
    """Change columns that no representation of the post includes, without giving the post a new version."""
    quiet = update(Delivery).where(Delivery.id == delivery_id).values(values)
    db.session.execute(quiet.execution_options(synchronize_session=False))


def interval(age: timedelta) -> timedelta:
    """Return the time until the next statistics request for a copy of this age."""
    if age < DAY:
        return HOUR
    return DAY if age < MONTH else WEEK


def _soonest(what: Any, moment: InstrumentedAttribute[datetime | None]) -> Select[Any]:
    """Select deliveries, or one column of them, that have this check scheduled, the next one first. Uses its index."""
    asked = Delivery.state.not_in(NOT_ASKED), Connection.state != "disconnected", moment.is_not(None)
    return select(what).join(Connection).where(*asked).order_by(moment)


MOMENTS = (Delivery.measure_at, Delivery.look_at)


def due_connections(now: datetime) -> list[str]:
    """Return the ids of the connections that have a check due, or are to be verified."""
    broken = select(Connection.id).where(Connection.verify_at <= now)
    queries = [broken, *(_soonest(Delivery.connection_id, moment).where(moment <= now) for moment in MOMENTS)]
    return list(dict.fromkeys(lane for query in queries for lane in db.session.scalars(query) if lane))


def next_of(connection_id: str, now: datetime) -> Delivery | None:
    """Return a delivery of this connection with a check due, or None."""
    # The expression keeps SQLite from using the index on connections: a connection has many copies, but few are due.
    of_connection = Delivery.connection_id.concat("") == connection_id
    for moment in MOMENTS:
        query = _soonest(Delivery, moment).where(of_connection, moment <= now)
        if (found := db.session.scalar(query.limit(1))) is not None:
            return found  # type: ignore[no-any-return]
    return None


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return the time of the next check, without the connections in `but`; None if none is scheduled."""
    others = Delivery.connection_id.not_in(but)
    soonest = [db.session.scalar(_soonest(moment, moment).where(others).limit(1)) for moment in MOMENTS]
    soonest.append(db.session.scalar(select(func.min(Connection.verify_at)).where(Connection.id.not_in(but))))
    return min((moment for moment in soonest if moment is not None), default=None)


def stop_checks(connection_id: str, until: datetime) -> None:
    """Postpone all checks of this connection to `until` at the earliest."""
    for column in MOMENTS:
        late = update(Delivery).where(Delivery.connection_id == connection_id, column < until)
        db.session.execute(late.values({column: until}).execution_options(synchronize_session=False))
