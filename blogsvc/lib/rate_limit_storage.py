"""In-memory rate limit counters, as a storage of the `limits` library.

The library's own memory storage starts a cleanup thread about every 10 ms, which costs more than the
counting. This one cleans up while counting.
"""

from __future__ import annotations

from threading import Lock
from time import time

from limits import RateLimitItemPerMinute
from limits.storage import Storage

# Remove expired counters at this number. There is one per key and, in an attack, one per address.
SWEEP_AT = 10_000


class RequestsPerMinute(RateLimitItemPerMinute):
    """A number of requests per minute.

    The counter's key leaves out the limit, so that changing the limit does not reset the counter.
    """

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join(("blogsvc", *map(str, identifiers)))


class CounterStorage(Storage):
    """Counters that restart after their window, in seconds."""

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
                if len(self.counts) >= SWEEP_AT:
                    self.counts = {name: window for name, window in self.counts.items() if window[1] > now}
            self.counts[key] = (count + amount, ends)
            return count + amount

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
