"""Rate limit counters: they restart with each window, and expired ones are removed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from limits.storage import storage_from_string

from blogsvc.lib import rate_limit_storage
from blogsvc.lib.rate_limit_storage import CounterStorage


def test_limits_finds_the_storage_by_its_url() -> None:
    assert isinstance(storage_from_string("counters://"), CounterStorage)


def test_a_counter_counts_and_restarts_after_its_window() -> None:
    storage = CounterStorage()
    assert [storage.incr("a", 60) for _ in range(3)] == [1, 2, 3]
    assert storage.incr("b", 60) == 1
    assert storage.incr("over", -1) == storage.incr("over", -1) == 1
    assert storage.get("a") == 3
    assert storage.get("over") == 0


def test_threads_lose_no_count() -> None:
    storage = CounterStorage()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: storage.incr("a", 60), range(2000)))
    assert storage.get("a") == 2000


def test_expired_counters_are_removed() -> None:
    storage = CounterStorage()
    for number in range(rate_limit_storage.SWEEP_AT + 10):
        storage.incr(f"address {number}", -1)
    assert len(storage.counts) < rate_limit_storage.SWEEP_AT


def test_counters_can_be_cleared() -> None:
    storage = CounterStorage()
    storage.incr("a", 60)
    storage.incr("b", 60)
    storage.clear("a")
    assert (storage.get("a"), storage.get("b")) == (0, 1)
    assert storage.reset() == 1
    assert storage.get("b") == 0
