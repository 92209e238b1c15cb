"""A SQLite database as files: its side files, and whether SQLite can read it without errors."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from pathlib import Path

# The write-ahead log, its index, and the rollback journal.
SUFFIXES = ("-wal", "-shm", "-journal")
# See https://sqlite.org/fileformat.html.
HEADER_BYTES = 100
WAL_MAGIC = (bytes.fromhex("377f0682"), bytes.fromhex("377f0683"))
JOURNAL_MAGIC = bytes.fromhex("d9d505f920a163d7")


def side_files(database: Path) -> list[Path]:
    """Return the side files that exist beside a database file, which itself may be missing."""
    return [path for suffix in SUFFIXES if (path := database.with_name(database.name + suffix)).exists()]


def size_of(database: Path) -> int:
    """Return the bytes of a database file and its write-ahead log. Either may be missing.

    The log holds what was written since SQLite last copied it into the file: of a new database, nearly everything.
    """
    size = 0
    for path in (database, database.with_name(f"{database.name}-wal")):
        with suppress(FileNotFoundError):  # SQLite may delete the log at any time
            size += path.stat().st_size
    return size


def stray_side_files(database: Path) -> list[Path]:
    """Return the side files that belong to another database. SQLite would apply them, and destroy the database.

    Call it only before this process opens the database: on POSIX, closing one of these files ends all locks of the
    process on it, also those of SQLite, and then another process can damage the database. Assumes that the database
    uses a write-ahead log.
    """
    header = _head(database, HEADER_BYTES) if database.exists() else b""
    return [path for path in side_files(database) if _is_stray(path, _head(path, 12), header)]


def _is_stray(path: Path, head: bytes, header: bytes) -> bool:
    if not head:
        return False
    if len(header) < HEADER_BYTES:
        return True
    if path.name.endswith("-journal"):
        return head.startswith(JOURNAL_MAGIC)
    if path.name.endswith("-wal"):
        page_size = int.from_bytes(header[16:18], "big")
        sizes = {page_size if page_size > 1 else 65_536}  # 65,536 does not fit in two bytes and is stored as 1
        return head[:4] not in WAL_MAGIC or int.from_bytes(head[8:12], "big") not in sizes
    return False


def _head(path: Path, length: int) -> bytes:
    with path.open("rb") as file:
        return file.read(length)


def first_error(connection: sqlite3.Connection) -> str | None:
    """Return the first error that SQLite finds in the whole database, or None. Reads all of it."""
    try:
        (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if found == "ok" else str(found).removeprefix("*** in database main ***\n").replace("\n", "; ")
