"""Signatures of Standard Webhooks (https://www.standardwebhooks.com), version 1."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
KEY_BYTES = range(24, 65)


def make_secret() -> str:
    """Return a new secret: `whsec_` and 32 random bytes in Base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """Return the three headers of a message. `timestamp` is the time of the attempt, as a Unix timestamp.

    `secret` can be several, separated by spaces, during a rotation. Raises ValueError if one is invalid.
    """
    signatures = [sign(one, message_id, timestamp, body) for one in secret.split()]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Return `v1,` and the HMAC-SHA256 of the message. Raises ValueError if the secret is invalid."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(key_of(secret), signed, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def key_of(secret: str) -> bytes:
    """Return the key in a secret. Raises ValueError unless it is `whsec_` and Base64 of 24 to 64 bytes."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(PREFIX) or len(key) not in KEY_BYTES:
        raise ValueError(f"A secret must be {PREFIX} followed by 24 to 64 bytes in Base64.")
    return key
