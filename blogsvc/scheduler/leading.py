"""Whether this scheduler leads those that share the database."""

from __future__ import annotations

from datetime import timedelta
from math import inf
from threading import Lock

from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.models.leadership import TERM, lead, leader, resign
from blogsvc.models.process import is_shared

# How often a leader renews its term: so often that a slow database or a missed tick does not end it.
RENEW_EVERY = TERM / 3


class Leading:
    """Leads if nobody else does. On SQLite, there is no other scheduler: a lock on a file sees to that."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._lock = Lock()
        self._renewed_at = -inf  # by the clock that can't be set

    def leads(self) -> bool:
        """Return True if this scheduler leads, after renewing its term if it is time to.

        Raises Busy if nobody leads, and this scheduler can't either.
        """
        if not is_shared():
            return True
        with self._lock:
            started_at, now = self._tools.steady(), self._tools.now()
            if started_at - self._renewed_at < RENEW_EVERY.total_seconds():
                return True
            other = leader(now)
            name = self._tools.process.name
            try:
                if (other is None or other.process == name) and lead(name, now):
                    self._renewed_at = started_at
                    return True
            except Busy:
                if started_at - self._renewed_at < RENEW_EVERY.total_seconds() * 2:
                    return True  # the term goes on for a while
                raise
            self._renewed_at = -inf
            return False

    def time_to_next(self) -> timedelta | None:
        """Return when to call `leads` again at the latest; None if it does not change."""
        if not is_shared():
            return None
        if self._renewed_at > -inf:
            return timedelta(seconds=self._renewed_at - self._tools.steady()) + RENEW_EVERY
        now = self._tools.now()
        other = leader(now)
        return other.until - now if other is not None else timedelta(0)

    def resign(self) -> None:
        """Let another scheduler lead at once, as this one ends."""
        if is_shared():
            with self._lock:
                self._renewed_at = -inf
                resign([self._tools.process.name], self._tools.now())
