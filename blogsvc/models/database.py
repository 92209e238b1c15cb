"""What each database must be told before it serves us, and what it says when it must be asked again.

Both are made to mean the same: whoever reads sees one moment for as long as the transaction lasts, and
one at a time writes, from the first line of the transaction to its end.

SQLite needs care. Python's own transaction handling is switched off, so that a transaction begins
when we say so; a write begins with BEGIN IMMEDIATE, because a read that turns into a write half-way
cannot wait for the lock and fails at once.

PostgreSQL would let several write at once. It takes a lock of ours first, held until the transaction
ends. Then each statement sees what others have committed: so what is decided on is read under the lock.
"""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolIsEmpty

from blogsvc.config import BadSetting
from blogsvc.errors import Busy

# An execution option: what is begun with it will write.
WRITES = {"blogsvc_write": True}

BUSY_MESSAGE = "The database is busy, away, or its disk is full; nothing was changed. Try again in a moment."
# What SQLite says when it must be asked again, or cannot write at all (sqlite3.h result codes).
BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
# The same of PostgreSQL (its appendix A): a class, or one state. Connection lost, rolled back for another's
# sake, no room; a lock that did not come, shut down or starting, and a transaction that stood still.
BUSY_STATES = ("08", "40", "53", "55P03", "57P01", "57P02", "57P03", "25P03")

# PostgreSQL's name of the write lock, which all processes on one database share: "blog" in ASCII.
WRITE_LOCK = 0x626C6F67
# A writer that says nothing for so long is gone, and its machine with it; nobody waits for it any longer.
WRITER_IS_GONE_AFTER = 30.0  # seconds

# Kept ready, however little is asked.
IDLE_CONNECTIONS = 5
# Beside requests and lanes: the clock's tick and wake, views, housekeeping, and one to spare.
OTHER_CONNECTIONS = 5


def options(url: str, threads: int, busy_timeout_seconds: float) -> dict[str, Any]:
    """SQLAlchemy's options for an engine. `threads` is how many may want a connection at once: each can have one.

    Raises BadSetting where PostgreSQL's driver, an extra, is not installed.
    """
    chosen: dict[str, Any] = {
        "pool_size": IDLE_CONNECTIONS,
        "max_overflow": max(0, threads + OTHER_CONNECTIONS - IDLE_CONNECTIONS),
        "pool_timeout": busy_timeout_seconds,
    }
    place = make_url(url)
    if place.get_backend_name() == "postgresql":
        if find_spec("psycopg") is None:
            raise BadSetting("BLOGSVC_DATABASE_URL names PostgreSQL: install psycopg[binary] beside blogsvc.")
        # A server may restart, or its machine vanish; libpq by itself waits for minutes, or for ever.
        patience = {"connect_timeout": 5, "tcp_user_timeout": 15_000, "keepalives_idle": 15, "keepalives_interval": 5}
        chosen["connect_args"] = {name: value for name, value in patience.items() if name not in place.query}
        chosen["pool_pre_ping"] = True
    return chosen


def prepare(
    engine: Engine, busy_timeout_seconds: float, writer_is_gone_after_seconds: float = WRITER_IS_GONE_AFTER
) -> None:
    """Make an engine durable, strict and honest about transactions."""
    engine.update_execution_options(busy_timeout=busy_timeout_seconds)
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine, busy_timeout_seconds)
    else:
        _prepare_postgresql(engine, busy_timeout_seconds, writer_is_gone_after_seconds)


def _prepare_sqlite(engine: Engine, busy_timeout_seconds: float) -> None:
    @event.listens_for(engine, "connect")
    def _(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None
        for pragma in (
            f"busy_timeout={int(busy_timeout_seconds * 1000)}",
            "journal_mode=WAL",
            "synchronous=FULL",
            "foreign_keys=ON",
            "temp_store=MEMORY",
            "cache_size=-4000",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _prepare_postgresql(engine: Engine, busy_timeout_seconds: float, writer_is_gone_after_seconds: float) -> None:
    from psycopg import IsolationLevel  # an extra, installed where PostgreSQL is used

    # 0 would be for ever.
    waits, idles = (max(1, round(s * 1000)) for s in (busy_timeout_seconds, writer_is_gone_after_seconds))
    # The limits hold from within the very statement that sets them.
    take_the_lock = (
        f"SELECT set_config('lock_timeout', '{waits}', true),"
        f" set_config('idle_in_transaction_session_timeout', '{idles}', true), pg_advisory_xact_lock({WRITE_LOCK})"
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # psycopg sends this along with its BEGIN. A writer's view must not be older than its lock.
        raw: Any = connection.connection.dbapi_connection
        raw.isolation_level = IsolationLevel.READ_COMMITTED if _writes(connection) else IsolationLevel.REPEATABLE_READ
        if _writes(connection):
            connection.exec_driver_sql(take_the_lock)


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("blogsvc_write"))


def as_busy(error: SQLAlchemyError) -> Busy | None:
    """What the caller should see where asking again may help; None where it will not."""
    if isinstance(error, PoolIsEmpty) or (isinstance(error, DBAPIError) and _must_be_asked_again(error)):
        return Busy(BUSY_MESSAGE)
    return None


def _must_be_asked_again(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in BUSY_CODES
    state = getattr(error.orig, "sqlstate", None)
    return error.connection_invalidated or is_unreachable(error) or (state or "").startswith(BUSY_STATES)


def is_unreachable(error: DBAPIError) -> bool:
    """Whether no PostgreSQL was there to say what is wrong: only then has an operational error no state."""
    is_its = type(error.orig).__module__.startswith("psycopg") and type(error.orig).__name__ == "OperationalError"
    return is_its and getattr(error.orig, "sqlstate", None) is None
