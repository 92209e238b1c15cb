"""Tell apart the processes of an instance, and find out which of them have ended.

A process holds a lock on a file of its own for as long as it lives. The system releases the lock when the process ends,
even after `kill -9`. So a file that can be locked belongs to a process that has ended.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from blogsvc.lib.files import private_files
from blogsvc.lib.files.private_files import NO_LINK


class ProcessLock:
    """A name for this process, unique among those that share the folder."""

    def __init__(self, folder: Path) -> None:
        self.name = token_hex(8)
        private_files.make_directory(folder)
        opened = private_files.create(folder / self.name)
        self.release = weakref.finalize(self, opened.close)
        with suppress(OSError):
            _lock(opened.fileno(), wait=True)  # another process may look at the file just now


def ended_processes(folder: Path) -> list[str]:
    """Return the names of the processes that have ended. Call `forget` when nothing refers to a name any more."""
    names = []
    for path in folder.glob("*"):
        with suppress(OSError), path.open() as file:
            _lock(file.fileno())
            names.append(path.name)
    return names


def forget(folder: Path, names: list[str]) -> None:
    for name in names:
        (folder / name).unlink(missing_ok=True)


@contextmanager
def held(path: Path, *, shared: bool = False, waits: bool = False) -> Iterator[int]:
    """Hold the lock on a file, which is created if necessary, and yield its descriptor. Several processes can hold
    a `shared` one.

    Raises BlockingIOError if another process is in the way, unless it `waits`. On Windows, which has no such locks,
    this never raises.
    """
    opened = os.open(path, os.O_CREAT | os.O_RDWR | NO_LINK, 0o600)
    try:
        with suppress(ImportError):
            from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, flock

            flock(opened, (LOCK_SH if shared else LOCK_EX) | (0 if waits else LOCK_NB))
        yield opened
    finally:
        os.close(opened)


def _lock(file: int, *, wait: bool = False) -> None:
    """Lock a file until it is closed. Raises OSError if another process holds the lock, unless told to wait for it.

    Windows has no such locks: there, no process is ever known to have ended, and its leases expire.
    """
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError as error:
        raise OSError from error
    flock(file, LOCK_EX if wait else LOCK_EX | LOCK_NB)
