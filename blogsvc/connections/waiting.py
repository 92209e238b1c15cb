"""Destinations without an account: what they wait for, and what is sent when an account is connected."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import select, update
from sqlalchemy.orm import joinedload

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Connector
from blogsvc.models import SITE, Connection, Delivery, Setting, db

NEW_CONNECTION_PATH = "/desk/settings/destinations/new"


@dataclass(frozen=True)
class Waiting:
    """Why nothing is sent to a destination, and how to change that.

    not_connected: the destination has no account. late: it has one, which was connected so long after the time of the
    post that a person decides whether to send it. `kind` is None if no connector for the destination is installed.
    `accounts` are the names of connections of this connector, of which the author can choose one.
    """

    destination: str
    code: Literal["not_connected", "late"]
    kind: type[Connector] | None
    accounts: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return self.kind.label if self.kind is not None else self.destination

    @property
    def detail(self) -> str:
        if self.code == "late":
            return "The account was connected after the time of this post. Retry the delivery, or dismiss it."
        if self.kind is None:
            return f"No account is connected as {self.destination!r}."
        return f"No {self.label} account is connected{f' as {self.destination!r}' if self.accounts else ''}."

    def remediation(self, public_url: str) -> str:
        """Return what to do, for a program and for a person."""
        if self.kind is None:
            return "Use another destination, or install the connector of this one."
        if self.accounts:
            names = " or ".join(map(repr, self.accounts))
            return (
                f"Use {names} instead, or make {self.destination!r} another name of that account:"
                f" `PATCH /platforms/{self.accounts[0]}` with `aliases`."
            )
        named = "" if self.destination == self.kind.key else f' and `"name": "{self.destination}"`'
        return (
            f"Connect an account at {public_url}{NEW_CONNECTION_PATH}/{self.kind.key}, or with `POST /platforms`,"
            f' `"connector": "{self.kind.key}"`{named}.'
        )


def awaited_connector(name: str) -> type[Connector] | None:
    """Return the connector of a destination without an account: that of its former account, else the one so named."""
    former = Setting.read("former_accounts").get(name)
    kind = connectors().get(former[0] if former else name)
    return kind if kind is not None and not kind.is_local else None


def waiting_for_accounts(names: Collection[str]) -> list[Waiting]:
    """Return those of the destinations that have no account, in this order."""
    if not any(name != SITE for name in names):
        return []
    known = Connection.by_name()
    return [_waiting(name, known) for name in names if name != SITE and name not in known]


def waiting_delivery(delivery: Delivery) -> Waiting:
    """Return why a blocked delivery waits."""
    return next(iter(waiting_for_accounts([delivery.destination])), None) or late(delivery.destination)


def late(name: str) -> Waiting:
    """Return why deliveries wait whose destination is connected. Raises NotFound if it is not."""
    return Waiting(name, "late", connectors().get(Connection.named(name).connector))


def _waiting(name: str, known: dict[str, Connection]) -> Waiting:
    kind = awaited_connector(name)
    same = dict.fromkeys(row.name for row in known.values() if kind is not None and row.connector == kind.key)
    return Waiting(name, "not_connected", kind, tuple(same))


def name_connector_alias(connection: Connection) -> None:
    """Let the first account of a connector answer to the connector's key, which posts may name already."""
    key = connection.connector
    known, kind = Connection.by_name(), awaited_connector(key)
    is_first = all(row is connection or row.connector != key for row in known.values())
    if is_first and key not in known and kind is not None and kind.key == key:
        connection.aliases = [key]


def connect_deliveries(connection: Connection, now: datetime, window: timedelta) -> None:
    """Send what waited for this account, and link the copies that it made before it was disconnected.

    A delivery that was due before the window for missed posts keeps waiting: its author decides.
    """
    db.session.flush()  # the connection before what refers to it
    for name in connection.names:
        _link_settled(name, connection)
    waits = Delivery.connection_id.is_(None), Delivery.destination.in_(connection.names), Delivery.state == "blocked"
    blocked = select(Delivery).where(*waits).options(joinedload(Delivery.post)).order_by(Delivery.id)
    for delivery in db.session.scalars(blocked).unique():
        if now - delivery.due_at <= window:
            link(delivery, connection)
            delivery.release(now)
            delivery.post.settle(now)


def _link_settled(name: str, connection: Connection) -> None:
    """Link the deliveries that do not wait; those with a copy only if this account made it."""
    has_no_account = Delivery.connection_id.is_(None), Delivery.destination == name, Delivery.state != "blocked"
    rows = update(Delivery).where(*has_no_account)
    values: dict[str, Any] = {"connection_id": connection.id}
    if not _is_former_account(connection, name):
        rows = rows.where(Delivery.remote_id.is_(None))
        values |= {"operation": None, "armed_revision_id": None, "keys": {}, "is_in_doubt": False}
    db.session.execute(rows.values(values))


def link(delivery: Delivery, connection: Connection) -> None:
    """Link a delivery with the account that has the name of its destination now."""
    delivery.connect(connection, is_same_account=_is_former_account(connection, delivery.destination))


def _is_former_account(connection: Connection, name: str) -> bool:
    """Return True if the destination had this account before it was disconnected."""
    former: list[str] | None = Setting.read("former_accounts").get(name)
    return former == [connection.connector, connection.account]
