"""What is sent of a file, without a copy in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO

from werkzeug.wsgi import FileWrapper, _RangeWrapper

from blogsvc.server.large_body import LargeBody

# A directory with the open files of this process, by whose names they can be opened again. On Linux they then have a
# position of their own; elsewhere they share it, so that only one client can get the file.
OPEN_FILES = next(filter(os.path.isdir, ("/proc/self/fd", "/dev/fd")), "")
IS_SHARED = OPEN_FILES.startswith("/proc")


@dataclass(frozen=True)
class FilePart:
    """What is sent of a file: the bytes from `start` to before `end`, or all."""

    file: BinaryIO
    start: int = 0
    end: int | None = None

    @classmethod
    def of(cls, wrapper: FileWrapper, start: int = 0, end: int | None = None) -> FilePart | None:
        """Return a part of a file that Flask sends; None if it can't be opened again, and is sent from memory."""
        file: BinaryIO = wrapper.file  # type: ignore[assignment]
        has_path = isinstance(getattr(file, "name", None), str)
        return cls(file, start, end) if has_path or (OPEN_FILES and not isinstance(file, io.BytesIO)) else None

    def read(self) -> bytes:
        self.file.seek(self.start)
        return self.file.read(-1 if self.end is None else self.end - self.start)


Content = bytes | FilePart


def from_file(parts: Iterable[bytes]) -> Content | None:
    """Return what can be sent from a file, if the response of the application is that."""
    if isinstance(parts, FileWrapper):
        return FilePart.of(parts)
    if isinstance(parts, _RangeWrapper) and isinstance(parts.iterable, FileWrapper):
        return FilePart.of(parts.iterable, parts.start_byte, parts.end_byte)
    return parts[0] if isinstance(parts, list) and parts and isinstance(parts[0], LargeBody) else None


def in_memory(content: Content) -> bytes:
    return content if isinstance(content, bytes) else content.read()


def file_with(body: bytes, folder: Path | None) -> BinaryIO:
    """Return a file without a name, one for all clients that get the same body from the cache. Raises OSError."""
    if isinstance(body, LargeBody) and body.file is not None:
        return body.file
    file = TemporaryFile(dir=folder)  # noqa: SIM115
    file.write(body)
    file.flush()
    if isinstance(body, LargeBody):
        body.file = file
    return file
