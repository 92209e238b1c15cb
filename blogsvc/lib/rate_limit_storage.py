"""Storages of rate limit counters for the `limits` library: in memory, and elsewhere with memory as the fallback.

The library's own memory storage starts a cleanup thread about every 10 ms, which costs more than the
counting. This one cleans up while counting.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic, time
from typing import TypeVar

from limits import RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import Storage

log = logging.getLogger(__name__)
T = TypeVar("T")

# Remove expired counters at this number. There is one per key and, in an attack, one per address.
SWEEP_AT = 10_000
# How long a storage that failed is not asked again. Seconds.
OUTAGE_SECONDS = 10.0


class RequestsPerMinute(RateLimitItemPerMinute):
    """A number of requests per minute.

    The counter's key leaves out the limit, so that changing the limit does not reset the counter.
    """

    def key_for(self, *identifiers: bytes | str | float) -> str:
        return "/".join(("blogsvc", *map(str, identifiers)))


class CounterStorage(Storage):
    """Counters that restart after their window, in seconds."""

    STORAGE_SCHEME = ["counters"]  # noqa: RUF012 (how the library finds it)

    def __init__(
        self, uri: str | None = None, wrap_exceptions: bool = False, now: Callable[[], float] = time, **_: str
    ) -> None:
        super().__init__(uri, wrap_exceptions=wrap_exceptions)
        self.lock = Lock()
        self.now = now
        self.counts: dict[str, tuple[int, float]] = {}

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        now = self.now()
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
        return count if ends > self.now() else 0

    def get_expiry(self, key: str) -> float:
        return self.counts.get(key, (0, self.now()))[1]

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


class FallbackStorage(Storage):
    """A storage on a server. While the server fails or hangs, counters are in memory.

    After a failure, the server is not asked for 10 seconds; then one request tries again. So an outage delays few
    requests, and each of them only by the timeout of the server's client. The log reports it once.
    """

    STORAGE_SCHEME = ["fallback"]  # noqa: RUF012 (how the library finds it)

    def __init__(
        self, server: Storage, steady: Callable[[], float] = monotonic, now: Callable[[], float] = time
    ) -> None:
        super().__init__()
        self.server = server
        self.memory = CounterStorage(now=now)
        self.steady = steady
        self.lock = Lock()
        self.is_out = False
        self.ask_at = 0.0

    @property
    def base_exceptions(self) -> type[Exception]:
        return ValueError

    def _ask(self, question: Callable[[Storage], T]) -> T:
        if self._may_ask():
            try:
                answer = question(self.server)
            except StorageError as error:
                self._fails(error)
            else:
                self._works()
                return answer
        return question(self.memory)

    def _may_ask(self) -> bool:
        """Return True if the server works. During an outage, also for one request per 10 seconds."""
        with self.lock:
            if not self.is_out:
                return True
            is_time = self.steady() >= self.ask_at
            if is_time:
                self.ask_at = self.steady() + OUTAGE_SECONDS
            return is_time

    def _fails(self, error: StorageError) -> None:
        with self.lock:
            is_news, self.is_out = not self.is_out, True
            self.ask_at = self.steady() + OUTAGE_SECONDS
        if is_news:
            log.warning("rate limits are counted in memory until Redis responds: %s", error)

    def _works(self) -> None:
        with self.lock:
            is_news, self.is_out = self.is_out, False
        if is_news:
            log.warning("Redis responds again and counts rate limits")

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return self._ask(lambda storage: storage.incr(key, expiry, amount))

    def get(self, key: str) -> int:
        return self._ask(lambda storage: storage.get(key))

    def get_expiry(self, key: str) -> float:
        return self._ask(lambda storage: storage.get_expiry(key))

    def check(self) -> bool:
        return self._ask(lambda storage: storage.check())

    def reset(self) -> int | None:
        return self._ask(lambda storage: storage.reset())

    def clear(self, key: str) -> None:
        self._ask(lambda storage: storage.clear(key))
