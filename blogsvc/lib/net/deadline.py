"""When the work of this thread must be over, however many small waits it is made of."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar


class Deadline:
    """When the request of this thread, and the errand it is part of, must be over. A server that drips bytes cannot
    stretch it."""

    _at: ContextVar[float] = ContextVar("deadline")

    @classmethod
    @contextlib.contextmanager
    def within(cls, seconds: float) -> Iterator[None]:
        """What is done herein is over in so many seconds, or sooner where an outer deadline comes first."""
        token = cls._at.set(min(time.monotonic() + seconds, cls._at.get(float("inf"))))
        try:
            yield
        finally:
            cls._at.reset(token)

    @classmethod
    def cap(cls, timeout: float | None, error: type[Exception]) -> float:
        """The smaller of a timeout and what is left, in seconds. Raises `error` where nothing is."""
        left = cls._at.get(float("inf")) - time.monotonic()
        if left <= 0:
            raise error("time is over")
        return left if timeout is None else min(left, timeout)
