"""The database: its types, and the one way to write to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from time import monotonic, sleep
from typing import Any

from blinker import Signal
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import JSON, DateTime, MetaData, String, TypeDecorator
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session, declared_attr, registry
from sqlalchemy.types import TypeEngine

from blogsvc.errors import Busy, Unsure
from blogsvc.models.database import BUSY_MESSAGE, WRITES, as_busy

_writing = Lock()
UNSURE = "The database was lost while it saved this. Look whether it is there before you ask again."

# Sent after a commit: it made something due, so that the clock need not poll; it recorded an event.
became_due = Signal()
has_recorded = Signal()


class UtcDateTime(TypeDecorator[datetime]):
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


def sorted_text(length: int) -> TypeEngine[str]:
    """Text that lists are sorted by: by its code points, as SQLite does, whatever the language of a PostgreSQL."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


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
            datetime: UtcDateTime,
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

    Raises Busy, with nothing changed, where the database is locked, away or full; Unsure where it was
    lost while it committed.
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
            session.connection(execution_options=WRITES)
            yield
            _commit(session)
        except SQLAlchemyError as error:
            _undo(session)
            if (known := as_busy(error)) is None:
                raise
            raise known from error
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


def _commit(session: Session) -> None:
    """Raises Unsure where the connection was lost after COMMIT was said and before it was confirmed."""
    session.flush()
    try:
        session.commit()
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        raise Unsure(UNSURE) from error


@contextmanager
def _turn() -> Iterator[None]:
    """One writer of this process at a time, first come, first served.

    SQLite lets writers sleep and try again, in no order and longer each time; here they wait in line
    for one another, and sleep only for other processes. On PostgreSQL none of them keeps a connection
    busy with waiting.
    """
    if not _writing.acquire(timeout=db.engine.get_execution_options().get("busy_timeout", 5.0)):
        raise Busy(BUSY_MESSAGE)
    try:
        yield
    finally:
        _writing.release()


def retry_write(write: Callable[[], None], seconds: float) -> None:
    """Do a write that nobody else can do: a busy database is asked again for so long. Raises Busy after that."""
    end = monotonic() + seconds
    while True:
        try:
            return write()
        except Busy:
            if monotonic() > end:
                raise
            sleep(0.1)


def close_connections() -> None:
    """Close every connection to the database that is idle or this context's own."""
    db.session.remove()
    db.engine.dispose()


def wake_scheduler() -> None:
    """Say, inside a transaction, that it leaves something to do at once or at a new time."""
    after_commit(became_due)


def after_commit(signal: Signal) -> None:
    """Send a signal once, when the transaction that this is called in has been committed."""
    db.session().info.setdefault("signals", {})[signal] = True
