"""How work in the background copes with a database that is busy or away."""

from __future__ import annotations

from collections.abc import Callable
from logging import Logger
from time import monotonic, sleep

from blogsvc.errors import Busy
from blogsvc.models.base import db
from blogsvc.models.database import as_busy, is_outage
from blogsvc.models.outage import outages_of

# How long a write that must not be lost waits for the database. Seconds.
LONGEST_OUTAGE = 3600.0


def log_failure(log: Logger, error: BaseException, message: str, *args: object) -> None:
    """Log the error that ended a piece of work, with its traceback.

    Leaves the traceback out if the database was only busy. Logs nothing during an outage, which `outage` has logged.
    """
    if (busy := as_busy(error)) is None:
        log.error(message, *args, exc_info=error)
    elif not (is_outage(error) or outages_of(db.engine).is_any_on):
        log.warning("%s: %s", message % args, busy)


def retry_write(write: Callable[[], None], seconds: float) -> None:
    """Run a write that must not be lost, and retry it while the database is busy or away.

    Raises Busy if that takes more than `seconds`. Time in which the database is away or full does not count, up to
    LONGEST_OUTAGE.
    """
    begin = monotonic()
    end = begin + seconds
    while True:
        try:
            return write()
        except Busy:
            now = monotonic()
            if outages_of(db.engine).is_any_on and now - begin < LONGEST_OUTAGE:
                end = now + seconds
            elif now > end:
                raise
            sleep(0.1)
