"""Encode a file upload as multipart/form-data (RFC 7578)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def encode(
    name: str, filename: str, media_type: str, data: bytes, fields: Mapping[str, str] | None = None
) -> tuple[bytes, str]:
    """Return body and Content-Type of a form with one file. Deterministic."""
    boundary = f"blogsvc-{hashlib.sha256(data).hexdigest()[:32]}"
    parts = [_part(boundary, f'name="{_quoted(key)}"', value.encode()) for key, value in (fields or {}).items()]
    file = f'name="{_quoted(name)}"; filename="{_quoted(filename)}"\r\nContent-Type: {media_type}'
    body = b"".join([*parts, _part(boundary, file, data), f"--{boundary}--\r\n".encode()])
    return body, f"multipart/form-data; boundary={boundary}"


def _part(boundary: str, head: str, data: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {head}\r\n\r\n".encode() + data + b"\r\n"


def _quoted(name: str) -> str:
    """Escape a name as browsers do (WHATWG HTML), so that quotes and line breaks cannot end the header."""
    return name.replace('"', "%22").replace("\r", "%0D").replace("\n", "%0A")
