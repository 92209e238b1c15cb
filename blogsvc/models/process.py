"""The processes that share a PostgreSQL, on one machine or several: what each of them is, and when it was last seen.

On SQLite there are no rows: all processes are on one machine, where locks on files say which of them run.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from sqlalchemy import JSON, String, delete, exists, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models import nouns
from blogsvc.models.base import Base, db
from blogsvc.models.transactions import transaction

# A process that was not seen for this long has ended, or its machine has, or it can't reach the database.
UNSEEN_AFTER = timedelta(seconds=20)
MAX_HOST_LENGTH = 100


class Process(Base):
    """A process, as it reported itself."""

    # Also the name in the leases that it holds (`lib.process_lock`).
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    # "server", "scheduler" or "worker".
    role: Mapped[str] = mapped_column(String(10))
    host: Mapped[str] = mapped_column(String(MAX_HOST_LENGTH))
    # Of blogsvc.
    version: Mapped[str] = mapped_column(String(40))
    # The fingerprint of the key with which it encrypts secrets.
    key_fingerprint: Mapped[str] = mapped_column(String(16))
    # How far its clock is ahead of the database's, negative if behind; 0 if they about agree.
    seconds_ahead: Mapped[float]
    # How many lanes it works on.
    lane_count: Mapped[int]
    # True while it receives the messages that are sent to workers.
    is_consuming: Mapped[bool]
    # The connectors of connections whose packages it lacks.
    missing: Mapped[list[str]] = mapped_column(JSON, default=list)
    # What it has of the settings that must be the same in all processes (`health.shared_settings`).
    shared_settings: Mapped[dict[str, tuple[str, str]]] = mapped_column(JSON, default=dict, server_default="{}")
    started_at: Mapped[datetime]
    seen_at: Mapped[datetime]


def is_shared() -> bool:
    """Return True if processes on other machines may use this database, too."""
    return db.engine.dialect.name == "postgresql"


def report(process: Process) -> None:
    """Store what a process says about itself now."""
    with transaction(nouns.process(process.name)):
        db.session.merge(process)


def processes() -> list[Process]:
    """Return all processes, by role and host."""
    order = Process.role, Process.host, Process.started_at, Process.name
    return list(db.session.scalars(select(Process).order_by(*order)))


def processes_seen(now: datetime) -> list[Process]:
    """Return the processes that run, as far as is known."""
    return list(db.session.scalars(select(Process).where(Process.seen_at > now - UNSEEN_AFTER)))


def is_any_consuming(now: datetime) -> bool:
    """Return True if there is a worker that receives messages."""
    seen = Process.is_consuming.is_(True), Process.seen_at > now - UNSEEN_AFTER
    return bool(db.session.scalar(select(exists().where(*seen))))


def forget_processes(names: Collection[str]) -> None:
    """Remove the rows of processes that have ended, in the current transaction."""
    db.session.execute(delete(Process).where(Process.name.in_(names)).execution_options(synchronize_session=False))
