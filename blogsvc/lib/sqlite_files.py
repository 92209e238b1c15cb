"""A SQLite database as files: its side files, and whether SQLite can read it without errors."""

from __future__ import annotations

import sqlite3
from pathlib import Path

# The write-ahead log, its index, and the rollback journal.
SUFFIXES = ("-wal", "-shm", "-journal")


def side_files(database: Path) -> list[Path]:
    """Return the side files that exist beside a database file, which itself may be missing."""
    return [path for suffix in SUFFIXES if (path := database.with_name(database.name + suffix)).exists()]


def first_error(connection: sqlite3.Connection) -> str | None:
    """Return the first error that SQLite finds in the whole database, or None. Reads all of it."""
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else str(found).removeprefix("*** in database main ***\n").replace("\n", "; ")
