"""Read untrusted zip files safely, without extracting them to disk."""

from __future__ import annotations

import json
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from os import SEEK_END
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast
from unicodedata import normalize

from blogsvc.transfer.formats import BLOG
from blogsvc.transfer.formats.parsed_post import UnreadableFile

MAX_FILES = 50_000
MAX_DIRECTORY_BYTES = 32 * 1024**2
MAX_JSON_BYTES = 4 * 1024**2
CHUNK = 256 * 1024
# A file that is much larger than what is uploaded takes more memory and time than its size in the zip lets expect.
# Exports are compressed 5 to 30 times. `zipfile` reads no more bytes than the size that the zip gives for a file.
MAX_RATIO, ANY_RATIO_BYTES = 100, 4 * 1024 * 1024
# The flag of a name in UTF-8, and the kind of the extra field with such a name.
_IS_UTF8, _UNICODE_PATH = 1 << 11, 0x7075
# The record at the end of a zip, which a comment may follow: the number of files, and the size of their list.
# https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.16. Larger zips have numbers here that are too large.
_END_MARK, _END, _END_BYTES = b"PK\x05\x06", struct.Struct("<4s6xHL"), 22 + 65535


class Archive:
    """The files of a zip, by path with "/".

    Hides links, hidden files, paths that lead outside, and what is encrypted or not compressed with Deflate.
    """

    def __init__(self, zipped: zipfile.ZipFile, max_bytes: int) -> None:
        self._zipped = zipped
        self._left = max_bytes
        self._files: dict[str, zipfile.ZipInfo] = {}
        self._counted: dict[str, int] = {}
        self.strangers: list[str] = []
        self.is_vault = False  # of Obsidian, whose settings are in a hidden folder
        self._vault_settings: zipfile.ZipInfo | None = None
        entries = zipped.infolist()
        if len(entries) > MAX_FILES:
            raise UnreadableFile(f"This zip has {len(entries)} files; at most {MAX_FILES} are allowed.")
        for entry in entries:
            self._note(entry)
        self._enter_export()
        self.names = sorted(self._files)

    def _enter_export(self) -> None:
        """Take the only folder of the zip as its top, if an export of blogsvc is in there."""
        tops = {name.partition("/")[0] for name in self._files}
        if len(tops) == 1 and f"{(top := tops.pop())}/{BLOG}" in self._files:
            self._files = {name.removeprefix(f"{top}/"): entry for name, entry in self._files.items()}

    def _note(self, entry: zipfile.ZipInfo) -> None:
        if entry.is_dir():
            return
        name = safe_name(_name_of(entry))
        is_link = stat.S_ISLNK(entry.external_attr >> 16)
        is_known = entry.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if name is None or is_link or entry.flag_bits & 1 or not is_known:
            self.strangers.append(_name_of(entry)[:200])
        elif _is_hidden(name):
            self.is_vault = self.is_vault or ".obsidian" in name.split("/")[:-1]
            if _has_vault_settings(name):
                self._vault_settings = entry
        else:
            self._files[normalize("NFC", name)] = entry  # macOS writes the letters of names decomposed

    def __contains__(self, name: str) -> bool:
        return normalize("NFC", name) in self._files

    @cached_property
    def by_name(self) -> dict[str, str]:
        """The paths of files by their names alone, in the first folder that has them."""
        return {PurePosixPath(path).name: path for path in reversed(self.names)}

    @cached_property
    def suffixes(self) -> frozenset[str]:
        """The suffixes of files, such as ".pdf", in lower case."""
        return frozenset(PurePosixPath(path).suffix.lower() for path in self.names)

    @cached_property
    def vault_settings(self) -> dict[str, Any]:
        """The settings of the editor of Obsidian; empty if the archive has none that can be read."""
        if self._vault_settings is None:
            return {}
        try:
            name = _name_of(self._vault_settings)
            with self._opened(self._vault_settings, name) as file:
                found = json.loads(_read(file, name, MAX_JSON_BYTES))
        except (UnreadableFile, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    def read(self, name: str, max_bytes: int) -> bytes:
        """Return the content of a file. Raises UnreadableFile if it is damaged, too large or over the total limit."""
        with self.open(name) as file:
            data = _read(file, name, max_bytes + 1)
        if len(data) > max_bytes:
            raise UnreadableFile(f"{name} is larger than {max_bytes // 1024 // 1024} MiB.")
        self._count(len(data))
        return data

    def head(self, name: str, max_bytes: int) -> bytes:
        """Return the first bytes of a file; none if it is damaged."""
        try:
            with self.open(name) as file:
                return _read(file, name, max_bytes)
        except UnreadableFile:
            return b""

    @contextmanager
    def stream(self, name: str) -> Iterator[BinaryIO]:
        """Open a file that is read in parts. Reading raises UnreadableFile, also over the total limit."""
        with self.open(name) as file:
            yield cast(BinaryIO, _Counted(self, file, name))

    def count_to(self, place: int, name: str) -> None:
        """Count the bytes up to a place in a file, unless they are counted. Raises UnreadableFile over the limit."""
        counted = self._counted.get(name, 0)
        if place > counted:
            self._counted[name] = place
            self._count(place - counted)

    def _count(self, number: int) -> None:
        self._left -= number
        if self._left < 0:
            raise UnreadableFile("The unpacked contents of this zip are too large.")

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        with self._opened(self._files[normalize("NFC", name)], name) as file:
            yield file

    @contextmanager
    def _opened(self, entry: zipfile.ZipInfo, name: str) -> Iterator[BinaryIO]:
        if entry.file_size > max(ANY_RATIO_BYTES, entry.compress_size * MAX_RATIO):
            raise UnreadableFile(f"{name} is compressed more than {MAX_RATIO} times. Unpack it, and import it alone.")
        try:
            file = self._zipped.open(entry)
        except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError) as error:
            raise UnreadableFile(f"{name} cannot be read. It is damaged, or uses an unknown compression.") from error
        with file:
            yield file  # type: ignore[misc]


class _Counted:
    """A file in a zip of which each byte counts once, also if it is read again."""

    def __init__(self, archive: Archive, file: BinaryIO, name: str) -> None:
        self._archive, self._file, self._name, self._place = archive, file, name, 0

    def read(self, size: int = -1) -> bytes:
        part = _read(self._file, self._name, size if size >= 0 else CHUNK)
        self._place += len(part)
        self._archive.count_to(self._place, self._name)
        return part


def _read(file: BinaryIO, name: str, max_bytes: int) -> bytes:
    """Read at most `max_bytes` bytes, as protection against zip bombs."""
    parts, left = [], max_bytes
    try:
        while left > 0 and (part := file.read(min(CHUNK, left))):
            parts.append(part)
            left -= len(part)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError, ValueError) as error:
        raise UnreadableFile(f"{name} is damaged.") from error
    return b"".join(parts)


@contextmanager
def opened(file: Path | BinaryIO, max_bytes: int) -> Iterator[Archive]:
    """Open a zip, from which at most `max_bytes` can be unpacked in all. Raises UnreadableFile."""
    _require_small_directory(file)
    try:
        zipped = zipfile.ZipFile(file)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError) as error:
        raise UnreadableFile("This zip is damaged or incomplete.") from error
    with zipped:
        yield Archive(zipped, max_bytes)


@contextmanager
def image_archive(path: Path, max_unpacked: int) -> Iterator[Archive | None]:
    """Open the zip that contains the images. None if the file is not a zip."""
    if not zipfile.is_zipfile(path):
        yield None
        return
    with opened(path, max_unpacked) as archive:
        yield archive


def _require_small_directory(file: Path | BinaryIO) -> None:
    """Raise UnreadableFile if the list of files is too long to read: `zipfile` reads all of it into memory."""
    if isinstance(file, Path):
        with file.open("rb") as opened_file:
            return _require_small_directory(opened_file)
    file.seek(-min(file.seek(0, SEEK_END), _END_BYTES), SEEK_END)
    end = file.read()
    place = end.rfind(_END_MARK)
    if place >= 0 and len(end) >= place + _END.size:
        _, count, size = _END.unpack_from(end, place)
        if count > MAX_FILES or size > MAX_DIRECTORY_BYTES:
            raise UnreadableFile(f"This zip has too many files; at most {MAX_FILES:,} are allowed.")
    return None


def _name_of(entry: zipfile.ZipInfo) -> str:
    """Return the path of a file. Without the flag for UTF-8, most programs write UTF-8 nevertheless, also Finder's.

    `zipfile` reads such a name as that of MS-DOS. Source: APPNOTE.TXT, appendix D, and 4.6.9 for the extra field.
    """
    name = entry.filename
    if entry.flag_bits & _IS_UTF8 or name.isascii():
        return name
    field = _unicode_path(entry.extra)
    for data in filter(None, (field, name.encode("cp437", "replace"))):
        with suppress(UnicodeDecodeError):
            return data.decode("utf-8")
    return name


def _unicode_path(extra: bytes) -> bytes:
    """Return the name in the extra field of Info-ZIP, which is UTF-8; b"" without one."""
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<HH", extra)
        if kind == _UNICODE_PATH and size > 5:
            return extra[9 : 4 + size]
        extra = extra[4 + size :]
    return b""


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


def json_in(archive: Archive, name: str) -> Any:
    """Return the content of a JSON file; None if there is none, or it can't be read."""
    try:
        data = archive.read(name, MAX_JSON_BYTES) if name in archive else None
        return json.loads(data) if data else None
    except (UnreadableFile, ValueError, RecursionError):
        return None


def _is_hidden(name: str) -> bool:
    """Return True for files of the system or of tools."""
    parts = name.removesuffix(".eleventy.js").split("/")  # the settings of Eleventy
    return any(part.startswith(".") or part in ("__MACOSX", "node_modules") for part in parts)


def _has_vault_settings(name: str) -> bool:
    return f"/{name}".endswith("/.obsidian/app.json")


def pack(folder: Path, target: Path) -> None:
    """Pack a folder into a zip, without links and hidden files, except for the settings of Obsidian."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, strict_timestamps=False) as zipped:
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            is_file = path.is_file() and not path.is_symlink()
            is_kept = not _is_hidden(name) or _has_vault_settings(name)
            if is_file and is_kept and path.resolve().is_relative_to(folder.resolve()):
                zipped.write(path, name)
