"""`transaction`, which every write goes through, and what happens after its commit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Lock
from types import MappingProxyType
from typing import Any

from blinker import Signal
from sqlalchemy import Connection, Executable, event
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.orm import Session
from sqlalchemy.orm.exc import ObjectDeletedError, StaleDataError

from blogsvc.errors import Busy, NotFound, Unsure
from blogsvc.models.base import db
from blogsvc.models.database import BUSY_MESSAGE, Write, as_busy, lock_number
from blogsvc.models.outage import FULL_CALM, outages_of

_writing = Lock()
EMPTY: Mapping[str, Any] = MappingProxyType({})
UNSURE = "The connection to the database was lost while saving, so the change may have been saved."

DELETED_MEANWHILE = "Somebody deleted this meanwhile. Nothing was changed."

UNSAVED = "A row was changed outside of a transaction. Change it inside `with transaction()`."


class UnsavedChanges(RuntimeError):
    """A row was changed outside of a transaction: a mistake in the code, because the change would be lost."""


class SwallowedError(RuntimeError):
    """A part of a transaction failed, and the rest went on: a mistake in the code. Use `savepoint` for such a part."""


class MissingLock(RuntimeError):
    """A transaction began inside one that does not lock what it changes: a mistake in the code."""


# What `session.info["writing"]` has in a transaction that runs alone; otherwise its nouns.
_EVERYTHING = frozenset({"everything"})

# Signals sent after a commit. became_due: new work for the scheduler, which therefore does not have to poll.
# has_recorded: an event was recorded. Their sender is ANOTHER_PROCESS if that committed (scheduler/relay.py).
became_due = Signal()
has_recorded = Signal()
ANOTHER_PROCESS = "another process"


@contextmanager
def transaction(*nouns: str, waits: bool = True) -> Iterator[None]:
    """Write to the database in one transaction. A nested call is a part of the outer one, and fails with it.

    Without `waits`, it is Busy at once if something else is writing: a request that only reads must not wait in order
    to note something.

    Args:
        nouns: what it changes, such as "post:post_1". On PostgreSQL, it then runs beside transactions with other
            nouns; without nouns, it runs alone. The nouns are in docs/architecture.md ("Who waits for whom").

    Raises Busy, with nothing changed, if the database is locked, unreachable or full. Raises Unsure if the
    connection was lost during the commit, so that the result is unknown. Raises NotFound if a row that was read before
    the transaction has been deleted since. Raises UnsavedChanges if an object was
    changed before the transaction began, MissingLock if an outer transaction lacks one of the nouns, and SwallowedError
    if a nested one failed, and the outer one would commit what it wrote (`savepoint`).
    """
    session = db.session()
    held: frozenset[str] = session.info.get("writing", frozenset())
    if held and held is not _EVERYTHING and not (nouns and held.issuperset(nouns)):
        raise MissingLock(f"The transaction has {sorted(held)} and needs {sorted(nouns) or 'everything'}.")
    with _part(session) if held else _outermost(session, Write(nouns, waits)):
        yield


@contextmanager
def _outermost(session: Session, write: Write) -> Iterator[None]:
    if session.new or session.deleted or any(map(session.is_modified, session.dirty)):
        raise UnsavedChanges(UNSAVED)
    # Forget everything read so far: decisions must use values that were read under the locks.
    session.rollback()
    session.expire_all()
    with _turn(write):
        session.info["writing"] = frozenset(write.nouns) or _EVERYTHING
        try:
            session.info["connection"] = session.connection(execution_options=write.options)
            yield
            _commit(session)
        except (ObjectDeletedError, StaleDataError) as error:
            _undo(session)
            raise NotFound(DELETED_MEANWHILE) from error
        except SQLAlchemyError as error:
            _undo(session)
            if (known := as_busy(error)) is None:
                raise
            raise known from error
        except BaseException:
            _undo(session)
            raise
        finally:
            session.info.pop("writing")
            session.info.pop("connection", None)
            session.info.pop("steps", None)
            session.info.pop("failed", None)
            signals = session.info.pop("signals", ())
    for signal in signals:
        signal.send()


def is_writing() -> bool:
    """Return True inside a transaction."""
    return "writing" in db.session().info


def runs_alone() -> bool:
    """Return True in a transaction without nouns."""
    return db.session().info.get("writing") is _EVERYTHING


def is_first_step(name: str) -> bool:
    """Return True when called first with this name in the current transaction, and False from then on."""
    steps: frozenset[str] = db.session().info.get("steps", frozenset())
    db.session().info["steps"] = steps | {name}
    return name not in steps


def lock_also(noun: str) -> None:
    """Lock one more noun until the current transaction ends. Nothing may be locked after it.

    So transactions never wait for each other in a circle. What was read before may have changed.
    """
    session = db.session()
    held: frozenset[str] = session.info["writing"]
    if held is _EVERYTHING or noun in held:
        return
    session.info["writing"] = held | {noun}
    if db.engine.dialect.name == "postgresql":
        session.connection().exec_driver_sql(f"SELECT pg_advisory_xact_lock({lock_number(noun)})")


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
def _part(session: Session) -> Iterator[None]:
    try:
        yield
    except BaseException:
        session.info["failed"] = True
        raise


@contextmanager
def savepoint() -> Iterator[None]:
    """Begin a part of a transaction that may fail alone: then only what this block wrote is undone."""
    session = db.session()
    signals, held, steps = dict(session.info.get("signals", ())), session.info["writing"], session.info.get("steps")
    had_failed = "failed" in session.info
    try:
        with session.begin_nested():
            session.connection()  # sends the SAVEPOINT, which is otherwise sent before the first statement of an object
            yield
    except BaseException:
        session.info["signals"], session.info["writing"] = signals, held
        session.info["steps"] = steps or frozenset()
        if not had_failed:
            session.info.pop("failed", None)
        session.expire_all()  # rows that were inserted without a flush look stored
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
    connection: Connection | None = db.session().info.get("connection")
    if connection is None:
        raise UnsavedChanges(UNSAVED)
    connection.execute(statement, rows)


def connection() -> Connection:
    """Return the connection of the current transaction, or of the reads of this context. It does not flush objects."""
    session = db.session()
    return session.info.get("connection") or session.connection()


def _undo(session: Session) -> None:
    session.rollback()
    session.info.pop("signals", None)


def _commit(session: Session) -> None:
    """Commit. Raises Unsure if the connection was lost after COMMIT was sent and before it was confirmed."""
    if "failed" in session.info:
        raise SwallowedError("A part of the transaction failed. Nothing is saved.")
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
    session.info["commits"] = session.info.get("commits", 0) + 1
    outages_of(db.engine).full.end(calm=FULL_CALM)


@contextmanager
def unsure_if_saved() -> Iterator[None]:
    """Raise Unsure instead of Busy after a commit in this block: "nothing was changed" would be wrong.

    The response to a write is read from the database after its commit, and the connection may be lost in between.
    """
    session = db.session()
    before = session.info.get("commits", 0)
    try:
        yield
    except (Busy, SQLAlchemyError) as error:
        if isinstance(error, Unsure) or session.info.get("commits", 0) == before or as_busy(error) is None:
            raise
        raise Unsure(UNSURE) from error


@contextmanager
def _turn(write: Write) -> Iterator[None]:
    """Allow one writer in this process at a time, beside those that PostgreSQL lets run together. Else raises Busy.

    Without this lock, writers on SQLite would poll with growing pauses and in no order. With it, they poll only
    for other processes. On PostgreSQL, writers that wait to run alone do not occupy a database connection.
    """
    if write.nouns and db.engine.dialect.name == "postgresql":
        yield
        return
    if not _writing.acquire(timeout=busy_timeout() if write.waits else 0):
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
