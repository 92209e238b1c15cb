"""Other names of destinations, which requests may use.

Posts store the names of connections, or names that wait for one: the key of a connector, or the name of a removed
account. Aliases are replaced before anything is stored, and posts that have waited for a name get that of the
connection that takes it over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from blogsvc.connectors import ALIASES
from blogsvc.models import SITE, Connection, Setting


def without_aliases(names: Sequence[str]) -> list[str]:
    """Return destinations under the names that posts store: of connections, else the keys of connectors."""
    if all(name == SITE for name in names):
        return list(names)
    rows = Connection.all()
    known = {alias: row.name for row in rows for alias in row.aliases} | {row.name: row.name for row in rows}
    return [known.get(name) or known.get(key := ALIASES.get(name, name), key) for name in names]


def overrides_without_aliases(overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return overrides under the names that posts store."""
    names = without_aliases(list(overrides))
    renamed = {new: own for (old, own), new in zip(overrides.items(), names, strict=True) if new != old}
    return renamed | {old: own for old, own in overrides.items() if old in names}


def choose_aliases(connection: Connection) -> None:
    """Let a new connection take over the names that wait for this account.

    These are the key of the connector, for its first account, and the names that the same account had before.
    """
    key, others = connection.connector, [row for row in Connection.all() if row is not connection]
    taken = {name for row in others for name in (row.name, *row.aliases)} | {connection.name}
    former = Setting.read("former_accounts")
    names = [name for name, account in former.items() if account == [key, connection.account]]
    if all(row.connector != key for row in others) and key not in former:
        names.append(key)
    connection.aliases = sorted({name for name in names if name not in taken})
    if any(name in former for name in connection.aliases):
        Setting.write("former_accounts", {connection.name: [key, connection.account], **former})
