"""Engine settings for SQLite and PostgreSQL, and the errors that mean "try again".

Both databases behave the same: a read transaction sees one snapshot, and only one write transaction runs at
a time, from its first statement to its end.

SQLite: the transaction handling of Python's sqlite3 module is off. A write starts with BEGIN IMMEDIATE, because
a read transaction that starts to write cannot wait for the lock and fails at once.

PostgreSQL allows concurrent writers, so a write first takes an advisory lock and holds it until the transaction
ends. It runs at READ COMMITTED, so that it sees what was committed before it got the lock.
"""

from __future__ import annotations

import sqlite3
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import event, inspect, text
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolIsEmpty

from blogsvc.config import MIGRATIONS
from blogsvc.errors import Busy
from blogsvc.lib.setting_checks import BadSetting

# The execution options of a transaction that writes, and of one that fails at once if another one is writing.
WRITES = {"blogsvc_write": True}
WRITES_AT_ONCE = {"blogsvc_write": True, "blogsvc_at_once": True}

BUSY_MESSAGE = "The database is busy, away, or its disk is full; nothing was changed. Try again in a moment."
# SQLite result codes (sqlite3.h) for a database that is locked or cannot write.
BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
# PostgreSQL error codes (appendix A), as classes or single codes: connection lost, rolled back because of another
# transaction, out of resources, lock not available, shutting down or starting, idle in transaction for too long.
BUSY_STATES = ("08", "40", "53", "55P03", "57P01", "57P02", "57P03", "25P03")

# The number of the advisory lock that all processes on one PostgreSQL database share: "blog" in ASCII.
WRITE_LOCK = 0x626C6F67
# PostgreSQL ends a write transaction that is idle for this long, because its process or machine has probably died.
WRITER_IS_GONE_AFTER = 30.0  # seconds

# Connections that stay open when idle.
IDLE_CONNECTIONS = 5
# Connections besides those of requests and lanes: scheduler tick and wake, page views, maintenance, one spare, and the
# four threads of the server for special requests.
OTHER_CONNECTIONS = 9


def options(url: str, threads: int, busy_timeout_seconds: float) -> dict[str, Any]:
    """Return the SQLAlchemy options for an engine, with a pool large enough for `threads` threads.

    Raises BadSetting if the URL is for PostgreSQL and psycopg, an optional dependency, is not installed.
    """
    chosen: dict[str, Any] = {
        "pool_size": IDLE_CONNECTIONS,
        "max_overflow": max(0, threads + OTHER_CONNECTIONS - IDLE_CONNECTIONS),
        "pool_timeout": busy_timeout_seconds,
        "pool_use_lifo": True,  # a connection that was just used has its pages in memory; the others need none
    }
    place = make_url(url)
    if place.get_backend_name() == "postgresql":
        if find_spec("psycopg") is None:
            raise BadSetting("BLOGSVC_DATABASE_URL names PostgreSQL: install psycopg[binary] beside blogsvc.")
        # Without these limits, libpq waits minutes or forever for a server that has disappeared.
        patience = {"connect_timeout": 5, "tcp_user_timeout": 15_000, "keepalives_idle": 15, "keepalives_interval": 5}
        chosen["connect_args"] = {name: value for name, value in patience.items() if name not in place.query}
        chosen["pool_pre_ping"] = True
    return chosen


def prepare(
    engine: Engine, busy_timeout_seconds: float, writer_is_gone_after_seconds: float = WRITER_IS_GONE_AFTER
) -> None:
    """Set up an engine: durable commits, foreign keys, lock timeouts, and transactions as described above."""
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
        if not _is_at_once(connection):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")
            return
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={int(busy_timeout_seconds * 1000)}")


def _prepare_postgresql(engine: Engine, busy_timeout_seconds: float, writer_is_gone_after_seconds: float) -> None:
    from psycopg import IsolationLevel  # an optional dependency, only needed for PostgreSQL

    # In milliseconds and at least 1, because 0 means no limit.
    at_once, waits, idles = (max(1, round(s * 1000)) for s in (0, busy_timeout_seconds, writer_is_gone_after_seconds))
    # One statement, so that lock_timeout already applies to taking the lock.
    take_the_lock = (
        f"SELECT set_config('lock_timeout', '%d', true),"
        f" set_config('idle_in_transaction_session_timeout', '{idles}', true), pg_advisory_xact_lock({WRITE_LOCK})"
    )

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # psycopg sends the level with BEGIN. A writer must not use a snapshot that is older than its lock.
        raw: Any = connection.connection.dbapi_connection
        raw.isolation_level = IsolationLevel.READ_COMMITTED if _writes(connection) else IsolationLevel.REPEATABLE_READ
        if _writes(connection):
            connection.exec_driver_sql(take_the_lock % (at_once if _is_at_once(connection) else waits))


def schema_version(engine: Engine) -> str | None:
    """Return the version of the schema in the database, or None if it has none yet."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return version


def schema_versions() -> list[str]:
    """Return the schema versions that this release knows, oldest first: the numbers of the migrations' files."""
    return sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))


def file_of(url: str) -> Path | None:
    """Return the file of an SQLite database, or None for a database on a server or in memory."""
    place = make_url(url)
    is_file = place.get_backend_name() == "sqlite" and place.database not in (None, "", ":memory:")
    return Path(place.database or "") if is_file else None


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("blogsvc_write"))


def _is_at_once(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get("blogsvc_at_once"))


def as_busy(error: BaseException | None) -> Busy | None:
    """Return Busy for an error where a retry may help, else None.

    Also looks at the error that it followed: if the disk is full, SQLite ends the transaction and its savepoints by
    itself, and rolling back to a savepoint then fails too.
    """
    while isinstance(error, SQLAlchemyError):
        if isinstance(error, PoolIsEmpty) or (isinstance(error, DBAPIError) and _is_retryable(error)):
            return Busy(BUSY_MESSAGE)
        error = error.__context__ if isinstance(error.__context__, SQLAlchemyError) else error.__cause__
    return None


def _is_retryable(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF in BUSY_CODES
    state = getattr(error.orig, "sqlstate", None)
    return error.connection_invalidated or is_unreachable(error) or (state or "").startswith(BUSY_STATES)


def is_unreachable(error: DBAPIError) -> bool:
    """Return True if PostgreSQL could not be reached. Only then does an operational error have no SQLSTATE."""
    is_its = type(error.orig).__module__.startswith("psycopg") and type(error.orig).__name__ == "OperationalError"
    return is_its and getattr(error.orig, "sqlstate", None) is None
