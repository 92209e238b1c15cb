"""An in-memory cache with a size limit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sized
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


def total_length(*parts: Sized) -> int:
    """Weigh an entry by the length of its key and its value."""
    return sum(map(len, parts))


def equal_weight(_key: object, _thing: object) -> int:
    """Weigh all entries the same."""
    return 1


class BoundedCache(Generic[K, V]):
    """A thread-safe LRU cache. It evicts entries when their total weight exceeds `max_weight`.

    `weigh` gets the key and the value: a key that a client can choose takes memory, too.
    """

    def __init__(self, max_weight: int, weigh: Callable[[K, V], int]) -> None:
        self._max_weight, self._weigh = max_weight, weigh
        self._held, self._lock = 0, Lock()
        self._things: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        with self._lock:
            if key in self._things:
                self._things.move_to_end(key)
            return self._things.get(key)

    def put(self, key: K, thing: V) -> V:
        with self._lock:
            replaced = self._things.pop(key, None)
            self._things[key] = thing
            self._held += self._weigh(key, thing) - (self._weigh(key, replaced) if replaced is not None else 0)
            while self._held > self._max_weight:
                self._held -= self._weigh(*self._things.popitem(last=False))
        return thing

    def __len__(self) -> int:
        return len(self._things)


class VersionedCache(Generic[K, V]):
    """A cache of the newest version of each thing. Earlier versions would only fill it, as nobody asks for them."""

    def __init__(self, max_weight: int, weigh: Callable[[K, V], int]) -> None:
        self._newest: BoundedCache[K, tuple[str, V]] = BoundedCache(max_weight, lambda key, found: weigh(key, found[1]))

    def get(self, key: K, version: str) -> V | None:
        known, thing = self._newest.get(key) or (None, None)
        return thing if known == version else None

    def put(self, key: K, version: str, thing: V) -> V:
        return self._newest.put(key, (version, thing))[1]

    def __len__(self) -> int:
        return len(self._newest)
