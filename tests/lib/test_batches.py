"""Items of several threads are processed together, and each thread gets its own result."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from blogsvc.lib.batches import Batches
from tests.clock import wait_until


def test_items_that_come_meanwhile_are_the_next_batch() -> None:
    batches: Batches[int, int] = Batches()
    seen: list[list[int]] = []
    has_begun, can_end = Event(), Event()

    def doubled(items: list[int]) -> list[int]:
        seen.append(items)
        has_begun.set()
        assert can_end.wait(30)
        return [item * 2 for item in items]

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(batches.run, 1, doubled)
        assert has_begun.wait(30)
        others = [pool.submit(batches.run, item, doubled) for item in (2, 3, 4)]
        wait_until(lambda: len(batches.waiting) == 3)
        can_end.set()
        assert [each.result(30) for each in (first, *others)] == [2, 4, 6, 8]
    assert [sorted(batch) for batch in seen] == [[1], [2, 3, 4]]


def test_an_error_reaches_every_thread_of_the_batch_and_no_later_one() -> None:
    batches: Batches[int, int] = Batches()
    has_begun, can_end = Event(), Event()

    def fail(items: list[int]) -> list[int]:
        has_begun.set()
        assert can_end.wait(30)
        raise ValueError(len(items))

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(batches.run, 1, fail)
        assert has_begun.wait(30)
        others = [pool.submit(batches.run, item, fail) for item in (2, 3)]
        wait_until(lambda: len(batches.waiting) == 2)
        can_end.set()
        errors = [str(each.exception(30)) for each in (first, *others)]
    assert errors == ["1", "2", "2"]
    assert batches.run(5, lambda items: items) == 5


def test_a_batch_without_a_result_for_each_item_is_an_error() -> None:
    with pytest.raises(ValueError, match="zip"):
        Batches[int, int]().run(1, lambda _items: [])
