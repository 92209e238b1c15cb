"""Whether anything in the database has changed."""

from __future__ import annotations

import sqlite3
import weakref
from threading import Lock

from sqlalchemy import text
from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError


class DataVersion:
    """The version of everything in the database. On PostgreSQL there is none.

    SQLite counts the commits of other connections (PRAGMA data_version). This connection is only for asking, so every
    commit is that of another one, in this process or elsewhere. Asking takes a few microseconds and waits for nobody.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = Lock()
        self._connection: sqlite3.Connection | None = None
        if engine.dialect.name == "sqlite":
            self._connection = sqlite3.connect(
                str(engine.url.database), isolation_level=None, check_same_thread=False, timeout=0
            )
            weakref.finalize(self, self._connection.close)

    def current(self) -> int | None:
        """Return a number that is the same as long as nothing changes; None if the database does not say.

        Content that is read afterwards is of this version or a later one.
        """
        if self._connection is None:
            return None
        try:
            with self._lock:
                return int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        except sqlite3.Error:
            return None

    def state(self) -> str | None:
        """Return a text that differs after each commit of any process; None if that is not known.

        On PostgreSQL this is a query. There the text also differs after transactions that were rolled back, and after
        those of other databases of the server.
        """
        if self._connection is not None:
            version = self.current()
            return None if version is None else str(version)
        try:
            with self._engine.connect() as connection:
                return str(connection.scalar(text("SELECT pg_current_snapshot()::text")))
        except SQLAlchemyError:
            return None
