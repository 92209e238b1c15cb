"""Engine settings for SQLite and PostgreSQL, and the errors that mean "try again".

On both databases, a read transaction sees one snapshot, and a write transaction waits for its turn before its first
statement.

SQLite: only one write transaction runs at a time. The transaction handling of Python's sqlite3 module is off. A write
starts with BEGIN IMMEDIATE, because a read transaction that starts to write cannot wait for the lock and fails at once.

PostgreSQL: a write first takes advisory locks, and holds them until the transaction ends. One that names what it
changes, by nouns such as "post:post_1", runs beside others unless they have a noun in common; one that doesn't runs
alone. It runs at READ COMMITTED, so that it sees what was committed before it got the locks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import blake2b
from importlib.util import find_spec
from logging import ERROR, getLogger
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import create_engine, event
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import DBAPIError, SQLAlchemyError, StatementError
from sqlalchemy.exc import TimeoutError as PoolIsEmpty

from blogsvc.errors import Busy
from blogsvc.lib.setting_checks import BadSetting


class Write(NamedTuple):
    """How a transaction that writes takes its turn. Without nouns, it runs alone."""

    nouns: tuple[str, ...] = ()
    # Otherwise, it fails at once if another one is in the way.
    waits: bool = True

    @property
    def options(self) -> dict[str, Any]:
        """The execution options of its connection."""
        return {"blogsvc_write": self}


# The execution options of a transaction that runs alone.
WRITES = Write().options

BUSY_MESSAGE = "The database is busy, away, or its disk is full; nothing was changed. Try again in a moment."
# SQLite result codes (sqlite3.h) for a database that is locked, and for one that cannot be written.
LOCKED_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
FULL_CODES = frozenset({sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})
# PostgreSQL error codes (appendix A), as classes or single codes: connection lost, shutting down or starting, idle in
# transaction for too long; disk full; out of other resources, rolled back because of another transaction, lock not
# available.
LOST_STATES = ("08", "57P01", "57P02", "57P03", "25P03")
FULL_STATES = ("53100",)
LOCK_NOT_AVAILABLE = "55P03"
LOCKED_STATES = ("53", "40", LOCK_NOT_AVAILABLE)

# The number of the advisory lock that every write takes, shared or alone: "blog" in ASCII.
WRITE_LOCK = 0x626C6F67
# PostgreSQL ends a write transaction that is idle for this long, because its process or machine has probably died.
WRITER_IS_GONE_AFTER = 10.0  # seconds

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


@contextmanager
def own_engine(
    url: str, busy_timeout_seconds: float, writer_is_gone_after_seconds: float = WRITER_IS_GONE_AFTER
) -> Iterator[Engine]:
    """Yield an engine for a database that is not that of the application. Raises BadSetting as `options` does."""
    engine = create_engine(url, **options(url, 1, busy_timeout_seconds))
    prepare(engine, busy_timeout_seconds, writer_is_gone_after_seconds)
    try:
        yield engine
    finally:
        engine.dispose()


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
        write = _write_of(connection)
        if write is None:  # takes no lock yet, so it cannot fail
            connection.connection.cursor().execute("BEGIN")
            return
        if write.waits:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            return
        connection.exec_driver_sql("PRAGMA busy_timeout=0")
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout={int(busy_timeout_seconds * 1000)}")


def _prepare_postgresql(engine: Engine, busy_timeout_seconds: float, writer_is_gone_after_seconds: float) -> None:
    from psycopg import IsolationLevel, OperationalError  # an optional dependency, only needed for PostgreSQL

    getLogger("psycopg").setLevel(ERROR)  # it warns of errors that it raises, too

    # In milliseconds and at least 1, because 0 means no limit.
    at_once, waits, idles = (max(1, round(s * 1000)) for s in (0, busy_timeout_seconds, writer_is_gone_after_seconds))

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        write = _write_of(connection)
        # psycopg sends the level with BEGIN. A writer must not use a snapshot that is older than its locks.
        raw: Any = connection.connection.dbapi_connection
        level = IsolationLevel.REPEATABLE_READ if write is None else IsolationLevel.READ_COMMITTED
        try:
            raw.isolation_level = level
        except OperationalError as error:  # the connection was lost since it was taken from the pool
            connection.invalidate(error)
            raise DBAPIError("BEGIN", None, error, connection_invalidated=True) from error
        if write is not None:
            # One statement, so that lock_timeout already applies to taking the locks.
            connection.exec_driver_sql(
                f"SELECT set_config('lock_timeout', '{waits if write.waits else at_once}', true),"
                f" set_config('idle_in_transaction_session_timeout', '{idles}', true), {_locks(write.nouns)}"
            )


def _locks(nouns: Iterable[str]) -> str:
    """Return the SQL that takes the locks, in the same order in every transaction, so that none wait for each other."""
    if not nouns:
        return f"pg_advisory_xact_lock({WRITE_LOCK})"
    numbers = sorted({lock_number(noun) for noun in nouns})
    return ", ".join([f"pg_advisory_xact_lock_shared({WRITE_LOCK})", *(f"pg_advisory_xact_lock({n})" for n in numbers)])


def lock_number(noun: str) -> int:
    """Return the number of the advisory lock for a noun: 64 bits, with a sign."""
    return int.from_bytes(blake2b(noun.encode(), digest_size=8).digest(), signed=True)


def file_of(url: str) -> Path | None:
    """Return the file of an SQLite database, or None for a database on a server or in memory."""
    place = make_url(url)
    is_file = place.get_backend_name() == "sqlite" and place.database not in (None, "", ":memory:")
    return Path(place.database or "") if is_file else None


def _write_of(connection: Connection) -> Write | None:
    """Return how the transaction of a connection writes; None if it only reads."""
    write: Write | None = connection.get_execution_options().get("blogsvc_write")
    return write


def as_busy(error: BaseException | None) -> Busy | None:
    """Return Busy for an error after which a retry may help, else None."""
    if isinstance(error, Busy):
        return error
    for each in _chain(error):
        if isinstance(each, PoolIsEmpty) or is_lost(each) or is_full(each) or _is_locked(each):
            return Busy(BUSY_MESSAGE)
    return None


def is_outage(error: BaseException | None) -> bool:
    """Return True if the database was lost or could not be written, and is not only busy."""
    return any(is_lost(each) or is_full(each) for each in _chain(error))


def _chain(error: BaseException | None) -> Iterator[SQLAlchemyError]:
    """Yield the errors of the database behind an error, which may be one itself.

    These include the error that each of them followed: if the disk is full, SQLite ends the transaction and its
    savepoints by itself, and rolling back to a savepoint then fails too.
    """
    if isinstance(error, Busy):
        error = error.__cause__
    while isinstance(error, SQLAlchemyError):
        yield error
        error = error.__context__ if isinstance(error.__context__, SQLAlchemyError) else error.__cause__


def is_lost(error: SQLAlchemyError) -> bool:
    """Return True if PostgreSQL could not be reached, or has ended the connection."""
    is_invalidated = isinstance(error, DBAPIError) and error.connection_invalidated
    return is_invalidated or _is_unreachable(error) or (_state(error) or "").startswith(LOST_STATES)


def is_full(error: SQLAlchemyError) -> bool:
    """Return True if the database could not be written: its disk is full or broken."""
    return _code(error) in FULL_CODES or (_state(error) or "").startswith(FULL_STATES)


def is_lock_timeout(error: SQLAlchemyError) -> bool:
    """Return True if PostgreSQL has ended the wait for a lock, because another transaction has it."""
    return _state(error) == LOCK_NOT_AVAILABLE


def _is_locked(error: SQLAlchemyError) -> bool:
    return _code(error) in LOCKED_CODES or (_state(error) or "").startswith(LOCKED_STATES)


def _is_unreachable(error: SQLAlchemyError) -> bool:
    """Return True if PostgreSQL did not answer. Only then does an operational error have no SQLSTATE."""
    kinds = type(_original(error)).__mro__  # a timeout has a kind of its own
    is_operational = any(
        kind.__module__.startswith("psycopg") and kind.__name__ == "OperationalError" for kind in kinds
    )
    return is_operational and _state(error) is None


def _code(error: SQLAlchemyError) -> int | None:
    """Return the result code of SQLite without its details; None for other errors."""
    code: int | None = getattr(_original(error), "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _state(error: SQLAlchemyError) -> str | None:
    """Return the SQLSTATE of PostgreSQL; None for other errors."""
    state: str | None = getattr(_original(error), "sqlstate", None)
    return state


def _original(error: SQLAlchemyError) -> BaseException | None:
    """Return the error of the driver."""
    return error.orig if isinstance(error, StatementError) else None
