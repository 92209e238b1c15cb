"""One unexpected error does not block anything else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from sqlalchemy import delete

from blogsvc.connectors import connectors
from blogsvc.connectors.base import Account, Article, Connector, Field, Keys, Payload, Receipt
from blogsvc.delivery import decide
from blogsvc.models import Connection, Post, Revision, db, transaction
from blogsvc.posts import publishing
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform

Make = Callable[..., Post]


class Brittle(Connector):
    """Crashes while it creates its keys, but only for some posts."""

    key = "brittle"
    label = "Brittle"
    fields = (Field("url", "Address"),)
    is_mended = False

    def verify(self) -> Account:
        return Account("somebody")

    def compose(self, article: Article, options: object) -> Payload:
        return Payload({"title": article.title})

    def mint(self, article: Article) -> Keys:
        if "poison" in article.title and not self.is_mended:
            raise RuntimeError("nobody thought of this")
        return {"minted": article.title}

    def publish(self, payload: Payload, keys: Keys) -> Receipt:
        assert keys["minted"] == payload.body["title"]
        return Receipt(str(payload.body["title"]))


@pytest.fixture
def brittle(link: Callable[..., Connection]) -> Iterator[str]:
    connectors()["brittle"] = Brittle
    yield link("brittle").name
    del connectors()["brittle"]


def state(post: Post, platform: str) -> str:
    delivery = post.delivery_to(platform)
    assert delivery is not None
    return delivery.state


def test_a_connector_that_crashes_on_one_post_still_delivers_the_next(
    a_post: Make, brittle: str, tick: Callable[[], None]
) -> None:
    poison = a_post(live=True, title="poison", platforms=[brittle])
    good = a_post(live=True, title="good", platforms=[brittle])
    tick()
    tick()
    assert (state(poison, brittle), state(good, brittle)) == ("failed", "delivered")
    assert poison.deliveries[0].error_code == "internal"


def test_a_delivery_that_is_retried_after_its_connector_crashed_has_all_its_keys(
    a_post: Make, brittle: str, tick: Callable[[], None], monkeypatch: pytest.MonkeyPatch, time: Time
) -> None:
    post = a_post(live=True, title="poison", platforms=[brittle])
    tick()
    assert state(post, brittle) == "failed"
    monkeypatch.setattr(Brittle, "is_mended", True)
    decide.retry(post.deliveries[0], time())
    tick()
    assert state(post, brittle) == "delivered"


def test_a_post_that_cannot_be_published_is_marked_as_missed_and_does_not_block_later_posts(
    a_post: Make, time: Time, tick: Callable[[], None]
) -> None:
    at = time() + timedelta(hours=1)
    first, second = (publishing.schedule(a_post(title=title), at, time()) for title in ("first", "second"))
    with transaction():  # an inconsistency that our code never creates
        db.session.execute(delete(Revision).where(Revision.id == first.live_revision_id))
    time.passes(hours=1)
    tick()
    assert (first.state, second.state) == ("missed", "published")


def test_a_manual_retry_reopens_a_lane_that_the_circuit_breaker_paused(
    a_post: Make, link: Callable[..., Connection], platform: FaultyPlatform, time: Time, tick: Callable[[], None]
) -> None:
    lane = link("faulty-key")
    post = a_post(live=True, platforms=[lane.name])
    with transaction():
        lane.paused_until = time() + timedelta(minutes=30)
        post.deliveries[0].postpone("retrying", time() + timedelta(minutes=30), "unavailable", "down", time())
    tick()
    assert state(post, lane.name) == "retrying"

    decide.retry(post.deliveries[0], time())
    tick()
    assert state(post, lane.name) == "delivered"
