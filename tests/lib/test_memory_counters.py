"""Counters in memory count the requests of many threads."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from limits.storage import storage_from_string

from blogsvc.lib.memory_counters import MemoryCounters

THREADS, ROUNDS = 8, 300


@pytest.fixture
def often_switching() -> Iterator[None]:
    """Let threads take turns as often as possible."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("often_switching")
def test_requests_at_the_same_moment_are_all_counted() -> None:
    counters = storage_from_string("memory://")
    assert isinstance(counters, MemoryCounters)
    together = threading.Barrier(THREADS, timeout=30)

    def count(_number: int) -> None:
        for _ in range(ROUNDS):
            together.wait()
            counters.timer.join()  # so that the next request starts it again
            together.wait()
            counters.incr("requests", 60)

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(count, range(THREADS)))
    assert counters.get("requests") == THREADS * ROUNDS
