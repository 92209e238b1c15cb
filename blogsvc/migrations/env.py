"""The Alembic environment: runs the migrations in the database that `models.schema` gives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from alembic import context
from sqlalchemy import Connection, Engine

from blogsvc.models.base import Base, UtcDateTime
from blogsvc.models.database import WRITES
from blogsvc.models.full_text import MADE_BY_HAND


def render_item(kind: str, item: Any, _context: Any) -> str | Literal[False]:
    """Use SQLAlchemy types in migrations instead of our own, which may be renamed or removed later."""
    if kind == "type" and isinstance(item, UtcDateTime):
        return "sa.DateTime(timezone=True)"
    return False


def is_in_models(name: str | None, kind: str, _parents: Any) -> bool:
    """Return True if a table or index belongs to a model. The full-text index does not."""
    return not (name or "").startswith(MADE_BY_HAND)


@contextmanager
def without_foreign_keys(connection: Connection) -> Iterator[None]:
    """Turn off foreign keys while SQLite rebuilds a table, because dropping the old table would delete referring rows.

    See https://sqlite.org/lang_altertable.html, section 7. The setting cannot be changed inside a transaction.
    """
    if connection.dialect.name != "sqlite":
        yield
        return
    raw: Any = connection.connection.dbapi_connection
    raw.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        raw.execute("PRAGMA foreign_keys=ON")


def run() -> None:
    engine: Engine = context.config.attributes["engine"]
    with (
        engine.connect().execution_options(**WRITES) as connection,
        without_foreign_keys(connection),
    ):
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_item=render_item,
            include_name=is_in_models,
            render_as_batch=True,
        )
        with context.begin_transaction():
            context.run_migrations()
        connection.commit()


run()
