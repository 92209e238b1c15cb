"""ETags: strong, of the whole document, so that an `If-Match` guards against every change."""

from __future__ import annotations

from hashlib import sha256

from flask import request
from pydantic import BaseModel

from blogsvc.errors import Stale


def of(text: str) -> str:
    """The quoted entity tag (RFC 9110, 8.8.3) of a document, by its whole text."""
    return f'"{sha256(text.encode()).hexdigest()[:27]}"'


def demand_match(document: BaseModel) -> None:
    """Raises Stale where the caller sent an `If-Match` for something else. Call it under the write lock."""
    wanted = request.if_match
    if "If-Match" not in request.headers or wanted.star_tag:
        return
    if not wanted.contains(of(document.model_dump_json(by_alias=True)).strip('"')):
        raise Stale("It was changed since you read it. Read it again, and repeat the change on what it is now.")
