"""The version of the public site as this process knows it, without a query for each request."""

from __future__ import annotations

from threading import Lock
from time import monotonic

from sqlalchemy import select
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError

from blogsvc.models.setting import DEFAULTS, Setting, site_has_changed

# A change by another process is noticed after this time at the latest, in seconds.
MAX_AGE = 0.25


class SiteVersion:
    """Remembers the version for a moment, and forgets it as soon as a transaction of this process has changed it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._changes = 0
        self._known: tuple[str, float] | None = None  # the version, and until when it is known
        site_has_changed.connect(self._forget)

    def is_current(self, version: str) -> bool:
        """Return True if this is the version. Also returns False if the database does not say."""
        try:
            return self.current() == version
        except SQLAlchemyError:
            return False

    def current(self) -> str:
        """Return the version. Content that is read from the database afterwards is of this version or a later one."""
        known = self._known
        return known[0] if known is not None and monotonic() < known[1] else self._read()

    def _read(self) -> str:
        changes, until = self._changes, monotonic() + MAX_AGE
        with self._engine.connect() as connection:
            stored = connection.scalar(select(Setting.value).where(Setting.name == "site_version"))
        version: str = DEFAULTS["site_version"] if stored is None else stored
        with self._lock:
            if changes == self._changes:  # otherwise, what was read may be older than the change
                self._known = (version, until)
        return version

    def _forget(self, _sender: object) -> None:
        with self._lock:
            self._changes += 1
            self._known = None
