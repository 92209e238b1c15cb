"""Files that all processes of an installation read: in a directory, or in an S3-compatible store.

A file has a name such as "media/ferry-7k3m9q2xvb.jpg", and never changes after it was stored. Who reads one gets a
local file, so that readers need not know where it is kept.
"""

from __future__ import annotations

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from blogsvc.lib.files import atomic_files, private_files


class StoredFile(NamedTuple):
    """A file in the storage: its name, its size in bytes, and when it was stored, in seconds since 1970."""

    name: str
    size: int
    stored_at: float


class Storage(ABC):
    """Where files are kept. `folder` is the local directory of files that are kept, or of copies of them."""

    # True if the files are kept elsewhere, and `folder` has only copies.
    is_remote: bool

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, name: str) -> Path:
        """Return the path of the local file, which may not be there. Write a new file there, then `store` it."""
        return self.folder / name

    def write(self, name: str, data: bytes) -> None:
        """Store a file with this content, completely or not at all. Raises OSError and Busy."""
        path = self.place(name)
        private_files.make_directory(path.parent)
        atomic_files.write(path, data, mode=0o600)
        self.store(name)

    def close(self) -> None:  # noqa: B027 (a directory has nothing to close)
        """End the connections to a store. They begin anew with the next use."""

    @abstractmethod
    def store(self, name: str) -> None:
        """Store the file that was written at its place. Raises OSError and Busy."""

    @abstractmethod
    def local(self, name: str) -> Path | None:
        """Return a local file with the content, or None if there is no such file. Raises OSError and Busy."""

    @abstractmethod
    def names(self, prefix: str) -> list[str]:
        """Return the names that start with "DIRECTORY/" and the given characters, sorted. Raises Busy."""

    @abstractmethod
    def files(self, directory: str) -> Iterator[StoredFile]:
        """Yield the files of a directory and those below it. Raises Busy."""

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Remove files. One that is missing is no error. Raises OSError and Busy."""

    @abstractmethod
    def remove_directory(self, directory: str) -> None:
        """Remove a directory with everything below it, as far as possible. Raises Busy."""


class FolderStorage(Storage):
    """Files in a directory of this machine, or in one that machines share."""

    is_remote = False

    def store(self, name: str) -> None:
        """Do nothing: the file is where it is kept."""

    def local(self, name: str) -> Path | None:
        path = self.place(name)
        return path if path.is_file() else None

    def names(self, prefix: str) -> list[str]:
        directory, _, start = prefix.rpartition("/")
        with suppress(FileNotFoundError):
            names = os.listdir(self.folder / directory)
            return sorted(f"{directory}/{name}" for name in names if name.startswith(start))
        return []

    def files(self, directory: str) -> Iterator[StoredFile]:
        for parent, _, names in os.walk(self.folder / directory):
            for name in names:
                path = Path(parent, name)
                with suppress(FileNotFoundError):  # it is being written, or was removed
                    found = path.stat()
                    yield StoredFile(path.relative_to(self.folder).as_posix(), found.st_size, found.st_mtime)

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self.place(name).unlink(missing_ok=True)

    def remove_directory(self, directory: str) -> None:
        shutil.rmtree(self.folder / directory, ignore_errors=True)


@cache
def open_storage(url: str, folder: Path) -> Storage:
    """Return the storage at a URL, or that in the directory if the URL is not of a store.

    Args:
        url: s3://BUCKET/PREFIX, or anything else.
        folder: the directory of the files, or for copies of them.
    """
    if not url.startswith("s3://"):
        return FolderStorage(folder)
    from blogsvc.lib.storage.s3 import S3Storage

    return S3Storage(url, folder)


os.register_at_fork(after_in_child=open_storage.cache_clear)  # processes can't share the connections of a client
