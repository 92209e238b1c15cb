"""The columns whose values are encrypted with the key of the instance."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy import Column, Table, func, inspect, select
from sqlalchemy.engine import Connection

from blogsvc.lib.crypto import Vault, WrongKey
from blogsvc.models.base import Base

_COLUMNS = (
    ("connection", "sealed"),
    ("connection", "session"),
    ("user", "totp_secret"),
    ("webhook", "secret"),
    ("webhook", "former_secret"),
    ("idempotent_response", "sealed"),
)


def sealed_columns() -> list[Column[bytes]]:
    """Return every column with encrypted values. An empty value means that there is none."""
    tables: dict[str, Table] = dict(Base.metadata.tables)
    return [tables[table].c[column] for table, column in _COLUMNS]


def decrypts(vault: Vault, connection: Connection) -> bool:
    """Return True if the key fits to the encrypted values in a database, or if there are none."""
    return all(can_decrypt(vault, value) for _, value in sealed_values(connection, most=1))


def can_decrypt(vault: Vault, value: bytes) -> bool:
    with suppress(WrongKey):
        vault.unseal(value)
        return True
    return False


def sealed_values(connection: Connection, most: int | None = None) -> Iterator[tuple[str, bytes]]:
    """Yield the table and value of every encrypted value, at most `most` of each column.

    The schema may be an earlier one: columns that it lacks are skipped.
    """
    tables = inspect(connection)
    for column in sealed_columns():
        if tables.has_table(column.table.name):
            query = select(column).where(func.length(column) > 0).limit(most).execution_options(yield_per=500)
            yield from ((column.table.name, value) for value in connection.scalars(query))
