"""How long to wait before a failed attempt is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from random import uniform

# A platform that asks for a longer wait is asked again after this.
MAX_RETRY_AFTER = timedelta(days=1)


@dataclass(frozen=True)
class BackOff:
    """Growing waits. Each varies by `jitter`, a share of it, so that what failed together is not repeated together."""

    waits: tuple[timedelta, ...]
    jitter: float = 0.0

    def __len__(self) -> int:
        return len(self.waits)

    def after(self, failures: int) -> timedelta:
        """Return the wait after this number of earlier failures; the last wait after more than there are waits."""
        wait = self.waits[min(failures, len(self.waits) - 1)]
        return wait * uniform(1 - self.jitter, 1 + self.jitter)  # noqa: S311 (spreads load, guards nothing)


def requested_wait(seconds: float | None) -> timedelta | None:
    """Return the wait that a `Retry-After` asks for. None without one, and for 0, which would cause a loop."""
    return timedelta(seconds=min(seconds, MAX_RETRY_AFTER.total_seconds())) if seconds else None
