"""One line in the log when the database can't be used any more, and one when it can be used again.

The engine notes each error and each success here, whoever met it: a request, the scheduler, one of its lanes. Work in
the background logs with `log_failure` (background_errors.py), which leaves these errors out.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock
from time import monotonic

from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext

from blogsvc.models.database import is_full, is_lost

log = logging.getLogger(__name__)

# Seconds without an error after which a connection that works shows that the database is back: a server that stops
# closes one connection after the other.
CALM = 1.0
# Seconds without an error after which the disk is not full any more: it may have room for some rows and not for others.
FULL_CALM = 30.0
MAX_REASON = 300  # characters


class Outage:
    """Logs once that something began, and once that it is over. Times are seconds of a clock that can't be set."""

    def __init__(self, begin_message: str, end_message: str, steady: Callable[[], float] = monotonic) -> None:
        self.begin_message, self.end_message, self.steady = begin_message, end_message, steady
        self.began_at: float | None = None
        self.last_error_at = 0.0
        self._lock = Lock()

    @property
    def is_on(self) -> bool:
        return self.began_at is not None

    def begin(self, reason: str) -> None:
        """Note an error. Logs the first one."""
        with self._lock:
            self.last_error_at = self.steady()
            if self.is_on:
                return
            self.began_at = self.last_error_at
        log.error("%s: %s", self.begin_message, " ".join(reason.split())[:MAX_REASON])

    def end(self, *, calm: float = 0.0) -> None:
        """Note a success that counts if the last error is at least `calm` seconds ago. Logs the first one."""
        if not self.is_on:  # without the lock, because almost every call ends here
            return
        with self._lock:
            now, began_at = self.steady(), self.began_at
            if began_at is None or now - self.last_error_at < calm:
                return
            self.began_at = None
        log.warning("%s after %.1f s", self.end_message, now - began_at)


class Outages:
    """What can be wrong with the database of one engine."""

    def __init__(self) -> None:
        self.lost = Outage("the connection to the database is lost", "the connection to the database is back")
        self.full = Outage("the database can't be written", "the database can be written again")

    @property
    def is_any_on(self) -> bool:
        return self.lost.is_on or self.full.is_on

    def note(self, context: ExceptionContext) -> None:
        error = context.sqlalchemy_exception
        if error is None or context.is_pre_ping:  # an idle connection that was closed is replaced silently
            return
        if is_lost(error):
            self.lost.begin(str(error.orig))
        elif is_full(error):
            self.full.begin(str(error.orig))


def report_outages(engine: Engine) -> None:
    """Log when the database of this engine can't be reached or written, and when that is over."""
    outages = Outages()
    event.listen(engine, "handle_error", outages.note)
    event.listen(engine, "checkout", lambda *_: outages.lost.end(calm=CALM))
    engine.update_execution_options(blogsvc_outages=outages)


def outages_of(engine: Engine) -> Outages:
    """Return what `report_outages` has noted."""
    outages: Outages = engine.get_execution_options()["blogsvc_outages"]
    return outages
