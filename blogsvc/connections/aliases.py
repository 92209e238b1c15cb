"""Other names of destinations, which requests may use.

Posts store the names of connections, or names that wait for one: the key of a connector, or the name of a removed
account. Aliases are replaced before anything is stored, and posts that have waited for a name get that of the
connection that takes it over.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from blogsvc.connectors import ALIASES, connector
from blogsvc.models import SITE, Connection, Setting

T = TypeVar("T")


def stored_names() -> Mapping[str, str]:
    """Return the names that posts store by alias: of connections, else the keys of connectors."""
    rows = Connection.all()
    own = {row.name for row in rows}
    aliases = {alias: row.name for row in rows for alias in row.aliases if alias not in own}
    common = {alias: aliases.get(key, key) for alias, key in ALIASES.items() if alias not in own}
    return {**common, **aliases}


def without_aliases(names: Sequence[str]) -> list[str]:
    """Return destinations under the names that posts store."""
    if all(name == SITE for name in names):
        return list(names)
    stored = stored_names()
    return [stored.get(name, name) for name in names]


def by_stored_name(values: Mapping[str, T], stored: Mapping[str, str] | None = None) -> dict[str, T]:
    """Return values by destination, such as overrides, under the names that posts store."""
    if all(name == SITE for name in values):
        return dict(values)
    stored = stored_names() if stored is None else stored
    renamed = {stored[name]: value for name, value in values.items() if name in stored}
    return renamed | {name: value for name, value in values.items() if name not in stored}


def choose_aliases(connection: Connection) -> None:
    """Let a new connection take over the names that wait for this account.

    These are the key of the connector, for its first account, and the names that the same account had before.
    """
    key, others = connection.connector, [row for row in Connection.all() if row is not connection]
    taken_names = {name for row in others for name in row.names} | {connection.name}
    former = Setting.read("former_accounts")
    # All accounts by hand have the same name, so that name does not tell one from another.
    has_accounts = not connector(key).can("hand_over")
    names = [name for name, account in former.items() if has_accounts and account == [key, connection.account]]
    if all(row.connector != key for row in others) and key not in former:
        names.append(key)
    connection.aliases = sorted({name for name in names if name not in taken_names})
