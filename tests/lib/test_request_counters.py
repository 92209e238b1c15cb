"""Counters of requests count those of many threads, and with Redis those of many processes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from limits import RateLimitItemPerHour
from limits.storage import storage_from_string

from blogsvc.lib.request_counters import MemoryCounters, RequestLimiter
from tests.cluster.brokers import own_broker

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


def test_processes_with_one_redis_share_a_limit_until_it_fails() -> None:
    limit = RateLimitItemPerHour(2)
    with own_broker("redis") as broker:
        one, two, alone = RequestLimiter(broker.url), RequestLimiter(broker.url), RequestLimiter("")
        assert [each.hit(limit, "Ann") for each in (one, two, one, two)] == [True, True, False, False]
        assert not two.test(limit, "Ann")
        assert two.test(limit, "Bo")
        assert alone.test(limit, "Ann")
        broker.kill()
        assert [one.hit(limit, "Ann") for _ in range(3)] == [True, True, False]
        assert two.test(limit, "Ann")
        for each in (one, two):
            each.storage.storage.close()  # type: ignore[union-attr]
