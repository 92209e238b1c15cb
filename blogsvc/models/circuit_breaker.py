"""The circuit breaker of a connection or webhook: after several failures in a row it pauses, and one attempt tests it.

Each further failure doubles the pause. A wait that the receiver asks for (Retry-After) begins a pause at once.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import BindParameter, ColumnElement, or_
from sqlalchemy.orm import Mapped, mapped_column

TRIPS_AFTER = 5
SHORTEST_PAUSE = timedelta(seconds=30)
MAX_PAUSE = timedelta(minutes=30)


class CircuitBreaker:
    # Failures in a row that no single message or post caused.
    failure_count: Mapped[int] = mapped_column(default=0)
    paused_until: Mapped[datetime | None]

    def count_failure(self, now: datetime, wait: timedelta | None = None) -> None:
        """Count a failure, and pause if there are too many, or for the wait that the receiver asked for."""
        self.failure_count += 1
        if wait is not None:
            self.paused_until = now + wait
        elif self.failure_count >= TRIPS_AFTER:
            self.paused_until = now + min(SHORTEST_PAUSE * 2 ** min(self.failure_count - TRIPS_AFTER, 10), MAX_PAUSE)

    def forget_failures(self) -> bool:
        """End the pause and begin to count anew. Return True if there was a pause."""
        was_paused = self.paused_until is not None
        self.failure_count, self.paused_until = 0, None
        return was_paused

    @classmethod
    def is_running(cls, now: datetime | BindParameter[datetime]) -> ColumnElement[bool]:
        """Return the condition for rows without a pause at this time."""
        return or_(cls.paused_until.is_(None), cls.paused_until <= now)
