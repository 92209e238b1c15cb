"""Read untrusted zip files safely, without extracting them to disk."""

from __future__ import annotations

import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from blogsvc.transfer.formats.parsed_post import UnreadableFile

MAX_FILES = 50_000
CHUNK = 256 * 1024


class Archive:
    """The files of a zip, by path with "/". Hides links, hidden files and paths that lead outside."""

    def __init__(self, zipped: zipfile.ZipFile, most_bytes: int) -> None:
        self._zipped = zipped
        self._left = most_bytes
        self._files: dict[str, zipfile.ZipInfo] = {}
        self.strangers: list[str] = []
        entries = zipped.infolist()
        if len(entries) > MAX_FILES:
            raise UnreadableFile(f"This zip has {len(entries)} files; at most {MAX_FILES} are allowed.")
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
        """Return the content of a file. Raises UnreadableFile if it is damaged, too large or over the total limit."""
        with self.open(name) as file:
            data = _read(file, name, most_bytes + 1)
        if len(data) > most_bytes:
            raise UnreadableFile(f"{name} is larger than {most_bytes // 1024 // 1024} MiB.")
        self._left -= len(data)
        if self._left < 0:
            raise UnreadableFile("The unpacked contents of this zip are too large.")
        return data

    def head(self, name: str, most_bytes: int) -> bytes:
        """Return the first bytes of a file; none if it is damaged."""
        try:
            with self.open(name) as file:
                return _read(file, name, most_bytes)
        except UnreadableFile:
            return b""

    def extract(self, name: str, target: Path) -> Path:
        """Write a file to `target` in chunks, and return it. Raises UnreadableFile, also over the total limit."""
        with self.open(name) as file, target.open("wb") as out:
            while part := _read(file, name, CHUNK):
                self._left -= len(part)
                if self._left < 0:
                    raise UnreadableFile("The unpacked contents of this zip are too large.")
                out.write(part)
        return target

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        try:
            file = self._zipped.open(self._files[name])
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise UnreadableFile(f"{name} cannot be read. It is damaged, or uses an unknown compression.") from error
        with file:
            yield file  # type: ignore[misc]


def _read(file: BinaryIO, name: str, most: int) -> bytes:
    """Read at most `most` bytes, as protection against zip bombs."""
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
    """Open a zip, from which at most `most_bytes` can be unpacked in all. Raises UnreadableFile."""
    try:
        zipped = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise UnreadableFile("This zip is damaged or incomplete.") from error
    with zipped:
        yield Archive(zipped, most_bytes)


def safe_name(name: str) -> str | None:
    """Return a normalised path inside the archive, or None if it leads outside or is invalid."""
    name = name.replace("\\", "/")
    if "\0" in name or name.startswith("/") or len(name) > 1000 or (len(name) > 1 and name[1] == ":"):
        return None
    parts = [part for part in name.split("/") if part not in ("", ".")]
    return None if ".." in parts or not parts else "/".join(parts)


def beside(name: str, address: str) -> str | None:
    """Resolve a relative path from the file `name`. None if it leads outside."""
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
    """Return True for files of the system or of tools."""
    return any(part.startswith(".") or part in ("__MACOSX", "node_modules") for part in name.split("/"))


def pack(folder: Path, target: Path) -> None:
    """Pack a folder into a zip, without links and hidden files."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            is_file = path.is_file() and not path.is_symlink()
            if is_file and not _is_hidden(name) and path.resolve().is_relative_to(folder.resolve()):
                zipped.write(path, name)
