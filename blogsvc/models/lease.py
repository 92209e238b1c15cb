"""Leases: while a worker processes a row, no other worker does.

A worker claims a row for a time and gets a fencing number. Only the worker with the latest number may store a result. A
lease ends with its time, or as soon as its process is known to have ended.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Self

from sqlalchemy import ColumnElement, String, and_, literal_column, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.text.plain import within
from blogsvc.models.base import db

# Time in which a request without an answer may still be executed: proxies hold requests for up to two minutes. A
# look-up that finds nothing in this time proves nothing.
LATE_ARRIVAL = timedelta(seconds=150)
MAX_ERROR_LENGTH = 2000


class Leased:
    """The columns of a row that one worker at a time processes."""

    # The number of the latest attempt.
    fence: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None]
    # The name of the process that holds the lease (`lib.process_lock`).
    lease_owner: Mapped[str | None] = mapped_column(String(32))

    def take_lease(self, now: datetime, span: timedelta, owner: str) -> int:
        """Start an attempt, and return its fencing number."""
        self.fence += 1
        self.lease_until, self.lease_owner = now + span, owner
        return self.fence

    def end_lease(self) -> None:
        self.lease_until = self.lease_owner = None


class Retried(Leased):
    """A row whose request is sent by one worker at a time, again and again until it succeeds or is given up."""

    # "sending" while a worker has the lease.
    state: Mapped[Any] = mapped_column(String(20))
    next_attempt_at: Mapped[datetime | None]
    # Failures since the last success. Determines the back-off.
    failure_count: Mapped[int] = mapped_column(default=0)
    error_code: Mapped[str | None] = mapped_column(String(40))
    error_detail: Mapped[str | None] = mapped_column(String(MAX_ERROR_LENGTH))

    def begin_attempt(self, now: datetime, span: timedelta, owner: str) -> int:
        """Take the lease to send the request, and return the fencing number."""
        self.state = "sending"
        return self.take_lease(now, span, owner)

    def end_attempt(
        self, state: str, next_attempt_at: datetime | None, code: str | None = None, detail: str | None = None
    ) -> None:
        """Store the result of an attempt, with the error if it failed."""
        self.state, self.next_attempt_at = state, next_attempt_at
        self.error_code, self.error_detail = code, detail and within(detail, MAX_ERROR_LENGTH)
        self.end_lease()

    def is_sent_by(self, fence: int) -> bool:
        """Return True while the attempt with this number is the one that is being sent."""
        return self.state == "sending" and self.fence == fence

    @classmethod
    def is_any_expired(cls, now: datetime) -> bool:
        return db.session.scalar(select(literal_column("1")).where(cls._is_expired(now)).limit(1)) is not None

    @classmethod
    def expired(cls, now: datetime) -> list[Self]:
        """Return the rows still `sending` after their lease, because their process died or hung. Locks the rows."""
        return list(db.session.scalars(select(cls).where(cls._is_expired(now)).with_for_update(skip_locked=True)))

    @classmethod
    def first_expiry(cls) -> datetime | None:
        """Return when the first lease of a row that is being sent ends."""
        first = select(cls.lease_until).where(cls.is_sending()).order_by(cls.lease_until).limit(1)
        return db.session.scalar(first)

    @classmethod
    def is_sending(cls) -> ColumnElement[bool]:
        """Return the condition for rows that are being sent. Written out, for partial indexes."""
        return cls.state == literal_column("'sending'")

    @classmethod
    def _is_expired(cls, now: datetime) -> ColumnElement[bool]:
        return and_(cls.is_sending(), cls.lease_until <= now)


def end_leases_of(table: Any, owners: list[str], now: datetime) -> int:
    """End the leases of processes that have ended, and return their number. The rows then count as expired."""
    held = update(table).where(table.lease_owner.in_(owners), table.lease_until > now)
    return len(db.session.scalars(held.values(lease_until=now).returning(table.id)).all())
