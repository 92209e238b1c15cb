"""Time in tests: an argument like any other."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOW = datetime(2026, 11, 24, 9, 0, tzinfo=UTC)  # a Tuesday


class Time:
    """The time by which a test lives."""

    def __init__(self, now: datetime = NOW) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def passes(self, **span: float) -> datetime:
        """Let some time pass: `time.passes(minutes=5)`."""
        self.now += timedelta(**span)
        return self.now
