"""Parts of sequences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of this length, the last of which may be shorter."""
    rest = iter(items)
    while some := list(islice(rest, size)):
        yield some
