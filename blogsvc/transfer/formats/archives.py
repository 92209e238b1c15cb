"""A zip file that a stranger made, read without being unpacked: nothing is written, and nothing is taken on trust."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from blogsvc.transfer.formats.parsed_post import UnreadableFile

MOST_FILES = 50_000
CHUNK = 256 * 1024


class Archive:
    """The files of a zip by their paths, with `/`. What leads out, links, and what is hidden are as if not there."""

    def __init__(self, zipped: zipfile.ZipFile, most_bytes: int) -> None:
        self._zipped = zipped
        self._left = most_bytes
        self._files: dict[str, zipfile.ZipInfo] = {}
        self.strangers: list[str] = []
        entries = zipped.infolist()
        if len(entries) > MOST_FILES:
            raise UnreadableFile(f"This zip has {len(entries)} files; {MOST_FILES} are the most that are taken.")
        for entry in entries:
            self._note(entry)

    def _note(self, entry: zipfile.ZipInfo) -> None:
        if entry.is_dir():
            return
        name = safe_name(entry.filename)
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        if name is None or is_link or entry.flag_bits & 1:
            self.strangers.append(entry.filename[:200])
        elif not _is_hidden(name):
            self._files[name] = entry

    @property
    def names(self) -> list[str]:
        return sorted(self._files)

    def __contains__(self, name: str) -> bool:
        return name in self._files

    def read(self, name: str, most_bytes: int) -> bytes:
        """The file's content. Raises Unreadable where it is larger than that, broken, or all together is too much."""
        with self.open(name) as file:
            data = _read(file, name, most_bytes + 1)
        if len(data) > most_bytes:
            raise UnreadableFile(f"{name} is larger than {most_bytes // 1024 // 1024} MiB.")
        self._left -= len(data)
        if self._left < 0:
            raise UnreadableFile("Unpacked, this zip is larger than is taken.")
        return data

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        try:
            file = self._zipped.open(self._files[name])
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise UnreadableFile(
                f"{name} cannot be read: it is damaged, or packed in a way that is not known."
            ) from error
        with file:
            yield file  # type: ignore[misc]


def _read(file: BinaryIO, name: str, most: int) -> bytes:
    """At most so many bytes: a bomb is put down before it goes off."""
    parts, left = [], most
    try:
        while left > 0 and (part := file.read(min(CHUNK, left))):
            parts.append(part)
            left -= len(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise UnreadableFile(f"{name} is damaged.") from error
    return b"".join(parts)


@contextmanager
def opened(path: Path, most_bytes: int) -> Iterator[Archive]:
    """A zip to be read from, of which no more than so many bytes are unpacked. Raises Unreadable."""
    try:
        zipped = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise UnreadableFile("This zip is damaged or cut off: it cannot be opened.") from error
    with zipped:
        yield Archive(zipped, most_bytes)


def safe_name(name: str) -> str | None:
    """A path within the archive, tidied; None where it leads out of it or is no path."""
    name = name.replace("\\", "/")
    if "\0" in name or name.startswith("/") or len(name) > 1000 or (len(name) > 1 and name[1] == ":"):
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts or not parts else "/".join(parts)


def beside(name: str, address: str) -> str | None:
    """The path that a relative `address` means in the file `name`; None where it leads out."""
    folder = list(PurePosixPath(name).parent.parts)
    for part in address.replace("\\", "/").split("/"):
        if part == "..":
            if not folder:
                return None
            folder.pop()
        elif part not in ("", "."):
            folder.append(part)
    return "/".join(folder) or None


def _is_hidden(name: str) -> bool:
    """What a system or a program put there for itself."""
    return any(part.startswith(".") or part in ("__MACOSX", "node_modules") for part in name.split("/"))


def pack(folder: Path, target: Path) -> None:
    """A folder as a zip: its files alone, no links and nothing hidden."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            is_file = path.is_file() and not path.is_symlink()
            if is_file and not _is_hidden(name) and path.resolve().is_relative_to(folder.resolve()):
                zipped.write(path, name)
