"""Files and directories that no other user can read, replace or plant, whatever the umask is."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import time
from typing import BinaryIO

from blogsvc.lib.files.atomic_files import sync_directory

# On Windows, only administrators create links.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | NO_LINK
OTHERS = stat.S_IRWXG | stat.S_IRWXO
FOR_EVERYBODY = stat.S_ISVTX | stat.S_IWOTH
WORK_FOLDER = ".blogsvc-"
NEW_FOR = 60  # seconds in which the process of a new work folder locks it


def make_directory(path: Path) -> None:
    """Create a directory with mode 0700, and take the rights of others from one that is there. Raises OSError."""
    _make_parents(path)
    path.mkdir(mode=0o700, exist_ok=True)
    close_directory(path)


def _make_parents(path: Path) -> None:
    """Create the missing directories above a path with mode 0700: who can rename one could replace what is in it."""
    for parent in reversed(path.parents):
        if not parent.exists():
            parent.mkdir(mode=0o700, exist_ok=True)


def close_directory(path: Path) -> None:
    """Take the rights of other users from a directory, if it is there and belongs to this user.

    A link keeps what it leads to, and a directory such as /tmp, which is made for everybody, keeps its mode.
    """
    with suppress(OSError):
        mode = path.lstat().st_mode
        if stat.S_ISDIR(mode) and mode & OTHERS and mode & FOR_EVERYBODY != FOR_EVERYBODY:
            path.chmod(0o700)


def is_open_to_others(path: Path) -> bool:
    """Return True if other users have rights to a file or directory. False if it is not there."""
    return path.exists() and bool(path.stat().st_mode & OTHERS)


def create(path: Path) -> BinaryIO:
    """Open a new file with mode 0600 for writing and reading. Raises FileExistsError, also for a link, and OSError."""
    return open(os.open(path, NEW, 0o600), "w+b")


def move(file: Path, target: Path) -> None:
    """Move a file, also to another file system, completely or not at all. Replaces the target. Raises OSError."""
    try:
        file.rename(target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with file.open("rb") as source, appearing(target) as out:
            shutil.copyfileobj(source, out)
        file.unlink()


@contextmanager
def appearing(target: Path) -> Iterator[BinaryIO]:
    """Yield a file that is moved to `target` when the block succeeds: complete, or not at all. Raises OSError.

    Until then it is in a directory of this user beside the target, whose name nobody can know before.
    """
    _make_parents(target)
    with work_folder(target.parent) as folder:
        draft = folder / "draft"
        with create(draft) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        draft.rename(target)
    sync_directory(target.parent)


@contextmanager
def work_folder(parent: Path) -> Iterator[Path]:
    """Yield a new directory, which is deleted at the end, or by `remove_abandoned` after this process was killed."""
    with TemporaryDirectory(prefix=WORK_FOLDER, dir=parent) as folder:
        opened = _locked(Path(folder))
        try:
            yield Path(folder)
        finally:
            if opened is not None:
                os.close(opened)


def remove_abandoned(parent: Path) -> None:
    """Delete the work folders of processes that were killed. On Windows, which has no such locks, they stay."""
    for folder in parent.glob(f"{WORK_FOLDER}*"):
        with suppress(OSError):
            is_new = time() - folder.stat().st_mtime < NEW_FOR
            if not is_new and (opened := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(opened)


def _locked(folder: Path) -> int | None:
    """Lock a directory and return its descriptor; None if another process has the lock, or there are no locks."""
    try:
        from fcntl import LOCK_EX, LOCK_NB, flock
    except ImportError:
        return None
    opened = os.open(folder, os.O_RDONLY | NO_LINK)
    try:
        flock(opened, LOCK_EX | LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened
