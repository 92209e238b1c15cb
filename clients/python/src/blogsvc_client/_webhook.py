"""Verification of webhook messages by the Standard Webhooks specification (https://www.standardwebhooks.com)."""

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

from . import _decode
from ._errors import ConfigurationError, WebhookSignatureError
from ._record import Record
from .types.responses import Event

PREFIX = "whsec_"
TOLERANCE = 300  # seconds


class WebhookPost(Record):
    """The summary of a post in a message. Fetch the post for its other fields."""

    id: str
    title: str
    slug: str
    status: str
    url: str | None
    scheduled_at: datetime | None
    published_at: datetime | None
    updated_at: datetime
    deleted_at: datetime | None

    _decoders = {
        "scheduledAt": _decode.parse_time,
        "publishedAt": _decode.parse_time,
        "updatedAt": _decode.parse_time,
        "deletedAt": _decode.parse_time,
    }


class WebhookData(Record):
    """An event, and the state of its post when the message was created."""

    event: Event
    post: WebhookPost | None

    _decoders = {"event": Event, "post": WebhookPost}


class WebhookMessage(Record):
    """A verified message. It may be delivered more than once: use its `webhook-id` to detect duplicates."""

    type: str
    timestamp: datetime
    data: WebhookData

    _decoders = {"timestamp": _decode.parse_time, "data": WebhookData}


class Headers(Protocol):
    """The request headers of any web framework."""

    def items(self) -> Iterable[tuple[str, str]]: ...


class Webhook:
    """Verifies webhook messages.

    Args:
        secret: The signing secret (`whsec_...`). Pass several while you rotate it.

    Raises:
        ConfigurationError: A secret is missing or invalid.
    """

    def __init__(self, secret: str | Sequence[str]) -> None:
        secrets = [secret] if isinstance(secret, str) else secret
        if not secrets:
            raise ConfigurationError("No secret. Pass the signing secret of the webhook.")
        self._keys = [_key(one) for one in secrets]

    def verify(self, body: bytes | str, headers: Headers, now: float | None = None) -> WebhookMessage:
        """Verify a message and return it.

        Args:
            body: The raw request body. Do not parse it first.
            headers: The request headers. Their names are case-insensitive.
            now: Unix time in seconds. Default: the current time.

        Raises:
            WebhookSignatureError: The signature is invalid, or the timestamp is more than five minutes off.
        """
        found = {name.lower(): value for name, value in headers.items()}
        message_id, timestamp, signatures = (_required_header(found, name) for name in ("id", "timestamp", "signature"))
        if not re.fullmatch(r"\d{1,15}", timestamp, re.ASCII):
            raise WebhookSignatureError("The header webhook-timestamp is not a Unix time.")
        if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE:
            raise WebhookSignatureError(
                "The timestamp is more than five minutes off. The message may be a replay, or a clock may be wrong."
            )
        content = body.encode() if isinstance(body, str) else bytes(body)
        if not self._is_signed(f"{message_id}.{timestamp}.".encode() + content, signatures):
            raise WebhookSignatureError("No signature matches this secret.")
        return WebhookMessage(_document(content))

    def _is_signed(self, content: bytes, signatures: str) -> bool:
        given = [
            text.encode() for version, _, text in (one.partition(",") for one in signatures.split()) if version == "v1"
        ]
        expected = [base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()) for key in self._keys]
        return any(hmac.compare_digest(one, other) for one in given for other in expected)


def _key(secret: str) -> bytes:
    """Decode a secret. Raises ConfigurationError without showing the secret."""
    try:
        key = base64.b64decode(secret[len(PREFIX) :], validate=True) if secret.startswith(PREFIX) else b""
    except ValueError:
        key = b""
    if not key:
        raise ConfigurationError("A webhook secret must be whsec_ followed by Base64.")
    return key


def _required_header(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(f"webhook-{name}")
    if not value:
        raise WebhookSignatureError(f"The header webhook-{name} is missing.")
    return value


def _document(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        document = None
    if not isinstance(document, dict):
        raise WebhookSignatureError("The message is not a JSON object.")
    return document
