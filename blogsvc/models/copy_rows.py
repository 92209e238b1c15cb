"""Copy all rows from one database to another, also between SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import (
    JSON,
    ColumnClause,
    DateTime,
    Insert,
    Integer,
    TableClause,
    Text,
    bindparam,
    cast,
    column,
    delete,
    func,
    insert,
    inspect,
    literal_column,
    select,
    table,
    text,
)
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from blogsvc.errors import BlogError
from blogsvc.lib.progress import Report, silent
from blogsvc.models.base import UtcDateTime
from blogsvc.models.full_text import MADE_BY_HAND

# How many rows are in memory at the same time. A post may have a few MiB.
BATCH = 100
# It has the version of the schema, which both databases have already.
_VERSION = "alembic_version"


class CannotCopy(BlogError):
    """Rows can't be read, or the other database has refused them. The message names their table and the reason."""


def copy_rows(source: Connection, target: Connection, but: Collection[str] = (), report: Report = silent) -> None:
    """Copy the rows of all tables, apart from `but`, to a database with the same schema and no such rows.

    Call it in a transaction of each database. The source should see one snapshot. Rows of the target that a new
    database has, such as settings, are deleted. Raises CannotCopy.
    """
    names = [name for name in tables(target) if name not in but]
    rows = sum(source.scalar(select(func.count()).select_from(table(name))) or 0 for name in names)
    done = 0
    for name in names:
        here, there = (table(name, *_columns(each, name)) for each in (source, target))
        try:
            target.execute(delete(there))
            for batch in _batches(source, here):
                target.execute(_insert(there, target.dialect.name), batch)
                done += len(batch)
                report(done, rows)
            _go_on_counting(here, source, target)
        except (SQLAlchemyError, ValueError, OverflowError) as error:
            raise CannotCopy(f"The rows of the table {name} can't be copied: {reason_of(error)}") from error


def reason_of(error: Exception) -> str:
    """Return the reason of a database's error, without the values of the row in question."""
    original = error.orig if isinstance(error, DBAPIError) else error
    reason = getattr(getattr(original, "diag", None), "message_primary", None)
    return str(reason or original).strip().partition("\n")[0]


def has_rows(connection: Connection, name: str) -> bool:
    return connection.scalar(select(literal_column("1")).select_from(table(name)).limit(1)) is not None


def tables(connection: Connection) -> list[str]:
    """Return the names of the tables with rows of blogsvc: each one after those that it refers to."""
    found = [name for name, _ in inspect(connection).get_sorted_table_and_fkc_names() if name is not None]
    ours = [name for name in found if name != _VERSION and not name.startswith(MADE_BY_HAND)]
    return sorted(ours, key=lambda name: name == "stale_delivery_day")  # last: triggers of `delivery` add rows to it


def _columns(connection: Connection, name: str) -> Iterator[ColumnClause[Any]]:
    """Yield the columns of a table, with types that read and write the same values in both databases."""
    for found in inspect(connection).get_columns(name):
        yield column(found["name"], UtcDateTime() if isinstance(found["type"], DateTime) else found["type"])


def _batches(source: Connection, rows: TableClause) -> Iterator[list[dict[str, Any]]]:
    # JSON is copied as text. Otherwise, null in JSON and no value at all would both be None. (A number alone is stored
    # as one by SQLite, whatever its digits.)
    values = [cast(each, Text).label(each.name) if isinstance(each.type, JSON) else each for each in rows.columns]
    query = select(*values).select_from(rows).execution_options(yield_per=BATCH)
    with source.execute(query) as found:
        for batch in found.mappings().partitions():
            yield [dict(row) for row in batch]


def _insert(rows: TableClause, dialect: str) -> Insert:
    values: dict[str, Any] = {}
    for each in rows.columns:
        is_json = isinstance(each.type, JSON)
        value = bindparam(each.name, type_=Text() if is_json else each.type)
        values[each.name] = cast(value, JSON) if is_json and dialect == "postgresql" else value
    return insert(rows).values(values)


def _go_on_counting(rows: TableClause, source: Connection, target: Connection) -> None:
    """Let the target number the next rows of a table after those that the source has had, also if they were deleted."""
    (key, *more) = inspect(source).get_pk_constraint(rows.name)["constrained_columns"]
    if more or not isinstance(rows.c[key].type, Integer):
        return
    names = {"table": rows.name, "key": key}
    highest = source.scalar(select(func.max(rows.c[key]))) or 0
    if last := max(highest, source.scalar(text(_LAST_NUMBER[source.dialect.name]), names) or 0):
        for statement in _GO_ON_AFTER[target.dialect.name]:
            target.execute(text(statement), names | {"last": last})


_LAST_NUMBER = {
    "sqlite": "SELECT seq FROM sqlite_sequence WHERE name = :table",
    "postgresql": "SELECT pg_sequence_last_value(pg_get_serial_sequence(quote_ident(:table), :key)::regclass)",
}
# Nothing happens to a table that is not numbered.
_GO_ON_AFTER = {
    "sqlite": (
        "DELETE FROM sqlite_sequence WHERE name = :table",
        "INSERT INTO sqlite_sequence SELECT name, :last FROM sqlite_master WHERE name = :table"
        " AND sql LIKE '%AUTOINCREMENT%'",
    ),
    "postgresql": ("SELECT setval(pg_get_serial_sequence(quote_ident(:table), :key), :last)",),
}
