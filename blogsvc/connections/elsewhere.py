"""Connections that only other processes of a shared database can use: their connector is not installed here."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.models import Connection, db
from blogsvc.models.process import is_shared, processes_seen


def connections_of_others(ids: Collection[str], tools: Tools) -> dict[str, str]:
    """Return which of these connections only other processes can use, and the connectors that are missing here.

    One that no process can use is none of them: it becomes disconnected, as at home, so that a person hears of it.
    """
    if not ids or not is_shared():
        return {}
    rows = db.session.execute(select(Connection.id, Connection.connector).where(Connection.id.in_(ids)))
    missing = {row.id: row.connector for row in rows if row.connector not in connectors()}
    return {id: key for id, key in missing.items() if _do_others_have(key, tools)} if missing else {}


def missing_connectors() -> list[str]:
    """Return the connectors of connections that are not installed here."""
    keys = db.session.scalars(select(Connection.connector).distinct())
    return sorted(key for key in keys if key not in connectors())


def _do_others_have(key: str, tools: Tools) -> bool:
    others = (process for process in processes_seen(tools.now()) if process.name != tools.process.name)
    return any(key not in process.missing for process in others)
