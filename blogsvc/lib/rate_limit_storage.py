"""Counters in memory for rate limits, as a storage of the `limits` library.

The library's own memory storage starts a thread to tidy up about every 10 ms while it is used,
which costs more than the counting. This one tidies up in passing.
"""

from __future__ import annotations

from threading import Lock
from time import time

from limits import RateLimitItemPerMinute
from limits.storage import Storage

# Expired counters are swept out when so many stand: one stands for each key and, at worst, each address of an attack.
SWEEP_AT = 10_000


class RequestsPerMinute(RateLimitItemPerMinute):
    """So many calls. They are counted by who makes them, whatever the limit is: another limit is no fresh start."""

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join(("blogsvc", *map(str, identifiers)))


class CounterStorage(Storage):
    """Counts that begin anew when their window, in seconds, has passed."""

    STORAGE_SCHEME = ["counters"]  # noqa: RUF012 (how the library finds it)

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **_: str) -> None:
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self.lock = Lock()
        self.counts: dict[str, tuple[int, float]] = {}

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = time()
        with self.lock:
            count, ends = self.counts.get(key, (0, 0.0))
            if ends <= now:
                count, ends = 0, now + expiry
                self._sweep(now)
            self.counts[key] = (count + amount, ends)
            return count + amount

    def _sweep(self, now: float) -> None:
        if len(self.counts) >= SWEEP_AT:
            self.counts = {key: (count, ends) for key, (count, ends) in self.counts.items() if ends > now}

    def get(self, key: str) -> int:
        count, ends = self.counts.get(key, (0, 0.0))
        return count if ends > time() else 0

    def get_expiry(self, key: str) -> float:
        return self.counts.get(key, (0, time()))[1]

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        with self.lock:
            gone = len(self.counts)
            self.counts = {}
        return gone

    def clear(self, key: str) -> None:
        with self.lock:
            self.counts.pop(key, None)
