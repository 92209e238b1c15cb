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
from typing import BinaryIO

from blogsvc.lib.files.atomic_files import sync_directory

# On Windows, only administrators create links.
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINK
OTHERS = stat.S_IRWXG | stat.S_IRWXO
FOR_EVERYBODY = stat.S_ISVTX | stat.S_IWOTH


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
    """Open a new file with mode 0600 for writing. Raises FileExistsError, also for a link, and OSError."""
    return open(os.open(path, NEW, 0o600), "wb")


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
    with TemporaryDirectory(prefix=".blogsvc-", dir=target.parent) as directory:
        draft = Path(directory, "draft")
        with create(draft) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        draft.rename(target)
    sync_directory(target.parent)
