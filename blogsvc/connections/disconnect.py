"""Disconnect an account, and withdraw its copies from the platform."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import and_, select

from blogsvc.connectors import connectors
from blogsvc.errors import StateConflict
from blogsvc.models import Connection, Delivery, Setting, db, transaction
from blogsvc.models.delivery_states import BLOCKABLE, PENDING
from blogsvc.models.setting import site_changed

# Copies to withdraw per transaction: enough to be fast, few enough not to block other writers.
WITHDRAW_BATCH = 100


def can_withdraw(connection: Connection) -> bool:
    """Return True if the connector can delete copies."""
    kind = connectors().get(connection.connector)
    return kind is not None and kind.can("delete")


def withdraw_all(connection: Connection, now: datetime) -> int:
    """Queue the withdrawal of all copies on the platform, and return their number.

    The scheduler deletes the copies; the posts stay. Raises StateConflict if the platform can't delete copies or
    the account is disconnected.
    """
    if not can_withdraw(connection):
        raise StateConflict(
            "blogsvc can't delete copies on this platform. Delete them there yourself.", state="unsupported"
        )
    if connection.state == "disconnected":
        raise StateConflict("The account is disconnected. Reconnect it first.", state="disconnected")
    count = 0
    while some := _withdraw_some(connection.id, now):
        count += some
    return count


def _withdraw_some(connection_id: str, now: datetime) -> int:
    with transaction():
        is_wanted = and_(Delivery.connection_id == connection_id, Delivery.revision_id.is_not(None))
        deliveries = list(
            db.session.scalars(select(Delivery).where(is_wanted).order_by(Delivery.id).limit(WITHDRAW_BATCH))
        )
        for delivery in deliveries:
            delivery.want(None, now)
            delivery.post.settle(now)
        return len(deliveries)


def disconnect(connection: Connection, now: datetime) -> None:
    """Delete a connection and its secrets. Copies stay on the platform, and what was not sent waits for an account.

    A delivery that may have been sent fails, as does the withdrawal of a copy: only this account could finish them.
    The connection is removed from the default destinations. Reconnecting the same account under the same name
    restores the link to its copies.
    """
    with transaction():
        waiting = select(Delivery).where(
            Delivery.connection_id == connection.id, Delivery.state.in_((*PENDING, "sending"))
        )
        for delivery in db.session.scalars(waiting):
            delivery.drop_doubt_of_rate_limit()
            if delivery.state in BLOCKABLE and not delivery.is_in_doubt and delivery.revision_id is not None:
                delivery.wait_for_account(now)
                delivery.post.settle(now)
            else:
                _fail(delivery, f"{connection.name!r} was disconnected.", now)
        usual, former = Setting.read("default_platforms"), Setting.read("former_accounts")
        Setting.write("default_platforms", [name for name in usual if name != connection.name])
        Setting.write("former_accounts", {**former, connection.name: [connection.connector, connection.account]})
        db.session.delete(connection)
        site_changed()  # the footer of the blog links to some accounts


def _fail(delivery: Delivery, detail: str, now: datetime) -> None:
    delivery.fail("disconnected", detail, now)
    delivery.record("delivery.failed", now, code="disconnected", detail=detail)
    delivery.post.settle(now)
