"""Our webhook signatures, checked with the reference verifier."""

from __future__ import annotations

import base64
import time

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from blogsvc.lib.standard_webhooks import headers, make_secret, sign

BODY = '{"type":"post.published","data":{"title":"Grüße 🌳"}}'.encode()
# The example of the specification, libraries/javascript.
KNOWN_SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
KNOWN_BODY = b'{"test": 2432232314}'


def signed(secret, body=BODY, at=None):
    return headers(secret, "msg_1", int(time.time() if at is None else at), body)


def test_the_reference_verifier_accepts_our_signature():
    secret = make_secret()
    assert Webhook(secret).verify(BODY, signed(secret))["type"] == "post.published"


def test_our_signature_matches_the_example_of_the_specification():
    signature = sign(KNOWN_SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, KNOWN_BODY)
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_changed_body_is_rejected():
    secret = make_secret()
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(BODY.replace(b"post", b"past"), signed(secret))


def test_another_id_is_rejected():
    secret = make_secret()
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(BODY, {**signed(secret), "webhook-id": "msg_2"})


def test_an_old_message_is_rejected():
    secret = make_secret()
    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(BODY, signed(secret, at=time.time() - 3600))


def test_both_secrets_are_accepted_during_a_rotation():
    old, new = make_secret(), make_secret()
    both = signed(f"{new} {old}")
    assert Webhook(old).verify(BODY, both)
    assert Webhook(new).verify(BODY, both)


def test_every_generated_secret_is_different():
    assert len({make_secret() for _ in range(100)}) == 100


TOO_SHORT, TOO_LONG, WITHOUT_PREFIX = (base64.b64encode(bytes(length)).decode() for length in (5, 65, 32))


@pytest.mark.parametrize(
    "secret",
    ["", "hunter2", "whsec_", "whsec_!!!!", f"whsec_{TOO_SHORT}", f"whsec_{TOO_LONG}", WITHOUT_PREFIX],
)
def test_an_invalid_secret_is_rejected_without_being_repeated(secret):
    with pytest.raises(ValueError) as caught:
        sign(secret, "msg_1", 0, BODY)
    assert secret in ("", "whsec_") or secret not in str(caught.value)
