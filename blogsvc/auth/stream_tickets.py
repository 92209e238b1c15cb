"""Tickets for the event stream: a browser's `EventSource` can't send the header with an API key.

A ticket is signed and not stored. It says which key may open the stream, and until when. The key is looked up again
when the stream is opened and while it is open, so that revoking the key ends it.
"""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from itsdangerous import BadSignature

from blogsvc.context import Tools
from blogsvc.errors import NotFound
from blogsvc.lib.crypto import sign, unsign
from blogsvc.lib.time import parse, stamp
from blogsvc.models import ApiKey

LIFETIME = timedelta(minutes=1)


def create(key: ApiKey, tools: Tools) -> tuple[str, datetime]:
    """Return a ticket for the stream of a key, and when it expires."""
    expires_at = tools.now() + LIFETIME
    return sign(json.dumps([key.id, stamp(expires_at)]).encode(), _secret(tools)), expires_at


def key_of(ticket: str, tools: Tools) -> ApiKey | None:
    """Return the key of a ticket; None if the ticket is altered or expired, or the key is no longer valid."""
    try:
        key_id, expires_at = json.loads(unsign(ticket, _secret(tools)))
        key = ApiKey.get(key_id)
    except (BadSignature, ValueError, NotFound):
        return None
    return key if tools.now() < parse(expires_at) and key.is_valid(tools.now()) else None


def _secret(tools: Tools) -> bytes:
    secret: bytes = tools.vault.derive("stream-tickets")
    return secret
