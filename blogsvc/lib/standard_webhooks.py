"""Signatures as Standard Webhooks defines them (https://www.standardwebhooks.com), version 1."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets

PREFIX = "whsec_"
KEY_BYTES = range(24, 65)


def make_secret() -> str:
    """A new secret: `whsec_` and 32 random bytes in Base64."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def headers(secret: str, message_id: str, timestamp: int, body: bytes) -> dict[str, str]:
    """The three headers of a message. `timestamp` is that of the attempt, in seconds since 1970.

    `secret` may be several, parted by spaces, while one replaces another. Raises ValueError for a bad one.
    """
    signatures = [sign(one, message_id, timestamp, body) for one in secret.split()]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signatures),
    }


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """`v1,` and the HMAC-SHA256 of exactly these bytes. Raises ValueError for a bad secret."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.digest(key_of(secret), signed, hashlib.sha256)
    return "v1," + base64.b64encode(digest).decode()


def key_of(secret: str) -> bytes:
    """The key inside a secret. Raises ValueError unless it is `whsec_` and Base64 of 24 to 64 bytes."""
    try:
        key = base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(PREFIX) or len(key) not in KEY_BYTES:
        raise ValueError(f"A secret is {PREFIX} followed by Base64 of 24 to 64 bytes.")
    return key
