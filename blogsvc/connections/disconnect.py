"""Leaving a platform: take the copies down there, and forget the account."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, select

from blogsvc.connectors import connectors
from blogsvc.errors import StateConflict
from blogsvc.models import Connection, Delivery, Setting, db, record, transaction
from blogsvc.models.delivery import PENDING

# Copies that are wished away in one transaction: enough to be quick, short enough to let writers in between.
WITHDRAW_BATCH = 100


def can_withdraw(connection: Connection) -> bool:
    """Whether its platform takes copies down when it is asked to."""
    kind = connectors().get(connection.connector)
    return kind is not None and kind.can("delete")


def withdraw_all(connection: Connection, now: datetime) -> int:
    """Wish every copy away that lies there, and all that is still on its way. Answers how many those are.

    The clock sees to it, and the posts stay. Raises StateConflict where the platform takes nothing
    down, or does not let us in any more.
    """
    if not can_withdraw(connection):
        raise StateConflict("This platform takes no copies down; do it there by hand.", state="unsupported")
    if connection.state == "disconnected":
        raise StateConflict("The account does not let us in any more; reconnect it first.", state="disconnected")
    count = 0
    while some := _withdraw_some(connection.id, now):
        count += some
    return count


def _withdraw_some(connection_id: str, now: datetime) -> int:
    with transaction():
        is_wanted = and_(Delivery.connection_id == connection_id, Delivery.revision_id.is_not(None))
        wanted = list(db.session.scalars(select(Delivery).where(is_wanted).order_by(Delivery.id).limit(WITHDRAW_BATCH)))
        for delivery in wanted:
            delivery.want(None, now)
            delivery.post.settle(now)
        return len(wanted)


def disconnect(connection: Connection, now: datetime) -> None:
    """Forget an account and its secrets. Copies stay where they are; what was not sent yet fails, and says so.

    New posts are not meant for it any more. Connected again by the same name, it is known again.
    """
    with transaction():
        waiting = select(Delivery).where(
            Delivery.connection_id == connection.id, Delivery.state.in_((*PENDING, "sending"))
        )
        for delivery in db.session.scalars(waiting):
            _fail(delivery, f"{connection.name!r} was disconnected.", now)
        usual, former = Setting.read("default_platforms"), Setting.read("former_accounts")
        Setting.write("default_platforms", [name for name in usual if name != connection.name])
        Setting.write("former_accounts", {**former, connection.name: [connection.connector, connection.account]})
        db.session.delete(connection)


def _fail(delivery: Delivery, detail: str, now: datetime) -> None:
    delivery.fail("disconnected", detail, now)
    record(
        "delivery.failed",
        now,
        post_id=delivery.post_id,
        delivery_id=delivery.id,
        platform=delivery.platform,
        code="disconnected",
        detail=detail,
    )
    delivery.post.settle(now)
