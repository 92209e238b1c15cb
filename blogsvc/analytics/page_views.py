"""Count page views on this blog, without cookies and without storing who visited.

Each application collects views in memory and writes them in batches, so that no reader waits for the disk. Equal views
are counted together. Memory is bounded: a reader who finds the buffer full writes it, unless something else is writing.
Views beyond the limits of a visitor or a network don't count (`view_limits.py`).

A visitor is a hash with a salt that changes daily. Old salts are deleted, so visitors can't be identified or followed
across days.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import islice
from threading import Lock
from time import monotonic, sleep
from typing import NamedTuple

from blinker import Signal

from blogsvc.analytics.view_limits import ViewLimits
from blogsvc.context import InMemory
from blogsvc.errors import Busy
from blogsvc.models import Setting, nouns, transaction
from blogsvc.models.database import BUSY_MESSAGE
from blogsvc.models.page_view import MAX_ROWS, NewView, add_views, of_existing_posts, row_count
from blogsvc.models.transactions import busy_timeout
from blogsvc.models.uncounted_views import note_uncounted

log = logging.getLogger(__name__)

views_waiting = Signal()
# When so many different views wait, the next reader writes them. Up to MAX_BATCH more may be in a batch by then.
MAX_WAITING = 10_000
# How many different views are written in one transaction, while others can't write.
MAX_BATCH = 1_000
# The pause between two of them, in which others can write.
PAUSE_SECONDS = 0.05
# How long a report waits for other writers.
REPORT_SECONDS = 0.5
# How many written batches the database remembers. Each process has at most one whose outcome it does not know.
REMEMBERED_BATCHES = 64
LIMIT_REACHED = (
    "a visitor or a network has reached its limit of page views for today; if readers come through a proxy, check"
    " BLOGSVC_TRUSTED_PROXIES"
)


class View(NamedTuple):
    """A view of a page. Views of one minute that are equal are counted together."""

    post_id: str | None
    minute: datetime
    # A hash of who read, without a salt: the view is salted when it is written.
    reader: bytes | None
    referrer: str | None


@dataclass(frozen=True)
class Batch:
    """Views that are written together. The token tells whether a batch was written, if its commit was interrupted."""

    token: str
    views: Counter[View]
    refused: Counter[datetime]


@dataclass
class Buffer:
    """The views of one application that are not written yet, and the salts of the last batch by day."""

    views: Counter[View] = field(default_factory=Counter)
    # The number of views beyond the limits, by minute.
    refused: Counter[datetime] = field(default_factory=Counter)
    limits: ViewLimits = field(default_factory=ViewLimits)
    # The batch being written. It stays until it is known to be written.
    batch: Batch | None = None
    salts: dict[date, str] = field(default_factory=dict)
    adding: Lock = field(default_factory=Lock)
    flushing: Lock = field(default_factory=Lock)

    def add(self, view: View) -> bool:
        """Add a view. Returns True if it is the first that waits."""
        with self.adding:
            is_first = not (self.views or self.refused)
            self.views[view] += 1
            return is_first

    def refuse(self, view: View) -> bool:
        """Add a view that does not count. Returns True if it is the first that waits."""
        with self.adding:
            is_first = not (self.views or self.refused)
            self.refused[view.minute] += 1
            return is_first

    def next_batch(self) -> Batch | None:
        """Return the batch that could not be written the last time, or views that wait as a new batch."""
        with self.adding:
            if self.batch is None and (self.views or self.refused):
                first = Counter(dict(islice(self.views.items(), MAX_BATCH)))
                for view in first:
                    del self.views[view]
                self.batch = Batch(secrets.token_hex(8), first, self.refused)
                self.refused = Counter()
            return self.batch

    @contextmanager
    def one_flush(self, seconds: float) -> Iterator[None]:
        """Allow one flush at a time. Raises Busy after this time."""
        if not self.flushing.acquire(timeout=seconds):
            raise Busy(BUSY_MESSAGE)
        try:
            yield
        finally:
            self.flushing.release()


_buffer = InMemory(lambda _tools: Buffer())


@dataclass(frozen=True)
class Outside:
    """Where to record views while no application is active, which takes longer to activate than to record a view."""

    buffer: Buffer
    # Makes the application active, in which the views are written.
    activate: Callable[[], AbstractContextManager[object]]

    @classmethod
    def of(cls, activate: Callable[[], AbstractContextManager[object]]) -> Outside:
        """Return that of the application that is active now."""
        return cls(_buffer(), activate)


def record_view(
    post_id: str | None,
    address: str,
    agent: str,
    referrer: str | None,
    can_count_visitor: bool,
    now: datetime,
    outside: Outside | None = None,
) -> None:
    """Record a page view. Never waits for another writer.

    Raises Busy if the buffer is full and the database cannot be written now.

    Args:
        address: With `agent`, identifies a visitor for one day; neither is stored.
        can_count_visitor: False for Do Not Track and Global Privacy Control.
        outside: To be given if no application is active.
    """
    reader = hashlib.sha256(f"{address}|{agent}".encode()).digest() if can_count_visitor else None
    view = View(post_id, now.replace(second=0, microsecond=0), reader, referrer)
    buffer = _buffer() if outside is None else outside.buffer
    if not buffer.limits.allow(post_id, address, reader, now.date()):
        if buffer.refuse(view):
            views_waiting.send()
        return
    if len(buffer.views) >= MAX_WAITING:
        _flush_at_once(outside)
    is_first = buffer.add(view)
    if not views_waiting.receivers:
        with suppress(Busy):  # the next reader writes them
            _flush_at_once(outside)  # nothing will write them later
    elif is_first:
        views_waiting.send()


def _flush_at_once(outside: Outside | None) -> None:
    with nullcontext() if outside is None else outside.activate():
        flush_views(waits=False)


def flush_for_report() -> None:
    """Write the collected views, so that the figures of a report include them.

    Waits a moment if something else is writing, such as the scheduler, which may be writing these views. After that,
    the report goes without the views of the last second.
    """
    end = monotonic() + REPORT_SECONDS
    while True:
        try:
            return flush_views(waits=False)
        except Busy:
            if monotonic() > end:
                return None
            sleep(REPORT_SECONDS / 20)


def flush_views(*, waits: bool = True) -> None:
    """Write the collected views. If that raises Busy, they are kept for the next call.

    Without `waits`, it is Busy at once if something else is writing.
    """
    buffer = _buffer()
    with buffer.one_flush(busy_timeout() if waits else 0):
        # The batch that could not be written the last time, and the views that came since.
        for number in range(2 + len(buffer.views) // MAX_BATCH):
            if number and waits:
                sleep(PAUSE_SECONDS)
            if (batch := buffer.next_batch()) is None:
                return
            _write(batch, waits)
            buffer.batch = None


def _write(batch: Batch, waits: bool) -> None:
    """Write a batch unless it was written before: the connection may have been lost after an earlier commit."""
    with transaction(nouns.VIEWS, waits=waits):
        written = Setting.read("view_batches")
        if batch.token in written:
            return
        Setting.write("view_batches", [*written, batch.token][-REMEMBERED_BATCHES:])
        if batch.refused and note_uncounted("limit", batch.refused.total(), max(batch.refused)):
            log.warning(LIMIT_REACHED)
        if rows := _below_ceiling(of_existing_posts([_row(view, count) for view, count in batch.views.items()])):
            salts = _salts({row["viewed_at"].date() for row in rows})
            add_views([_salted(row, salts[row["viewed_at"].date()]) for row in rows])


def _below_ceiling(rows: list[NewView]) -> list[NewView]:
    """Return the rows for which the table has room, and note the others."""
    room = max(0, MAX_ROWS - row_count())
    if beyond := rows[room:]:
        last = max(row["viewed_at"] for row in beyond)
        if note_uncounted("ceiling", sum(row["views"] for row in beyond), last):
            log.warning("the table of page views is full: views are not counted; run `blogsvc doctor`")
    return rows[:room]


def _row(view: View, count: int) -> NewView:
    post_id, minute, reader, referrer = view
    return {"post_id": post_id, "viewed_at": minute, "visitor": reader, "referrer": referrer, "views": count}


def _salted(row: NewView, salt: str) -> NewView:
    visitor = row["visitor"] and hashlib.sha256(salt.encode() + row["visitor"]).digest()[:16]
    return {**row, "visitor": visitor}


def _salts(days: Collection[date]) -> dict[date, str]:
    """Return the salts of these days. All processes share the newest one through the database."""
    stored = Setting.read("visitor_salt")
    shared = {date.fromisoformat(stored["day"]): stored["salt"]} if stored else {}
    known = _buffer().salts | shared
    salts = _buffer().salts = {day: known.get(day) or secrets.token_hex(16) for day in days}
    newest = max(days)
    # The last views of a day may come after another process has begun the next day.
    if newest not in shared and newest + timedelta(days=1) not in shared:
        Setting.write("visitor_salt", {"day": newest.isoformat(), "salt": salts[newest]})
    return salts
