"""Strong ETags of the whole document, so that `If-Match` detects every change."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from flask import g, request
from pydantic import BaseModel

from blogsvc.errors import Stale

_CHANGED = "Someone changed this since you read it. Read it again and reapply your change."
_WEAK = (
    'If-Match has a weak ETag (W/"..."), which matches nothing: a change needs the strong one. Send the ETag without'
    " W/. A proxy that compresses responses may have added it."
)


def of(text: str) -> str:
    """Return the quoted ETag (RFC 9110, 8.8.3) of a document's text."""
    return f'"{sha256(text.encode()).hexdigest()[:27]}"'


def require_match(document: Callable[[], BaseModel]) -> None:
    """Raise Stale if `If-Match` does not match the document. Call it while holding the lock of the post.

    The document is built only if the request has the header, or was merged with what was stored (`require_unchanged`).
    """
    condition = request.if_match
    has_condition = "If-Match" in request.headers and not condition.star_tag
    if not has_condition and "merged_with" not in g:
        return
    etag = _of_document(document())
    if has_condition and not condition.contains(etag.strip('"')):
        raise Stale(_WEAK if condition.as_set(include_weak=True) > condition.as_set() else _CHANGED)
    if g.get("merged_with", etag) != etag:
        raise Stale("Someone changed this at the same moment. Send your change again.")


def require_unchanged(document: BaseModel) -> None:
    """Let `require_match` raise Stale if the document is not the same any more."""
    g.merged_with = _of_document(document)


def _of_document(document: BaseModel) -> str:
    return of(document.model_dump_json(by_alias=True))
