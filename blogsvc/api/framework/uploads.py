"""Forms with a file (multipart/form-data, RFC 7578), read as strictly as JSON is."""

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
from blogsvc.api.framework.requests import demand_no_encoding, validated
from blogsvc.api.schemas.fields import MIB, refuse
from blogsvc.errors import Fault, Invalid

M = TypeVar("M", bound=BaseModel)

# What a form may hold beside its file: boundaries, headers, words. The parser's buffer must fit in.
MAX_FORM_OVERHEAD = 256 * 1024
MOST_PARTS = 10


@dataclass(frozen=True)
class Upload:
    """A file that came with a form."""

    filename: str
    data: bytes


def _not_empty(upload: Upload) -> Upload:
    if not upload.data:
        raise refuse("empty", "This file is empty; send it again.")
    return upload


File = Annotated[
    Upload,
    AfterValidator(_not_empty),
    WithJsonSchema({"type": "string", "contentMediaType": "application/octet-stream"}),
]


def form(schema: type[M], most_bytes: int) -> M:
    """The form as `schema`. Raises Problem where it cannot be read, Invalid with every fault."""
    if request.mimetype != "multipart/form-data":
        raise Problem("unsupported-media-type", "Send the file as multipart/form-data, in a part named `file`.")
    demand_no_encoding()
    parts = _parts(most_bytes)
    repeated = [name for name, times in Counter(name for name, _ in parts).items() if times > 1]
    if repeated:
        raise Invalid(*(Fault(f"#/{name}", "repeated", "This may be given once.") for name in repeated))
    if any(len(part.data) > most_bytes for _, part in parts if isinstance(part, Upload)):
        raise _too_large(most_bytes)
    g.body_digest = _digest(parts)
    return validated(schema, dict(parts), "#/")


def _digest(parts: list[tuple[str, str | Upload]]) -> bytes:
    """What the form holds, whatever its boundary: by this an idempotency key knows it again."""
    digest = hashlib.sha256()
    for name, part in parts:
        data = part.data if isinstance(part, Upload) else part.encode()
        filename = part.filename if isinstance(part, Upload) else None
        digest.update(f"{name!r} {filename!r} {len(data)}\n".encode())
        digest.update(data)
    return digest.digest()


def _parts(most_bytes: int) -> list[tuple[str, str | Upload]]:
    """The parts, in memory: what nobody has seen yet does not lie about in a temporary directory."""
    request.max_content_length = most_bytes + MAX_FORM_OVERHEAD
    parser = FormDataParser(
        stream_factory=lambda *_, **__: BytesIO(),
        max_form_memory_size=MAX_FORM_OVERHEAD,
        max_form_parts=MOST_PARTS,
        silent=False,
    )
    try:
        parsed = parser.parse(request.stream, request.mimetype, request.content_length, request.mimetype_params)
    except RequestEntityTooLarge as error:
        raise _too_large(most_bytes) from error
    except ValueError as error:
        raise Problem("unreadable", "The form is cut off or broken; its parts cannot be told apart.") from error
    _, words, files = parsed
    parts: list[tuple[str, str | Upload]] = list(words.items(multi=True))
    for name, file in files.items(multi=True):
        parts.append((name, Upload(file.filename or "", cast(BytesIO, file.stream).getvalue())))  # without a copy
    return [(name or "", part) for name, part in parts]


def _too_large(most_bytes: int) -> Problem:
    most = f"{most_bytes // MIB} MiB"
    return Problem("too-large", f"A file may have at most {most}, and the form little beside it. Make it smaller.")
