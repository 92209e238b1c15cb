"""The time of the database: the one clock that all processes on a PostgreSQL share, whatever their machines say."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from math import inf
from typing import Any, NamedTuple

from sqlalchemy import event
from sqlalchemy.engine import Engine

from blogsvc.lib.time import steady_seconds, utc_now

log = logging.getLogger(__name__)

# How often the database is asked, in seconds; when one of its connections is used.
ASK_EVERY = 5.0
# An answer that took longer, in seconds, counts only if there is no other one: by then, its time has passed.
SLOW_ANSWER = 0.1
# A smaller difference between the clocks is ordinary.
MIN_DIFFERENCE = timedelta(seconds=2)


class _Answer(NamedTuple):
    """What the database said the time is, and the seconds of the clock that can't be set at that moment."""

    at: datetime
    seconds: float


class DatabaseTime:
    """Returns the time of the database when it is called; that of the system until an engine is followed.

    Between two answers, a clock that can't be set counts on. So the time stays right when the system time is set, and
    while the database is away.
    """

    def __init__(self, system: Callable[[], datetime] = utc_now, steady: Callable[[], float] = steady_seconds) -> None:
        self._system, self._steady = system, steady
        self._answer: _Answer | None = None
        self._asked_at = -inf
        self._is_difference_logged = False

    def __call__(self) -> datetime:
        answer = self._answer
        return self._system() if answer is None else answer.at + timedelta(seconds=self._steady() - answer.seconds)

    def ahead(self) -> timedelta | None:
        """Return how far the system time is ahead of the database's, negative if behind; None if about right."""
        ahead = self._system() - self()
        return ahead if self._answer is not None and abs(ahead) >= MIN_DIFFERENCE else None

    def follow(self, engine: Engine) -> None:
        """Ask the database of this engine from now on, on the connections that are used anyway."""

        @event.listens_for(engine, "checkout")
        def _(connection: Any, *_: object) -> None:
            if self._steady() - self._asked_at >= ASK_EVERY:
                with suppress(Exception):  # a lost connection is reported by the statement that needs it
                    self._ask(connection)

    def _ask(self, connection: Any) -> None:
        before = self._asked_at = self._steady()
        connection.autocommit = True  # else it asks for a transaction first, which takes time
        try:
            (at,) = connection.execute("SELECT clock_timestamp()").fetchone()
        finally:
            connection.autocommit = False
        after = self._steady()
        if self._answer is None or after - before <= SLOW_ANSWER:
            self._answer = _Answer(at.astimezone(UTC), after)  # rather a little late than early
            self._log_difference()

    def _log_difference(self) -> None:
        ahead = self.ahead()
        if ahead is not None and not self._is_difference_logged:
            seconds = ahead.total_seconds()
            side = "ahead of" if seconds > 0 else "behind"
            log.warning("the system time is %.0f s %s the database's, which counts; set this one", abs(seconds), side)
        elif ahead is None and self._is_difference_logged:
            log.info("the system time is that of the database again")
        self._is_difference_logged = ahead is not None


def ahead_of_database(now: Callable[[], datetime]) -> timedelta | None:
    """Return how far the system time is ahead of the database's, negative if behind; None if it is about right.

    `now` is what gives blogsvc the time. If that is not the database, it can't differ from it.
    """
    return now.ahead() if isinstance(now, DatabaseTime) else None
