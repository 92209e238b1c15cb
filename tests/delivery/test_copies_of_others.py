"""Platforms find a copy by its link or text, which another post can have, too: its copy is left alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.connections import manage
from blogsvc.context import Tools
from blogsvc.delivery import decide
from blogsvc.models import Post
from tests.clock import Time
from tests.connectors.test_devto import KEY, FakeForem
from tests.outside import Outside

CANONICAL = "https://trees.example/of-trees"


@pytest.fixture
def forem(app: object, tools: Tools, outside: Outside) -> FakeForem:
    forem = FakeForem(outside, clock=lambda: tools.now().timestamp())
    manage.connect("devto", "devto", {"api_key": KEY}, tools)
    return forem


def test_the_copy_of_another_post_is_not_adopted(
    forem: FakeForem, a_post: Callable[..., Post], tick: Callable[[], None], time: Time, tools: Tools
) -> None:
    owned = a_post(live=True, platforms=["devto"], title="Of trees", canonical_url=CANONICAL)
    tick()
    time.passes(minutes=5)
    post = a_post(live=True, platforms=["devto"], title="Of bushes", canonical_url=CANONICAL)
    tick()
    assert owned.deliveries[0].state == "delivered"
    delivery = post.deliveries[0]
    assert (delivery.state, delivery.remote_id) == ("failed", None)
    assert "belongs to another post" in (delivery.error_detail or "")
    [article] = forem.articles.values()
    assert (article["title"], article["published"]) == ("Of trees", True)


def test_the_copy_of_another_post_is_not_found_for_an_uncertain_one(
    forem: FakeForem, a_post: Callable[..., Post], tick: Callable[[], None], time: Time, tools: Tools, outside: Outside
) -> None:
    a_post(live=True, platforms=["devto"], title="Of trees", canonical_url=CANONICAL)
    tick()
    time.passes(minutes=5)
    outside.always(lambda seen: seen.method == "POST", status=500)
    post = a_post(live=True, platforms=["devto"], title="Of bushes", canonical_url=CANONICAL)
    tick()
    outside.always()
    time.passes(minutes=5)
    tick()
    assert (post.deliveries[0].state, post.deliveries[0].remote_id) == ("uncertain", None)
    decide.resolve_delivered(post.deliveries[0], None, tools.now(), tools)
    assert post.deliveries[0].is_link_only
    decide.withdraw(post.deliveries[0], tools.now(), delete=True)
    tick()
    [article] = forem.articles.values()
    assert article["published"] is True
