"""Counters of requests in memory, for Flask-Limiter and limits."""

from __future__ import annotations

from threading import Lock

from limits.storage import MemoryStorage


class MemoryCounters(MemoryStorage):
    """The storage `memory://` of limits, for many threads. It takes the place of the library's own.

    limits 5.8 starts its timer without a lock: requests at the same moment start it twice, and fail.
    """

    STORAGE_SCHEME = ["memory"]  # noqa: RUF012 (as the library declares it)

    def __init__(self, uri: str | None = None, wrap_exceptions: bool = False, **options: str) -> None:
        self._one_at_a_time = Lock()
        super().__init__(uri, wrap_exceptions, **options)

    def incr(self, key: str, expiry: float, amount: int = 1) -> int:
        with self._one_at_a_time:
            return super().incr(key, expiry, amount)
