"""Count the uses of redirects and the requests for missing addresses.

Each application collects the counts in memory and writes them in batches, as it does with page views, so that no reader
waits for the disk and a flood of requests costs few writes. Memory is bounded: what is new to a full buffer isn't
counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from threading import Lock

from blinker import Signal
from sqlalchemy import bindparam, update

from blogsvc.context import InMemory
from blogsvc.errors import Busy, Unsure
from blogsvc.models import Redirect, nouns, transaction
from blogsvc.models.database import BUSY_MESSAGE
from blogsvc.models.missing_address import Requests, add_requests
from blogsvc.models.transactions import busy_timeout, execute_write
from blogsvc.posts.old_addresses import OF_SERVICE, normalized

counts_waiting = Signal()
# How many different addresses and redirects wait at most, each.
MAX_WAITING = 2_000
# What programs that look for weak spots ask for, and what browsers ask for by themselves.
_PROBE = re.compile(
    r"\.(?:php\d?|aspx?|jsp|cgi|sql|bak|env)$|/\.|^/(?:wp-(?:admin|json|includes)|cgi-bin|vendor|phpmyadmin)\b"
    r"|^/apple-touch-icon",
    re.IGNORECASE,
)


@dataclass
class Counts:
    """Uses of redirects by id and day, and requests for missing addresses by path."""

    uses: Counter[tuple[str, date]] = field(default_factory=Counter)
    requests: dict[str, Requests] = field(default_factory=dict)

    def is_empty(self) -> bool:
        return not (self.uses or self.requests)


@dataclass
class Buffer:
    """What one application has counted and not written yet."""

    waiting: Counts = field(default_factory=Counts)
    # What could not be written the last time.
    batch: Counts | None = None
    adding: Lock = field(default_factory=Lock)
    flushing: Lock = field(default_factory=Lock)

    def next_batch(self) -> Counts | None:
        with self.adding:
            if self.batch is None and not self.waiting.is_empty():
                self.batch, self.waiting = self.waiting, Counts()
            return self.batch


_buffer = InMemory(lambda _tools: Buffer())


def count_use(redirect_id: str, day: date) -> None:
    """Count a use of a redirect. Never waits for another writer."""

    def add(waiting: Counts) -> None:
        if (redirect_id, day) in waiting.uses or len(waiting.uses) < MAX_WAITING:
            waiting.uses[redirect_id, day] += 1

    _add(add)


def count_missing(path: str, referrer_host: str | None, day: date) -> None:
    """Count a request for an address without a page, unless only programs ask for it. Never waits for another writer.

    Args:
        path: decoded, with or without a slash at the end.
        referrer_host: the host of the page that links to the address, if it is known.
    """
    address = normalized(path)
    if not address or address.split("/")[1] in OF_SERVICE or _PROBE.search(address):
        return

    def add(waiting: Counts) -> None:
        if address in waiting.requests:
            waiting.requests[address].add(Requests(1, day, day, referrer_host))
        elif len(waiting.requests) < MAX_WAITING:
            waiting.requests[address] = Requests(1, day, day, referrer_host)

    _add(add)


def _add(add: Callable[[Counts], None]) -> None:
    buffer = _buffer()
    with buffer.adding:
        is_first = buffer.waiting.is_empty()
        add(buffer.waiting)
    if not counts_waiting.receivers:
        flush_at_once()  # nothing will write them later
    elif is_first:
        counts_waiting.send()


def flush_at_once() -> None:
    """Write what was counted, unless something else is writing."""
    with suppress(Busy):
        flush_counts(waits=False)


def flush_counts(*, waits: bool = True) -> None:
    """Write what was counted. If that raises Busy, it is kept for the next call.

    Without `waits`, it is Busy at once if something else is writing.
    """
    buffer = _buffer()
    if not buffer.flushing.acquire(timeout=busy_timeout() if waits else 0):
        raise Busy(BUSY_MESSAGE)
    try:
        for _ in range(2):  # what could not be written the last time, and what was counted since
            if (batch := buffer.next_batch()) is None:
                return
            with suppress(Unsure):  # rather too few than twice
                _write(batch, waits)
            buffer.batch = None
    finally:
        buffer.flushing.release()


def _write(batch: Counts, waits: bool) -> None:
    with transaction(nouns.VIEWS, waits=waits):
        if batch.uses:
            uses = [{"row": row_id, "uses": count, "day": day} for (row_id, day), count in sorted(batch.uses.items())]
            execute_write(_COUNT_USES, uses)
        if batch.requests:
            add_requests(batch.requests)


_COUNT_USES = (
    update(Redirect)
    .where(Redirect.id == bindparam("row"))
    .values(hit_count=Redirect.hit_count + bindparam("uses"), last_hit_on=bindparam("day"))
)
