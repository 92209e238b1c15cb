"""A file that is uploaded, as a form (multipart/form-data, RFC 7578)."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Union

from ._errors import ConfigurationError
from ._writing import NOT_GIVEN

# A path, or what can be read.
FileInput = Union[str, "os.PathLike[str]", IO[bytes]]


@dataclass(frozen=True)
class File:
    """A file and its bytes: all of them, since they may be sent again."""

    filename: str
    content: bytes = field(repr=False)

    @classmethod
    def read(cls, file: FileInput, filename: str | None) -> File:
        """Raises ConfigurationError for what cannot be uploaded, and OSError as reading does."""
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                return cls(filename or os.path.basename(os.fspath(file)), opened.read())
        content = file.read()
        if not isinstance(content, bytes):
            raise ConfigurationError("The file gives text. Open it to read bytes: mode 'rb'.")
        return cls(filename or _name_of(file), content)


def form(fields: Mapping[str, Any], file: File) -> tuple[str, bytes]:
    """The type of a form with these fields and this file, and its bytes."""
    boundary = uuid.uuid4().hex
    given = {name: str(value).encode() for name, value in fields.items() if value is not NOT_GIVEN}
    parts = [_part(boundary, f'name="{name}"', value) for name, value in given.items()]
    parts.append(_part(boundary, f'name="file"; filename="{_quoted(file.filename)}"', file.content, "octet-stream"))
    return f"multipart/form-data; boundary={boundary}", b"".join([*parts, f"--{boundary}--\r\n".encode()])


def _part(boundary: str, disposition: str, content: bytes, application: str = "") -> bytes:
    kind = f"Content-Type: application/{application}\r\n" if application else ""
    head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{kind}\r\n"
    return head.encode(errors="replace") + content + b"\r\n"


def _quoted(filename: str) -> str:
    """As browsers do it (HTML Living Standard, 4.10.21.8)."""
    return filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _name_of(file: IO[bytes]) -> str:
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not name:
        raise ConfigurationError("The file has no name: give filename.")
    return os.path.basename(name)
