"""The time of tests."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from time import monotonic, sleep

from blogsvc.models import db

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


def eventually(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until the condition is true, in tests without a database of their own. Fails after `seconds`."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "the condition never became true"
        sleep(0.01)


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until the condition is true, each time with rows read anew. Fails after `seconds`."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "the condition never became true"
        db.session.rollback()
        db.session.expire_all()
        sleep(0.01)
