"""How work in the background logs that it failed and is tried again."""

from __future__ import annotations

from logging import Logger

from blogsvc.models.base import db
from blogsvc.models.database import as_busy, is_outage
from blogsvc.models.outage import outages_of


def log_failure(log: Logger, error: BaseException, message: str, *args: object) -> None:
    """Log the error that ended a piece of work, with its traceback.

    If the database was only busy, without it. If it can't be reached or written, nothing: `outage` has logged that.
    """
    if (busy := as_busy(error)) is None:
        log.error(message, *args, exc_info=error)
    elif not (is_outage(error) or outages_of(db.engine).is_any_on):
        log.warning("%s: %s", message % args, busy)
