"""Connections that only other processes of a shared database can use: their connector is not installed here."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from blogsvc.connectors import connectors
from blogsvc.models import Connection, db
from blogsvc.models.process import is_shared


def connections_of_others(ids: Collection[str]) -> dict[str, str]:
    """Return which of these connections only other processes can use, and the connectors that are missing here.

    At home there are none, because there is nobody else: a connector that is missing disconnects the connection.
    """
    if not ids or not is_shared():
        return {}
    rows = select(Connection.id, Connection.connector).where(Connection.id.in_(ids))
    return {row.id: row.connector for row in db.session.execute(rows) if row.connector not in connectors()}


def is_of_others(connection: Connection | None) -> bool:
    """Return True if only other processes can use this connection."""
    return connection is not None and is_shared() and connection.connector not in connectors()
