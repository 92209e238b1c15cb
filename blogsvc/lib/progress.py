"""How long work reports its progress."""

from __future__ import annotations

from collections.abc import Callable

# Called with the number of steps that are done, and of all steps.
Report = Callable[[int, int], None]


def silent(_done: int, _all: int) -> None:
    """Report nothing."""
