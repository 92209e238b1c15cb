"""The sandbox: a destination that publishes nowhere and fails on request."""

from __future__ import annotations

import pytest

from blogsvc.connectors.base import Disconnected, Rejected, Unavailable, Uncertain
from blogsvc.connectors.sandbox import (
    EXPIRED,
    FAILS,
    FAILS_ONCE,
    LOSES,
    MAX_CHARACTERS,
    REFUSES,
    SLOW,
    SLOW_SECONDS,
    Sandbox,
)
from blogsvc.models import Delivery
from tests.connectors.contract import AN_ARTICLE, Contract, with_own_text


class Counted(Sandbox):
    """Remembers its copies, which the product does not need."""

    def __post_init__(self):
        super().__post_init__()
        self.copies = set()

    def publish(self, payload, keys):
        receipt = super().publish(payload, keys)
        self.copies.add(receipt.remote_id)
        return receipt

    def delete(self, keys, receipt):
        super().delete(keys, receipt)
        self.copies.discard(receipt.remote_id)


class TestContract(Contract):
    too_long = with_own_text(AN_ARTICLE, "long " * MAX_CHARACTERS)

    def make(self, outside):
        self.sandbox = Counted({"outcome": "works"}, outside.http())
        return self.sandbox

    def copies(self, outside):
        return len(self.sandbox.copies)


def publish(sandbox, options=None, operation="op-1"):
    return sandbox.publish(sandbox.compose(AN_ARTICLE, options or {}), {"operation": operation})


def a_sandbox(outcome, session=None):
    return Sandbox({"outcome": outcome}, session={} if session is None else session, pause=lambda _: None)


@pytest.mark.parametrize(
    ("outcome", "error"),
    [(FAILS, Unavailable), (FAILS_ONCE, Unavailable), (REFUSES, Rejected), (LOSES, Uncertain), (EXPIRED, Disconnected)],
)
def test_each_outcome_raises_its_error(outcome, error):
    with pytest.raises(error):
        publish(a_sandbox(outcome))


@pytest.mark.parametrize("outcome", [FAILS_ONCE, LOSES])
def test_fails_once_succeeds_the_second_time(outcome):
    session = {}
    with pytest.raises((Unavailable, Uncertain)):
        publish(a_sandbox(outcome, session))
    assert publish(a_sandbox(outcome, session))
    with pytest.raises((Unavailable, Uncertain)):
        publish(a_sandbox(outcome, session), operation="op-2")


def test_the_slow_outcome_waits():
    waited = []
    sandbox = Sandbox({"outcome": SLOW}, pause=waited.append)
    assert publish(sandbox)
    assert waited == [SLOW_SECONDS]


def test_a_post_can_choose_its_own_outcome():
    with pytest.raises(Rejected):
        publish(a_sandbox("works"), {"outcome": REFUSES})
    assert publish(a_sandbox(REFUSES), {"outcome": "works"})


def test_a_copy_has_no_public_url():
    assert publish(a_sandbox("works")).url is None


def test_the_length_is_compared_with_the_limit():
    payload = a_sandbox("works").compose(AN_ARTICLE, {})
    assert payload.length == len(payload.body["text"]) <= MAX_CHARACTERS


def test_the_sandbox_is_available_and_not_connected_by_default(api):
    assert "sandbox" in [connector["key"] for connector in api.get("/connectors?limit=100").json["data"]]
    assert [connection["name"] for connection in api.get("/platforms").json["data"]] == ["site"]


def test_a_post_fails_once_and_is_delivered_on_retry(api, tick, time, a_post):
    connected = api.post(
        "/platforms", json={"connector": "sandbox", "name": "sandbox", "settings": {"outcome": FAILS_ONCE}}
    )
    assert connected.status_code == 201
    post = a_post(live=True, platforms=["site", "sandbox"])
    tick()
    assert post.delivery_to("sandbox").state == "retrying"
    time.passes(minutes=1)
    tick()
    assert Delivery.get(post.delivery_to("sandbox").id).state == "delivered"
