"""Process what several threads bring in batches: while one batch is processed, the next one gathers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass
class _Item(Generic[T, R]):
    value: T
    result: R | None = None
    error: BaseException | None = None
    is_done: bool = False


@dataclass
class Batches(Generic[T, R]):
    """Batches of items that threads bring one by one. A thread that comes alone is a batch of its own."""

    waiting: list[_Item[T, R]] = field(default_factory=list)
    adding: Lock = field(default_factory=Lock)
    processing: Lock = field(default_factory=Lock)

    def run(self, value: T, process: Callable[[list[T]], list[R]]) -> R:
        """Process an item, together with those of other threads that wait, and return its own result.

        `process` returns one result per item, in the same order. All items of a batch raise what it raises.
        """
        item = _Item[T, R](value)
        with self.adding:
            self.waiting.append(item)
        with self.processing:
            if not item.is_done:  # else the thread before has processed it
                self._run_batch(process)
        if item.error is not None:
            raise item.error
        return item.result  # type: ignore[return-value]  # set with is_done

    def _run_batch(self, process: Callable[[list[T]], list[R]]) -> None:
        with self.adding:
            batch, self.waiting = self.waiting, []
        try:
            for item, result in zip(batch, process([item.value for item in batch]), strict=True):
                item.result = result
        except BaseException as error:
            for item in batch:
                item.error = error
        finally:
            for item in batch:
                item.is_done = True
