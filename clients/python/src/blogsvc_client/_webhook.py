"""Messages that the server sends by itself: whether they are genuine (https://www.standardwebhooks.com)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from . import _reading
from ._errors import ConfigurationError, WebhookSignatureError
from ._record import Record
from .types.answers import Event

PREFIX = "whsec_"
TOLERANCE = 300  # seconds


class PostInBrief(Record):
    """What a message tells of a post. Ask the API for the rest."""

    id: str
    title: str
    slug: str
    status: str
    url: str | None
    scheduled_at: datetime | None
    published_at: datetime | None
    updated_at: datetime
    deleted_at: datetime | None

    _reads = {
        "scheduledAt": _reading.time,
        "publishedAt": _reading.time,
        "updatedAt": _reading.time,
        "deletedAt": _reading.time,
    }


class WebhookData(Record):
    """An event, and its post as it was when the message was made."""

    event: Event
    post: PostInBrief | None

    _reads = {"event": Event, "post": PostInBrief}


class WebhookMessage(Record):
    """A message that is genuine. It may come twice: remember its `webhook-id`."""

    type: str
    timestamp: datetime
    data: WebhookData

    _reads = {"timestamp": _reading.time, "data": WebhookData}


class Headers(Protocol):
    """The headers of a request, as any framework has them."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class Webhook:
    """Verifies messages by a secret, or by several for the time of a rotation.

    Raises ConfigurationError for a secret that is none.
    """

    def __init__(self, secret: str | Sequence[str]) -> None:
        secrets = [secret] if isinstance(secret, str) else secret
        if not secrets:
            raise ConfigurationError("No secret: give that of the webhook.")
        self._keys = [_key(one) for one in secrets]

    def verify(self, body: bytes | str, headers: Headers, now: float | None = None) -> WebhookMessage:
        """The message, as it is genuine.

        Args:
            body: As it came, before anything has parsed it.
            headers: Of the request, in any case.
            now: Seconds since 1970, by default the time of this machine.

        Raises:
            WebhookSignatureError: It is not signed by the secret, or is older or newer than five minutes.
        """
        found = {name.lower(): value for name, value in headers.items()}
        id_, timestamp, signatures = (_demanded(found, name) for name in ("id", "timestamp", "signature"))
        if not re.fullmatch(r"\d{1,15}", timestamp, re.ASCII):
            raise WebhookSignatureError("Its webhook-timestamp is no time.")
        if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
            raise WebhookSignatureError("It is older or newer than five minutes. Are the clocks right?")
        content = body.encode() if isinstance(body, str) else bytes(body)
        if not self._has_signed(f"{id_}.{timestamp}.".encode() + content, signatures):
            raise WebhookSignatureError("It is not signed by this secret.")
        return WebhookMessage(_document(content))

    def _has_signed(self, content: bytes, signatures: str) -> bool:
        given = [
            text.encode() for version, _, text in (one.partition(",") for one in signatures.split()) if version == "v1"
        ]
        expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in self._keys]
        return any(hmac.compare_digest(one, other) for one in given for other in expected)


def _key(secret: str) -> bytes:
    """The bytes of a secret. Raises ConfigurationError, which does not show it."""
    try:
        key = base64.b64decode(secret[len(PREFIX) :], validate=True) if secret.startswith(PREFIX) else b""
    except ValueError:
        key = b""
    if not key:
        raise ConfigurationError("The secret of a webhook is whsec_ and Base64.")
    return key


def _demanded(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(f"webhook-{name}")
    if not value:
        raise WebhookSignatureError(f"It has no webhook-{name}.")
    return value


def _document(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise WebhookSignatureError("It is genuine, but no JSON object.")
    return document
