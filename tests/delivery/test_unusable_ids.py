"""A hostile platform names a copy with an id that can't be stored: nothing is sent again, and a person decides."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.base import Receipt, UnusableId
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Post
from tests.clock import Time
from tests.connectors.fake_mastodon import SERVER, TOKEN, FakeMastodon
from tests.outside import Outside, Seen

UNUSABLE = ["x" * 2001, "a\0b", "\ud800"]
names = pytest.mark.parametrize("remote_id", UNUSABLE, ids=["too long", "NUL", "a surrogate"])


@names
def test_a_delivery_with_an_unusable_id_asks_a_person_at_once(
    remote_id: str,
    app: object,
    a_post: Callable[..., Post],
    outside: Outside,
    tick: Callable[[], None],
    time: Time,
    tools: Tools,
) -> None:
    FakeMastodon(outside)
    manage.connect("mastodon", "mastodon", {"url": SERVER, "token": TOKEN}, tools)
    outside.always(is_creation, json={"id": remote_id, "content": "<p>Trees</p>"})
    post = a_post(live=True, platforms=["mastodon"])
    for _ in range(4):
        tick()
        time.passes(hours=1)
    delivery = post.deliveries[0]
    assert (delivery.state, delivery.next_attempt_at) == ("uncertain", None)
    assert "can't be stored" in (delivery.error_detail or "")
    assert len([seen for seen in outside.requests if is_creation(seen)]) == 1
    decide.resolve_delivered(delivery, None, tools.now(), tools)
    assert post.deliveries[0].state == "delivered"


def is_creation(seen: Seen) -> bool:
    return seen.method == "POST"


@names
@pytest.mark.parametrize("part", ["remote_id", "version", "extra"])
def test_no_receipt_has_a_part_that_cannot_be_stored(part: str, remote_id: str) -> None:
    if part == "extra" and len(remote_id) > 2000:
        pytest.skip("other data has no limit")
    value = {"image": remote_id} if part == "extra" else remote_id
    with pytest.raises(UnusableId):
        Receipt(**{"remote_id": "7", part: value})  # type: ignore[arg-type]
