"""A deadline for the current thread, over all network operations."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar


class Deadline:
    """The time by which the current request, and the attempt that it belongs to, must end.

    It applies to all waits together, so a slow server cannot extend it.
    """

    _at: ContextVar[float] = ContextVar("deadline")
    _half: ContextVar[float] = ContextVar("half_of_the_time")

    @classmethod
    @contextlib.contextmanager
    def within(cls, seconds: float) -> Iterator[None]:
        """Limit the block to this many seconds, or to an outer deadline if that is earlier."""
        now = time.monotonic()
        token = cls._at.set(end := min(now + seconds, cls._at.get(float("inf"))))
        half = cls._half.set((now + end) / 2)
        try:
            yield
        finally:
            cls._half.reset(half)
            cls._at.reset(token)

    @classmethod
    def is_half_over(cls) -> bool:
        """Return True if half of the time has passed. False without a deadline."""
        return time.monotonic() >= cls._half.get(float("inf"))

    @classmethod
    def cap(cls, timeout: float | None, error: type[Exception]) -> float:
        """Return the smaller of the timeout and the time left, in seconds. Raises `error` if no time is left."""
        left = cls._at.get(float("inf")) - time.monotonic()
        if left <= 0:
            raise error("time is over")
        return left if timeout is None else min(left, timeout)
