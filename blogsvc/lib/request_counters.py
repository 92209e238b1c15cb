"""Counters of requests, in memory or in Redis, for Flask-Limiter and limits."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from threading import Lock
from time import monotonic, time
from typing import TypeVar

from limits import RateLimitItem
from limits.errors import StorageError
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import FixedWindowRateLimiter

T = TypeVar("T")

# If Redis does not respond within this time, the request is counted in memory. Seconds.
REDIS_TIMEOUT_SECONDS = 0.25
# After it did not, it is not asked for this time. Seconds.
COUNT_HERE_FOR = 5.0
# How often counters that have expired are forgotten. Seconds.
FORGET_EVERY = 10.0
REDIS_OPTIONS = {
    "wrap_exceptions": True,
    "socket_timeout": REDIS_TIMEOUT_SECONDS,
    "socket_connect_timeout": REDIS_TIMEOUT_SECONDS,
}


class MemoryCounters(MemoryStorage):
    """The storage `memory://` of limits, for many threads. It takes the place of the library's own.

    limits 5.8 starts a thread for nearly every request, to forget what has expired, and without a lock: requests at the
    same moment start it twice, and fail.
    """

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 (as the library declares it)

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: str) -> None:
        self._one_at_a_time, self._look_again_at = Lock(), 0.0
        super().__init__(uri, wrap_exceptions, **options)

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        with self._one_at_a_time:
            now = time()
            if now >= self._look_again_at:
                self._forget_expired(now)
            if self.expirations.get(key, now) <= now:
                self.storage[key], self.expirations[key] = 0, now + expiry
            self.storage[key] += amount
            return self.storage[key]

    def _forget_expired(self, now: float) -> None:
        for key in [key for key, ends_at in list(self.expirations.items()) if ends_at <= now]:
            self.storage.pop(key, None)
            self.expirations.pop(key, None)
        self._look_again_at = now + FORGET_EVERY


class RequestLimiter:
    """Limits requests that many processes get: counted in Redis, or in memory if there is none or while it fails."""

    def __init__(self, redis_url: str) -> None:
        self._here = FixedWindowRateLimiter(MemoryCounters())
        self.storage = storage_from_string(redis_url, **REDIS_OPTIONS) if redis_url else None
        self._shared = FixedWindowRateLimiter(self.storage) if self.storage else self._here
        self._failed_at = -COUNT_HERE_FOR

    def hit(self, limit: RateLimitItem, *identifiers: str) -> bool:
        """Count a request. Returns False if that is more than the limit allows."""
        return self._ask(lambda limiter: limiter.hit(limit, *identifiers))

    def test(self, limit: RateLimitItem, *identifiers: str) -> bool:
        """Return True if the limit allows one more request."""
        return self._ask(lambda limiter: limiter.test(limit, *identifiers))

    def wait(self, limit: RateLimitItem, *identifiers: str) -> int:
        """Return the seconds until the limit counts from zero again, at least 1."""
        ends_at = self._ask(lambda limiter: limiter.get_window_stats(limit, *identifiers).reset_time)
        return max(1, ceil(ends_at - time()))

    def _ask(self, question: Callable[[FixedWindowRateLimiter], T]) -> T:
        if monotonic() - self._failed_at >= COUNT_HERE_FOR:
            try:
                return question(self._shared)
            except StorageError:
                self._failed_at = monotonic()
        return question(self._here)
