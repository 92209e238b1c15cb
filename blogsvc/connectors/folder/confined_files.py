"""Files in a directory that others write to, too: no path and no link leads out of it, also if it changes meanwhile.

Each directory is opened in the one above it without following links, and files are named relative to the open directory
(openat(2)), so nothing that is renamed or linked between a check and a write matters.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISREG

from blogsvc.lib.files.atomic_files import OutsideError, real_path, write_at

DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK  # a pipe without a writer doesn't block


@dataclass(frozen=True)
class ConfinedFiles:
    """The files below `root`. Paths are relative, with "/". Links that lead to other directories below it are followed.

    All methods raise OutsideError for a path or a link that leads out of `root` or to hidden files, and OSError.
    """

    root: Path

    def write(self, path: str, data: bytes) -> None:
        """Write a file atomically, and create its directories."""
        real_path(self.root, path)
        with self._directory(_parent(path), creates=True) as directory:
            write_at(directory, PurePosixPath(path).name, data)

    def read(self, path: str, max_bytes: int | None = None) -> bytes | None:
        """Return the content, of which at most `max_bytes` bytes, or None if there is no file."""
        real = real_path(self.root, path)
        try:
            with self._directory(_parent(str(real))) as directory:
                descriptor = os.open(real.name, FILE, dir_fd=directory)
        except FileNotFoundError:
            return None
        with open(descriptor, "rb") as file:
            if not S_ISREG(os.fstat(descriptor).st_mode):
                raise OutsideError(f"{real} is not a file. Remove it, or change the address of this post.")
            return file.read(max_bytes)

    def names(self, folder: str) -> set[str]:
        """Return the names in a directory, none if it is missing."""
        try:
            with self._directory(folder) as directory:
                return set(os.listdir(directory))
        except (FileNotFoundError, NotADirectoryError):
            return set()

    def remove(self, path: str) -> None:
        """Delete a file, and the parent directories below `root` that are then empty."""
        real_path(self.root, path)
        with suppress(FileNotFoundError), self._directory(_parent(path)) as directory:
            os.unlink(PurePosixPath(path).name, dir_fd=directory)
        for parent in PurePosixPath(path).parents[:-1]:
            with suppress(OSError), self._directory(_parent(str(parent))) as directory:  # not empty, or missing
                os.rmdir(parent.name, dir_fd=directory)

    @contextmanager
    def _directory(self, folder: str, *, creates: bool = False) -> Iterator[int]:
        """Open a directory."""
        parts = real_path(self.root, folder).parts if folder else ()
        descriptor = os.open(self.root.resolve(), DIRECTORY)
        try:
            for part in parts:
                outer = descriptor
                if creates:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=outer)
                descriptor = _opened(part, outer)
                os.close(outer)
            yield descriptor
        finally:
            os.close(descriptor)


def _opened(name: str, outer: int) -> int:
    try:
        return os.open(name, DIRECTORY, dir_fd=outer)
    except OSError as error:
        if error.errno == errno.ELOOP or (error.errno == errno.ENOTDIR and _is_link(name, outer)):
            raise OutsideError("A directory became a symbolic link while the post was written.") from error
        raise


def _is_link(name: str, outer: int) -> bool:
    try:
        return bool(os.readlink(name, dir_fd=outer))
    except OSError:
        return False


def _parent(path: str) -> str:
    parent = str(PurePosixPath(path).parent)
    return "" if parent == "." else parent
