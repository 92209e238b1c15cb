"""A delivery with many requests ends before its lease expires, so that nobody sends it concurrently."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc import connectors
from blogsvc.connectors.base import Keys, Payload, Receipt
from blogsvc.models import Delivery, Post
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform


@pytest.fixture
def laborious(faulty: None, monkeypatch: pytest.MonkeyPatch) -> str:
    """A connector that sends ten requests before it creates a copy."""
    kind = connectors.connector("faulty-find")

    class Laborious(kind):  # type: ignore[misc, valid-type]
        key = "laborious"

        def publish(self, payload: Payload, keys: Keys) -> Receipt:
            for _ in range(10):
                self.call("GET", "me")
            receipt: Receipt = super().publish(payload, keys)
            return receipt

    monkeypatch.setitem(connectors.connectors(), "laborious", Laborious)
    return "laborious"


def test_an_attempt_that_takes_too_long_is_stopped_and_the_copy_created_once_later(
    laborious: str,
    link: Callable[[str], None],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    time: Time,
    tick: Callable[[], None],
    delivery: Callable[[Post, str], Delivery],
) -> None:
    link(laborious)
    post = a_post(live=True, platforms=[laborious])
    platform.always("slow")
    tick()
    assert platform.account(laborious).creates == []
    assert delivery(post, laborious).state == "retrying"
    platform.behaves()
    for _ in range(3):
        time.passes(minutes=31)
        tick()
    assert delivery(post, laborious).state == "delivered"
    assert len(platform.account(laborious).made) == 1
