"""The database session, the column types, and `transaction`, which every write goes through."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Lock
from types import MappingProxyType
from typing import Any

from blinker import Signal
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session as FlaskSession
from sqlalchemy import JSON, DateTime, Executable, Index, MetaData, String, TextClause, TypeDecorator, event
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session, declared_attr, registry
from sqlalchemy.types import TypeEngine

from blogsvc.errors import Busy, Unsure
from blogsvc.models.database import BUSY_MESSAGE, WRITES, WRITES_AT_ONCE, as_busy, is_lost
from blogsvc.models.outage import FULL_CALM, outages_of

_writing = Lock()
EMPTY: Mapping[str, Any] = MappingProxyType({})
UNSURE = "The connection to the database was lost while saving, so the change may have been saved."

UNSAVED = "A row was changed outside of a transaction. Change it inside `with transaction()`."


class UnsavedChanges(RuntimeError):
    """A row was changed outside of a transaction: a mistake in the code, because the change would be lost."""


# Signals sent after a commit. became_due: new work for the scheduler, which therefore does not have to poll.
# has_recorded: an event was recorded.
became_due = Signal()
has_recorded = Signal()


class UtcDateTime(TypeDecorator[datetime]):
    """A point in time, as an aware UTC datetime. Raises ValueError for a naive one.

    SQLite has no time zones, so the value is stored there without one.
    """

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
    """Return a string type that sorts by code points on both databases, whatever the locale of PostgreSQL."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


def partial_index(name: str, *columns: str, where: TextClause) -> Index:
    """Return an index of the rows that meet a condition.

    The condition is named for SQLite only: naming it for PostgreSQL would import that dialect at each start. The
    migrations, which create the indexes, name it for both.
    """
    return Index(name, *columns, sqlite_where=where)


class Base(DeclarativeBase):
    """The base class of the models. The table name is the class name in snake case: ApiKey is `api_key`."""

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


class ScopedSession(FlaskSession):
    """A session that ends without an error if its connection is lost: nothing is left to undo then.

    Otherwise, a request would fail with a connection that it does not need any more.
    """

    def rollback(self) -> None:
        self._end(super().rollback)

    def close(self) -> None:
        self._end(super().close)

    def _end(self, end: Callable[[], None]) -> None:
        try:
            end()
        except DBAPIError as error:  # by then, the session has let go of the connection
            if not is_lost(error):
                raise


db = SQLAlchemy(model_class=Base, session_options={"expire_on_commit": False, "class_": ScopedSession})


@contextmanager
def transaction(*, waits: bool = True) -> Iterator[None]:
    """Write to the database in one transaction. A nested call is a savepoint: if it fails, only its part is undone.

    Without `waits`, it is Busy at once if something else is writing: a request that only reads must not wait in order
    to note something.

    Raises Busy, with nothing changed, if the database is locked, unreachable or full. Raises Unsure if the
    connection was lost during the commit, so that the result is unknown. Raises UnsavedChanges if an object was
    changed before the transaction began.
    """
    session = db.session()
    with _savepoint(session) if session.info.get("writing") else _outermost(session, waits):
        yield


@contextmanager
def _outermost(session: Session, waits: bool) -> Iterator[None]:
    if session.new or session.deleted or any(map(session.is_modified, session.dirty)):
        raise UnsavedChanges(UNSAVED)
    # Forget everything read so far: decisions must use values that were read under the write lock.
    session.rollback()
    session.expire_all()
    with _turn(busy_timeout() if waits else 0):
        session.info["writing"] = True
        try:
            session.connection(execution_options=WRITES if waits else WRITES_AT_ONCE)
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


@contextmanager
def undone() -> Iterator[None]:
    """Undo everything that is written inside, at its end. Until then, reads return what was written.

    No signals are sent. What a database can't undo, such as writing a file, has to look at `is_undone`.
    """
    session = db.session()
    session.info["undone"] = True
    try:
        yield
    finally:
        del session.info["undone"]
        _undo(session)


def is_undone() -> bool:
    """Return True inside `undone`."""
    return "undone" in db.session().info


@contextmanager
def _savepoint(session: Session) -> Iterator[None]:
    signals = dict(session.info.get("signals", ()))
    try:
        with session.begin_nested():
            yield
    except BaseException:
        session.info["signals"] = signals
        raise


@event.listens_for(db.session, "before_flush")
def _require_transaction(session: Session, *_: object) -> None:
    """Refuse to write outside of `transaction`, where the next one would undo it."""
    if not session.info.get("writing"):
        raise UnsavedChanges(UNSAVED)


def execute_write(statement: Executable, rows: Mapping[str, Any] | Sequence[Mapping[str, Any]] = EMPTY) -> None:
    """Insert, change or delete rows in the current transaction, without objects: at a third of their cost.

    Rows that it refers to must be flushed. Objects that are loaded do not notice the change.
    """
    session = db.session()
    if not session.info.get("writing"):
        raise UnsavedChanges(UNSAVED)
    session.connection().execute(statement, rows)


def _undo(session: Session) -> None:
    session.rollback()
    session.info.pop("signals", None)


def _commit(session: Session) -> None:
    """Commit. Raises Unsure if the connection was lost after COMMIT was sent and before it was confirmed."""
    session.flush()
    if "undone" in session.info:
        session.info.pop("signals", None)
        return
    try:
        session.commit()
    except DBAPIError as error:
        if not error.connection_invalidated:
            raise
        raise Unsure(UNSURE) from error
    outages_of(db.engine).full.end(calm=FULL_CALM)


@contextmanager
def _turn(seconds: float) -> Iterator[None]:
    """Allow one writer in this process at a time. Raises Busy after this time.

    Without this lock, writers on SQLite would poll with growing pauses and in no order. With it, they poll only
    for other processes. On PostgreSQL, waiting writers do not occupy a database connection.
    """
    if not _writing.acquire(timeout=seconds):
        raise Busy(BUSY_MESSAGE)
    try:
        yield
    finally:
        _writing.release()


def busy_timeout() -> float:
    """Return how long a write waits for its turn, in seconds."""
    return float(db.engine.get_execution_options().get("busy_timeout", 5.0))


def close_connections() -> None:
    """Close all idle database connections and the connection of the current context."""
    db.session.remove()
    db.engine.dispose()


def wake_scheduler() -> None:
    """Wake the scheduler after the current transaction commits, because work is due now or at a new time."""
    after_commit(became_due)


def after_commit(signal: Signal, reason: str = "") -> None:
    """Send a signal after the current transaction commits; once, even if called several times."""
    signals = db.session().info.setdefault("signals", {})
    signals[signal] = signals.get(signal, frozenset()) | {reason}


def reasons_for(signal: Signal) -> frozenset[str]:
    """Return the reasons for which a signal will be sent after the current transaction; none if it will not."""
    reasons: frozenset[str] = db.session().info.get("signals", {}).get(signal, frozenset())
    return reasons
