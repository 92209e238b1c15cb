"""Files that all processes of an installation read: in a directory, or in an S3-compatible store.

A file has a name such as "media/ferry-7k3m9q2xvb.jpg", and never changes after it was stored. Readers get a local file,
so that they need not know where it is kept.
"""

from __future__ import annotations

import os
import shutil
import stat
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from blogsvc.lib.files import atomic_files, private_files
from blogsvc.lib.setting_checks import BadSetting

IDENTITY_FILE = ".storage-id"


class StoredFile(NamedTuple):
    """A file in the storage: its name, its size in bytes, and when it was stored, in seconds since 1970."""

    name: str
    size: int
    stored_at: float

    @property
    def file_name(self) -> str:
        """The last segment of the name."""
        return self.name.rpartition("/")[2]


class Storage(ABC):
    """Where files are kept. `folder` is the local directory of files that are kept, or of copies of them."""

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
        """Return the names that start with "DIRECTORY/" and the given characters, sorted. Raises OSError and Busy."""

    @abstractmethod
    def files(self, directory: str, *, below: bool = False) -> Iterator[StoredFile]:
        """Yield the files of a directory, or those below it in directories of their own. Raises OSError and Busy."""

    @abstractmethod
    def remove(self, names: Iterable[str]) -> None:
        """Remove files. One that is missing is no error. Raises OSError and Busy."""

    @abstractmethod
    def remove_directory(self, directory: str) -> None:
        """Remove a directory with everything below it, as far as possible. Raises Busy."""

    @abstractmethod
    def identity(self) -> str:
        """Return a text that is the same on all machines that have these files, and differs on others.

        Raises OSError, or an error of a store's client, if this machine can't tell.
        """

    @abstractmethod
    def require_usable(self) -> None:
        """Raise BadSetting if the settings of the storage can't be right. Files may be missing all the same."""


class FolderStorage(Storage):
    """Files in a directory of this machine, or in one that machines share."""

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

    def files(self, directory: str, *, below: bool = False) -> Iterator[StoredFile]:
        for path in self._entries(self.folder / directory):
            for file in self._entries(path) if below else (path,):
                with suppress(FileNotFoundError):  # it was being written, or was removed
                    if stat.S_ISREG((found := file.stat()).st_mode):
                        yield StoredFile(file.relative_to(self.folder).as_posix(), found.st_size, found.st_mtime)

    def _entries(self, directory: Path) -> list[Path]:
        with suppress(FileNotFoundError, NotADirectoryError):
            return list(directory.iterdir())
        return []

    def remove(self, names: Iterable[str]) -> None:
        for name in names:
            self.place(name).unlink(missing_ok=True)

    def remove_directory(self, directory: str) -> None:
        shutil.rmtree(self.folder / directory, ignore_errors=True)

    def identity(self) -> str:
        """Return what the first process has written to a file there, because a path says nothing about other machines.

        Where a shared directory is not mounted, there is another file or none. Nothing makes the directory itself.
        """
        file = self.folder / IDENTITY_FILE
        if not file.exists():
            id = token_hex(8)
            draft = self.folder / f".{id}"
            with private_files.create(draft) as new:
                new.write(id.encode())
            try:
                with suppress(FileExistsError):  # another process was faster
                    os.link(draft, file)
            finally:
                draft.unlink()
        return file.read_text("ascii")

    def require_usable(self) -> None:
        if not self.folder.is_dir():
            raise BadSetting(
                f"There is no directory {self.folder}. Mount or create it, or set BLOGSVC_MEDIA_URL to another one."
            )


@cache
def open_storage(url: str, folder: Path) -> Storage:
    """Return the storage at a URL, which is in the directory unless it is a store: then, copies are.

    Args:
        url: s3://BUCKET/PREFIX, or anything else.
    """
    if not url.startswith("s3://"):
        return FolderStorage(folder)
    from blogsvc.lib.storage.s3 import S3Storage

    return S3Storage(url, folder)


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=open_storage.cache_clear)  # processes can't share the connections of a client
