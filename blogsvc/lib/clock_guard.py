"""Notice that the system time was set, by comparing it with a clock that cannot be set."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta


class ClockGuard:
    """Compares two clocks.

    Args:
        now: the system time.
        steady: seconds of a clock that cannot be set, such as `lib.time.steady_seconds`.
    """

    def __init__(self, now: Callable[[], datetime], steady: Callable[[], float]) -> None:
        self.now, self.steady = now, steady
        self.accept()

    def accept(self) -> None:
        """Take the system time as it is now. Call it when a jump has been dealt with."""
        self.accepted = self.now(), self.steady()

    def jump(self) -> timedelta:
        """Return how far the system time was set ahead since it was accepted; negative if it was set back."""
        time, seconds = self.accepted
        return (self.now() - time) - timedelta(seconds=self.steady() - seconds)
