"""Others write with the same account, by hand or with posts of the same link and text: blogsvc leaves those alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Delivery, Post
from blogsvc.posts import publishing
from tests.clock import Time
from tests.connectors.fake_mastodon import SERVER, TOKEN, FakeMastodon
from tests.connectors.test_devto import KEY, FakeForem
from tests.outside import Outside, Seen

CANONICAL = "https://trees.example/of-trees"
Posts = Callable[..., Post]
Tick = Callable[[], None]


@pytest.fixture
def forem(app: object, tools: Tools, outside: Outside) -> FakeForem:
    forem = FakeForem(outside, clock=lambda: tools.now().timestamp())
    manage.connect("devto", "devto", {"api_key": KEY}, tools)
    return forem


@pytest.fixture
def mastodon(app: object, tools: Tools, outside: Outside) -> FakeMastodon:
    mastodon = FakeMastodon(outside)
    mastodon.now = tools.now()
    manage.connect("mastodon", "mastodon", {"url": SERVER, "token": TOKEN}, tools)
    return mastodon


@pytest.fixture
def publish(a_post: Posts, tick: Tick) -> Callable[..., Delivery]:
    """Return a function that publishes a post with the same canonical URL as the others."""

    def one(platform: str, title: str = "Of trees") -> Delivery:
        post = a_post(live=True, platforms=[platform], title=title, canonical_url=CANONICAL)
        tick()
        return post.deliveries[0]

    return one


def is_creation(seen: Seen) -> bool:
    return seen.method == "POST"


class TestDev:
    def test_the_copy_of_another_post_is_not_adopted(
        self, forem: FakeForem, publish: Callable[..., Delivery], time: Time
    ) -> None:
        owned = publish("devto")
        time.passes(minutes=5)
        delivery = publish("devto", "Of bushes")
        assert owned.state == "delivered"
        assert (delivery.state, delivery.error_code, delivery.remote_id) == ("failed", "duplicate", None)
        [article] = forem.articles.values()
        assert (article["title"], article["published"]) == ("Of trees", True)

    def test_the_copy_of_another_post_is_not_found_for_an_uncertain_one(
        self,
        forem: FakeForem,
        publish: Callable[..., Delivery],
        tick: Tick,
        time: Time,
        tools: Tools,
        outside: Outside,
    ) -> None:
        publish("devto")
        outside.always(is_creation, status=500)
        delivery = publish("devto", "Of bushes")
        outside.always()
        for _ in range(3):
            time.passes(minutes=5)
            tick()
        assert (delivery.state, delivery.remote_id) == ("uncertain", None)
        decide.resolve_delivered(delivery, None, tools.now(), tools)
        decide.withdraw(delivery, tools.now(), delete=True)
        tick()
        [article] = forem.articles.values()
        assert article["published"] is True

    def test_an_article_that_was_deleted_is_published_again_as_the_same_one(
        self, forem: FakeForem, publish: Callable[..., Delivery], tick: Tick, time: Time, tools: Tools
    ) -> None:
        """DEV only unpublishes it, and accepts no second article with its canonical URL."""
        delivery = publish("devto")
        time.passes(minutes=5)
        decide.withdraw(delivery, tools.now(), delete=True)
        tick()
        assert (delivery.state, forem.public()) == ("withdrawn", [])
        time.passes(minutes=5)
        publishing.publish(delivery.post, tools.now())
        tick()
        assert delivery.state == "delivered"
        assert [str(article["id"]) for article in forem.public()] == [delivery.remote_id]


class TestMastodon:
    def test_a_platform_that_returns_the_copy_of_another_post_is_asked_about(
        self,
        mastodon: FakeMastodon,
        publish: Callable[..., Delivery],
        tick: Tick,
        tools: Tools,
        outside: Outside,
    ) -> None:
        owned = publish("mastodon")
        outside.always(is_creation, json={"id": owned.remote_id, "content": "<p>Trees</p>"})
        delivery = publish("mastodon", "Of bushes")
        assert (delivery.state, delivery.next_attempt_at, delivery.remote_id) == ("uncertain", None, None)
        assert "the copy of another post" in (delivery.error_detail or "")
        decide.resolve_delivered(delivery, None, tools.now(), tools)
        decide.withdraw(delivery, tools.now(), delete=True)
        tick()
        assert list(mastodon.statuses) == [owned.remote_id]
