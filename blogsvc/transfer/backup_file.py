"""The file of a backup: a compressed tar archive with the rows, the key, the images and the checksums of all of them.

The checksums are in a file as `sha256sum` writes it, so that a backup can also be checked without blogsvc.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from blogsvc.errors import BlogError
from blogsvc.lib.instance_paths import MEDIA

ROWS, KEY, CHECKSUMS = "blogsvc.db", "secret.key", "SHA256SUMS"
_CHUNK = 1024 * 1024  # bytes


class BackupError(BlogError):
    pass


class Readable(Protocol):
    def read(self, size: int = -1, /) -> bytes:
        """Return the next bytes, at most `size`; all that are left if it is negative."""


class _Summed:
    """A file whose checksum is computed while it is read."""

    def __init__(self, file: Readable) -> None:
        self.file, self.sum = file, hashlib.sha256()

    def read(self, size: int = -1, /) -> bytes:
        read = self.file.read(size)
        self.sum.update(read)
        return read


class BackupWriter:
    """Adds files to a backup that is being written."""

    def __init__(self, archive: tarfile.TarFile) -> None:
        self.archive = archive
        self.sums: dict[str, str] = {}

    def add(self, path: Path, name: str) -> None:
        """Add a file. Raises FileNotFoundError if it is not there."""
        with path.open("rb") as file:
            summed = _Summed(file)
            self.archive.addfile(self.archive.gettarinfo(arcname=name, fileobj=file), summed)
        self.sums[name] = summed.sum.hexdigest()

    def add_checksums(self) -> None:
        lines = "".join(f"{sum}  {name}\n" for name, sum in self.sums.items()).encode()
        member = tarfile.TarInfo(CHECKSUMS)
        member.size, member.mode = len(lines), 0o600
        self.archive.addfile(member, io.BytesIO(lines))


@contextmanager
def backup_writer(out: BinaryIO) -> Iterator[BackupWriter]:
    """Write a backup to a file or stream. The checksums are added when the block succeeds."""
    with (
        gzip.GzipFile(filename="", mode="wb", fileobj=out, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w|") as archive,
    ):
        writer = BackupWriter(archive)
        yield writer
        writer.add_checksums()


def read_backup(packed: BinaryIO, file_name: str, put: Callable[[str, Readable], None]) -> None:
    """Read a backup to its end, and hand the name and content of each file to `put`, which must read all of it.

    What `put` got is only right if this returns. Raises BackupError with what is wrong with the file.
    """
    found: dict[str, str] = {}
    expected: dict[str, str] | None = None
    try:
        with gzip.GzipFile(fileobj=packed) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                file = archive.extractfile(member) if member.isfile() else None
                if file is None:
                    continue
                if member.name == CHECKSUMS:
                    expected = _checksums(file.read())
                elif _belongs(member.name):
                    summed = _Summed(file)
                    put(member.name, summed)
                    found[member.name] = summed.sum.hexdigest()
            while stream.read(_CHUNK):  # gzip has a checksum at the end of the file
                pass
    except EOFError as error:
        raise BackupError(f"{file_name} is damaged: its end is missing.") from error
    except (tarfile.TarError, gzip.BadGzipFile, zlib.error, UnicodeError, ValueError) as error:
        if not found:
            raise BackupError(f"{file_name} is not a backup made by blogsvc, or it is damaged.") from error
        raise BackupError(f"{file_name} is damaged: it can't be read beyond {list(found)[-1]}.") from error
    _require_equal(file_name, found, expected)


def _belongs(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return name in (ROWS, KEY) or (len(parts) == 2 and parts[0] == MEDIA and parts[1] != "..")


def _checksums(lines: bytes) -> dict[str, str]:
    split = (line.split("  ", 1) for line in lines.decode().splitlines())
    return {name: sum for sum, name in split}


def _require_equal(file: str, found: dict[str, str], expected: dict[str, str] | None) -> None:
    if expected is None:
        raise BackupError(f"{file} is not a backup made by blogsvc, or it is damaged: it has no {CHECKSUMS}.")
    if missing := sorted(expected.keys() - found.keys()):
        raise BackupError(f"{file} is damaged: it has no {missing[0]}. Use another backup.")
    if wrong := sorted(name for name in found if found[name] != expected.get(name)):
        raise BackupError(f"{file} is damaged: {wrong[0]} differs from its checksum. Use another backup.")
    if ROWS not in found:
        raise BackupError(f"{file} is not a backup made by blogsvc: it has no {ROWS}.")
