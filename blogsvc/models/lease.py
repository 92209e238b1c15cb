"""Leases: while a worker processes a row, no other worker does.

A worker claims a row for a time and gets a fencing number. Only the worker with the latest number may store a result. A
lease ends with its time, or as soon as its process is known to have ended.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import String, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import db

# Time in which a request without an answer may still be executed: proxies hold requests for up to two
# minutes. A look-up that finds nothing in this time proves nothing.
LATE_ARRIVAL = timedelta(seconds=150)


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


def end_leases_of(table: Any, owners: list[str], now: datetime) -> int:
    """End the leases of processes that have ended, and return their number. The rows then count as expired."""
    held = update(table).where(table.lease_owner.in_(owners), table.lease_until > now)
    return len(db.session.scalars(held.values(lease_until=now).returning(table.id)).all())
