"""Strong ETags of the whole document, so that `If-Match` detects every change."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from flask import request
from pydantic import BaseModel

from blogsvc.errors import Stale


def of(text: str) -> str:
    """Return the quoted ETag (RFC 9110, 8.8.3) of a document's text."""
    return f'"{sha256(text.encode()).hexdigest()[:27]}"'


def require_match(document: Callable[[], BaseModel]) -> None:
    """Raise Stale if `If-Match` does not match the document. Call it while holding the write lock.

    The document is built only if the request has the header.
    """
    wanted = request.if_match
    if "If-Match" not in request.headers or wanted.star_tag:
        return
    if not wanted.contains(of(document().model_dump_json(by_alias=True)).strip('"')):
        raise Stale("Someone changed this since you read it. Read it again and reapply your change.")
