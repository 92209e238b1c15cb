"""The database: its types, and the one way to write to it.

SQLite needs care. Python's own transaction handling is switched off, so that a transaction begins
when we say so; a write begins with BEGIN IMMEDIATE, because a read that turns into a write half-way
cannot wait for the lock and fails at once.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from time import monotonic, sleep
from typing import Any

from blinker import Signal
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, DateTime, MetaData, TypeDecorator, event
from sqlalchemy.engine import Connection, Dialect, Engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import DeclarativeBase, Session, declared_attr, registry

from blogsvc.errors import Busy

_writing = Lock()

# Sent after a commit: it made something due, so that the clock need not poll; it recorded an event.
became_due = Signal()
has_recorded = Signal()

# What SQLite says when it must be asked again, or cannot write at all (sqlite3.h result codes).
BUSY = "The database is busy or its disk is full; nothing was changed. Try again in a moment."
BUSY_CODES = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR})


class Moment(TypeDecorator[datetime]):
    """An instant: aware UTC in Python, refused otherwise; without a zone in SQLite, which has none."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("A time without a zone was about to be stored.")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Base(DeclarativeBase):
    """A table, named after its class: ApiKey is `api_key`."""

    registry = registry(
        metadata=MetaData(
            naming_convention={
                "ix": "ix_%(table_name)s_%(column_0_N_name)s",
                "uq": "uq_%(table_name)s_%(column_0_N_name)s",
                "fk": "fk_%(table_name)s_%(column_0_N_name)s",
                "pk": "pk_%(table_name)s",
            }
        ),
        type_annotation_map={
            datetime: Moment,
            dict[str, Any]: JSON,
            dict[str, str]: JSON,
            list[str]: JSON,
        },
    )

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False})


@contextmanager
def transaction() -> Iterator[None]:
    """One write, all or nothing. Inside another one it is a part of that one.

    Raises Busy, with nothing changed, where the database is locked or its disk is full.
    """
    session = db.session()
    if session.info.get("writing"):
        yield
        return
    # Whatever was read before is old: what we decide on must be read under the lock.
    session.rollback()
    session.expire_all()
    with _turn():
        session.info["writing"] = True
        try:
            session.connection(execution_options={"blogsvc_write": True})
            yield
            session.commit()
        except OperationalError as error:
            _undo(session)
            raise busy(error) from error
        except BaseException:
            _undo(session)
            raise
        finally:
            session.info["writing"] = False
            signals = session.info.pop("signals", ())
    for signal in signals:
        signal.send()


def _undo(session: Session) -> None:
    session.rollback()
    session.info.pop("signals", None)


@contextmanager
def _turn() -> Iterator[None]:
    """One writer of this process at a time, first come, first served.

    SQLite lets writers sleep and try again, in no order and longer each time; here they wait in line
    for one another, and sleep only for other processes.
    """
    if db.engine.dialect.name != "sqlite":
        yield
        return
    if not _writing.acquire(timeout=db.engine.get_execution_options().get("busy_timeout", 5.0)):
        raise Busy(BUSY)
    try:
        yield
    finally:
        _writing.release()


def insist(write: Callable[[], None], seconds: float) -> None:
    """Do a write that nobody else can do: a busy database is asked again for so long. Raises Busy after that."""
    end = monotonic() + seconds
    while True:
        try:
            return write()
        except Busy:
            if monotonic() > end:
                raise
            sleep(0.1)


def wake_the_clock() -> None:
    """Say, inside a transaction, that it leaves something to do at once or at a new time."""
    after_commit(became_due)


def after_commit(signal: Signal) -> None:
    """Send a signal once, when the transaction that this is called in has been committed."""
    db.session().info.setdefault("signals", {})[signal] = True


def busy(error: OperationalError) -> Exception:
    """The error as the caller should see it: Busy where asking again may help, else itself."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None and code & 0xFF in BUSY_CODES:
        return Busy(BUSY)
    return error


def prepare(engine: Engine, busy_timeout_seconds: float) -> None:
    """Make an SQLite engine durable, strict and honest about transactions. Others are left as they are."""
    if engine.dialect.name != "sqlite":
        return
    engine.update_execution_options(busy_timeout=busy_timeout_seconds)

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
        writes = connection.get_execution_options().get("blogsvc_write")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
