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
        self.seen: tuple[datetime, float] | None = None

    def jump(self) -> timedelta:
        """Return how far the system time was set ahead since the last call; negative if it was set back."""
        now, steady = self.now(), self.steady()
        before, self.seen = self.seen, (now, steady)
        if before is None:
            return timedelta()
        return (now - before[0]) - timedelta(seconds=steady - before[1])
