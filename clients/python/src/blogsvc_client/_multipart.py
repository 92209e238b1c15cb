"""File uploads as multipart/form-data (RFC 7578)."""

from __future__ import annotations

import os
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import IO, Any, Union

from ._encode import NOT_GIVEN
from ._errors import ConfigurationError

# A path, or a file object opened in binary mode.
FileInput = Union[str, "os.PathLike[str]", IO[bytes]]


@dataclass(frozen=True)
class File:
    """A file and its whole content, which is kept because a retry sends it again."""

    filename: str
    content: bytes = field(repr=False)

    @classmethod
    def read(cls, file: FileInput, filename: str | None) -> File:
        """Read a file. Raises ConfigurationError if it cannot be uploaded, OSError if it cannot be read."""
        if isinstance(file, (str, os.PathLike)):
            with open(file, "rb") as opened:
                return cls(filename or os.path.basename(os.fspath(file)), opened.read())
        content = file.read()
        if not isinstance(content, bytes):
            raise ConfigurationError("The file is opened in text mode. Open it in binary mode ('rb').")
        return cls(filename or _name_of(file), content)


def encode_form(fields: Mapping[str, Any], file: File) -> tuple[str, bytes]:
    """Return the content type and the bytes of a form with these fields and this file."""
    boundary = uuid.uuid4().hex
    given = {name: str(value).encode() for name, value in fields.items() if value is not NOT_GIVEN}
    parts = [_part(boundary, f'name="{name}"', value) for name, value in given.items()]
    parts.append(_part(boundary, f'name="file"; filename="{_escaped(file.filename)}"', file.content, "octet-stream"))
    return f"multipart/form-data; boundary={boundary}", b"".join([*parts, f"--{boundary}--\r\n".encode()])


def _part(boundary: str, disposition: str, content: bytes, subtype: str = "") -> bytes:
    content_type = f"Content-Type: application/{subtype}\r\n" if subtype else ""
    head = f"--{boundary}\r\nContent-Disposition: form-data; {disposition}\r\n{content_type}\r\n"
    return head.encode(errors="replace") + content + b"\r\n"


def _escaped(filename: str) -> str:
    """Escape a file name as browsers do (HTML Living Standard, 4.10.21.8)."""
    return filename.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")


def _name_of(file: IO[bytes]) -> str:
    name = getattr(file, "name", None)
    if not isinstance(name, str) or not name:
        raise ConfigurationError("The file object has no name. Pass filename.")
    return os.path.basename(name)
