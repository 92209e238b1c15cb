"""Others write with the same account, by hand or with posts of the same link and text: blogsvc leaves those alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Delivery, Post
from blogsvc.models.extra_copy import extra_copies_of
from blogsvc.posts import publishing
from tests.clock import Time
from tests.connectors.fake_mastodon import SERVER, TOKEN, FakeMastodon
from tests.connectors.test_devto import KEY, FakeForem
from tests.outside import Outside, Reply, Seen

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

    @pytest.mark.parametrize("minutes", [1, 4])
    def test_an_article_written_by_hand_just_before_is_not_adopted(
        self, forem: FakeForem, a_post: Posts, tick: Tick, time: Time, minutes: int
    ) -> None:
        """Without an earlier attempt, it can't be our copy, although the clocks may differ by minutes."""
        text = {"title": "Of trees", "body_markdown": "Words of the *owner*.\n", "tags": [], "published": True}
        forem.last_write = int(time().timestamp())
        forem.save({"id": 7, "published": False}, text, 201)
        forem.last_write = -1
        time.passes(minutes=minutes)
        post = a_post(live=True, platforms=["devto"], title="Of trees", content="Words of the *owner*.\n")
        tick()
        [delivery] = post.deliveries
        assert (delivery.state, delivery.error_code, delivery.remote_id) == ("failed", "duplicate", None)
        assert forem.articles[7]["published"] is True

    def test_a_copy_that_arrives_after_it_was_not_found_is_adopted(
        self,
        forem: FakeForem,
        publish: Callable[..., Delivery],
        tick: Tick,
        time: Time,
        outside: Outside,
    ) -> None:
        outside.always(is_creation, status=500)
        delivery = publish("devto")
        [sent] = filter(is_creation, outside.requests)
        outside.always()
        time.passes(minutes=1)

        def arrives_late(reply: Reply) -> Reply:
            forem.last_write = int(time().timestamp()) - 2
            forem.create(sent)
            return reply

        outside.change_next(lambda seen: seen.method == "GET", arrives_late)
        tick()
        [article] = forem.public()
        assert (delivery.state, delivery.remote_id) == ("delivered", str(article["id"]))

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

    @pytest.fixture
    def sent_again(
        self, mastodon: FakeMastodon, publish: Callable[..., Delivery], tick: Tick, time: Time, outside: Outside
    ) -> Delivery:
        """A delivery that was sent again after a doubt, so that extra copies are searched for."""
        outside.always(is_creation, status=500)
        delivery = publish("mastodon")
        outside.always()
        for _ in range(2):
            time.passes(minutes=1)
            tick()
        assert delivery.state == "delivered"
        mastodon.now = time()
        return delivery

    @pytest.mark.parametrize("is_told", [True, False], ids=["searched before", "not searched yet"])
    def test_a_status_written_by_hand_with_the_same_link_is_no_extra_copy(
        self, is_told: bool, sent_again: Delivery, mastodon: FakeMastodon, tick: Tick, time: Time, tools: Tools
    ) -> None:
        mastodon.announce_by_hand("200001", f"I wrote this: {CANONICAL}")
        if is_told:
            time.passes(minutes=11)
            tick()
            assert extra_copies_of(sent_again.id) == []
        decide.withdraw(sent_again, tools.now(), delete=True)
        for _ in range(3):
            tick()
            time.passes(minutes=3)
        assert list(mastodon.statuses) == ["200001"]

    @pytest.mark.parametrize("is_told", [True, False], ids=["searched before", "not searched yet"])
    def test_the_copy_of_an_equal_post_is_no_extra_copy(
        self,
        is_told: bool,
        sent_again: Delivery,
        mastodon: FakeMastodon,
        publish: Callable[..., Delivery],
        tick: Tick,
        time: Time,
        tools: Tools,
    ) -> None:
        owned = publish("mastodon")
        if is_told:
            time.passes(minutes=11)
            tick()
            assert extra_copies_of(sent_again.id) == []
        decide.withdraw(sent_again, tools.now(), delete=True)
        for _ in range(3):
            tick()
            time.passes(minutes=3)
        assert list(mastodon.statuses) == [owned.remote_id]


def test_a_receiver_may_answer_every_post_with_the_same_id(
    tools: Tools, outside: Outside, publish: Callable[..., Delivery]
) -> None:
    outside.teach("POST", "https://hook.example/", json={"id": "received"})
    manage.connect("webhook", "hook", {"url": "https://hook.example/"}, tools)
    deliveries = [publish("hook", title) for title in ("Of trees", "Of bushes")]
    assert [delivery.state for delivery in deliveries] == ["delivered", "delivered"]
