"""A cache with a size limit that evicts the least recently used entry."""

from __future__ import annotations

from blogsvc.lib.bounded_cache import BoundedCache, VersionedCache, total_length


def test_the_least_recently_used_entry_is_evicted() -> None:
    memory = BoundedCache[str, str](33, total_length)
    for name in "abc":
        assert memory.put(name, "x" * 10) == "x" * 10
    assert memory.get("a")
    memory.put("d", "x" * 10)

    assert memory.get("a")
    assert memory.get("b") is None
    assert len(memory) == 3


def test_an_entry_over_the_total_size_is_not_kept_and_a_replacement_counts_once() -> None:
    memory = BoundedCache[str, str](33, total_length)
    memory.put("a", "x" * 20)
    memory.put("a", "x" * 25)
    assert memory.get("a") == "x" * 25
    memory.put("huge", "x" * 100)
    assert len(memory) == 0


def test_a_long_key_counts_as_much_as_a_long_value() -> None:
    memory = BoundedCache[str, str](1000, total_length)
    for number in range(1000):
        memory.put(f"{number}".zfill(400), "x")
    assert len(memory) == 2


def test_the_newest_version_of_a_thing_takes_the_place_of_the_earlier_one() -> None:
    cache = VersionedCache[str, str](110, total_length)
    for number in range(1000):
        cache.put("post", f"v{number}", "x" * 60)
    assert len(cache) == 1
    assert (cache.get("post", "v999"), cache.get("post", "v998")) == ("x" * 60, None)
    assert cache.put("other", "v1", "y" * 60) == "y" * 60
    assert (cache.get("post", "v999"), cache.get("other", "v1")) == (None, "y" * 60)
