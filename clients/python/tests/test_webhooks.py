"""Verification of webhook messages, beyond the cases in the contract."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from datetime import datetime, timezone

import pytest

from blogsvc_client import ConfigurationError, Webhook, WebhookSignatureError

KEY = b"k" * 24
SECRET = "whsec_" + base64.b64encode(KEY).decode()
BODY = json.dumps(
    {
        "type": "post.published",
        "timestamp": "2026-11-24T09:00:00Z",
        "data": {"event": {"id": "evt_1", "createdAt": "2026-11-24T09:00:00Z"}, "post": None},
    }
).encode()


def headers(body: bytes, at: str = "1000") -> dict[str, str]:
    signed = hmac.new(KEY, b"msg_1." + at.encode() + b"." + body, hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(signed).decode()
    return {"webhook-id": "msg_1", "webhook-timestamp": at, "webhook-signature": signature}


def test_a_verified_message_has_its_event() -> None:
    message = Webhook(SECRET).verify(BODY, headers(BODY), now=1000)
    assert message.timestamp == message.data.event.created_at == datetime(2026, 11, 24, 9, tzinfo=timezone.utc)
    assert message.data.post is None
    assert Webhook([SECRET]).verify(BODY.decode(), headers(BODY), now=1300) == message


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff"])
def test_a_signed_body_that_is_not_a_json_object_is_rejected(body: bytes) -> None:
    with pytest.raises(WebhookSignatureError, match="not a JSON object"):
        Webhook(SECRET).verify(body, headers(body), now=1000)


def test_a_non_ascii_signature_is_rejected() -> None:
    with pytest.raises(WebhookSignatureError, match="No signature matches"):
        Webhook(SECRET).verify(BODY, {**headers(BODY), "webhook-signature": "v1,é"}, now=1000)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_é", SECRET[6:], []])
def test_an_invalid_secret_is_rejected(secret: str) -> None:
    with pytest.raises(ConfigurationError):
        Webhook(secret)


def test_repr_shows_no_secret() -> None:
    assert SECRET[6:] not in repr(Webhook(SECRET))
