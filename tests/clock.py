"""The time of tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)  # a Tuesday


class Time:
    """A clock that returns the time set by the test."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def passes(self, **span: float) -> datetime:
        """Advance the time: `time.passes(minutes=5)`."""
        self.now += timedelta(**span)
        return self.now
