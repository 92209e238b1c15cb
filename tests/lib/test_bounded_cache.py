"""A cache with a size limit that evicts the least recently used entry."""

from __future__ import annotations

from blogsvc.lib.bounded_cache import BoundedCache


def test_the_least_recently_used_entry_is_evicted() -> None:
    memory = BoundedCache[str, str](30, len)
    for name in "abc":
        assert memory.put(name, "x" * 10) == "x" * 10
    assert memory.get("a")
    memory.put("d", "x" * 10)

    assert memory.get("a")
    assert memory.get("b") is None
    assert len(memory) == 3


def test_an_entry_over_the_total_size_is_not_kept_and_a_replacement_counts_once() -> None:
    memory = BoundedCache[str, str](30, len)
    memory.put("a", "x" * 20)
    memory.put("a", "x" * 25)
    assert memory.get("a") == "x" * 25
    memory.put("huge", "x" * 100)
    assert len(memory) == 0
