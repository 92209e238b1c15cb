"""Parse file uploads (multipart/form-data, RFC 7578) as strictly as JSON."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from io import BytesIO
from typing import Annotated, TypeVar, cast

from flask import g, request
from pydantic import AfterValidator, BaseModel, WithJsonSchema
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from blogsvc.api.framework.problems import Problem
from blogsvc.api.framework.requests import reject_content_encoding, validated
from blogsvc.api.schemas.fields import refuse
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.sizes import MIB

M = TypeVar("M", bound=BaseModel)

# The maximum size of a form without its file, in bytes. The parser's buffer must fit in.
MAX_FORM_OVERHEAD = 256 * 1024
MAX_FORM_PARTS = 10


@dataclass(frozen=True)
class Upload:
    """An uploaded file."""

    filename: str
    data: bytes


def _not_empty(upload: Upload) -> Upload:
    if not upload.data:
        raise refuse("empty", "The file is empty. Upload it again.")
    return upload


File = Annotated[
    Upload,
    AfterValidator(_not_empty),
    WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"}),
]


def form(schema: type[M], max_bytes: int) -> M:
    """Return the form as `schema`. Raises Problem if it cannot be parsed, Invalid with all errors."""
    if request.mimetype != "multipart/form-data":
        raise Problem("unsupported-media-type", "Send the file as multipart/form-data, in a part named `file`.")
    reject_content_encoding()
    parts = _parts(max_bytes)
    repeated = [name for name, times in Counter(name for name, _ in parts).items() if times > 1]
    if repeated:
        raise Invalid(*(Fault(f"#/{name}", "repeated", "Must be given only once.") for name in repeated))
    if any(len(part.data) > max_bytes for _, part in parts if isinstance(part, Upload)):
        raise _too_large(max_bytes)
    g.body_digest = _digest(parts)
    return validated(schema, dict(parts), "#/")


def _digest(parts: list[tuple[str, str | Upload]]) -> bytes:
    """Hash the form independent of its boundary, so that idempotency keys recognize a repeated upload."""
    digest = hashlib.sha256()
    for name, part in parts:
        data = part.data if isinstance(part, Upload) else part.encode()
        filename = part.filename if isinstance(part, Upload) else None
        digest.update(f"{name!r} {filename!r} {len(data)}\n".encode())
        digest.update(data)
    return digest.digest()


def _parts(max_bytes: int) -> list[tuple[str, str | Upload]]:
    """Parse the form in memory, so that unchecked files never reach the disk."""
    request.max_content_length = max_bytes + MAX_FORM_OVERHEAD
    parser = FormDataParser(
        stream_factory=lambda *_, **__: BytesIO(),
        max_form_memory_size=MAX_FORM_OVERHEAD,
        max_form_parts=MAX_FORM_PARTS,
        silent=False,
    )
    try:
        parsed = parser.parse(request.stream, request.mimetype, request.content_length, request.mimetype_params)
    except RequestEntityTooLarge as error:
        raise _too_large(max_bytes) from error
    except ValueError as error:
        raise Problem("unreadable", "The form is truncated or malformed.") from error
    _, texts, files = parsed
    parts: list[tuple[str, str | Upload]] = list(texts.items(multi=True))
    for name, file in files.items(multi=True):
        parts.append(
            (name, Upload(file.filename or "", cast(BytesIO, file.stream).getvalue()))
        )  # getvalue() does not copy
    return [(name or "", part) for name, part in parts]


def _too_large(max_bytes: int) -> Problem:
    return Problem("too-large", f"The upload is too large. The maximum file size is {max_bytes // MIB} MiB.")
