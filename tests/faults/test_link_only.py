"""A copy of which only the link is known, because a person entered it: blogsvc changes and deletes nothing there."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from blogsvc.context import Tools
from blogsvc.delivery import decide, reconcile
from blogsvc.errors import Invalid
from blogsvc.models import Delivery, Post
from blogsvc.posts import editing, publishing
from tests.clock import Time
from tests.faulty_platform import FaultyPlatform

Tick = Callable[[], None]
Find = Callable[[Post, str], Delivery]
Posts = Callable[..., Post]
KEYLESS = "faulty-none"


@pytest.fixture
def by_owner(link: Tick, a_post: Posts, tick: Tick) -> Post:
    """A post of the owner, with its copy."""
    link(KEYLESS)
    post = a_post(live=True, platforms=[KEYLESS])
    tick()
    return post


@pytest.fixture
def uncertain(by_owner: Post, a_post: Posts, platform: FaultyPlatform, tick: Tick) -> Post:
    """A post of an author, who has to say whether it arrived."""
    platform.account(KEYLESS).always("reset-after")
    post = a_post(live=True, platforms=[KEYLESS])
    tick()
    platform.account(KEYLESS).usual = None
    platform.account(KEYLESS).calls.clear()
    return post


def withdraw(post: Post, name: str, delivery: Find, time: Time, tick: Tick) -> Delivery:
    decide.withdraw(delivery(post, name), time(), delete=True)
    tick()
    return delivery(post, name)


@pytest.mark.parametrize("part", ["remote_id", "url"])
def test_the_address_of_another_copy_is_not_taken(
    part: str, by_owner: Post, uncertain: Post, delivery: Find, time: Time, tools: Tools
) -> None:
    address = getattr(delivery(by_owner, KEYLESS), part)
    with pytest.raises(Invalid):
        decide.resolve_delivered(delivery(uncertain, KEYLESS), address, time(), tools)
    assert delivery(uncertain, KEYLESS).state == "uncertain"


@pytest.mark.parametrize("address", ["https://x/../../../../lists/7", "https://there.example/of-the-owner", None])
def test_withdrawing_asks_the_author_to_delete_the_copy_there(
    address: str | None,
    uncertain: Post,
    delivery: Find,
    platform: FaultyPlatform,
    time: Time,
    tick: Tick,
    tools: Tools,
) -> None:
    decide.resolve_delivered(delivery(uncertain, KEYLESS), address, time(), tools)
    assert (delivery(uncertain, KEYLESS).state, delivery(uncertain, KEYLESS).url) == ("delivered", address)
    failed = withdraw(uncertain, KEYLESS, delivery, time, tick)
    assert (failed.state, failed.error_code) == ("failed", "unsupported")
    assert "Delete it on Faulty with neither." in (failed.error_detail or "")
    assert platform.account(KEYLESS).calls == []


def test_an_update_asks_the_author_to_change_the_copy_there(
    uncertain: Post, delivery: Find, platform: FaultyPlatform, time: Time, tick: Tick, tools: Tools
) -> None:
    decide.resolve_delivered(delivery(uncertain, KEYLESS), "https://there.example/1", time(), tools)
    editing.edit(uncertain, {"title": "Newer"}, None, time())
    publishing.publish(uncertain, time())
    tick()
    assert delivery(uncertain, KEYLESS).state == "delivered"
    assert platform.account(KEYLESS).calls == []


def test_a_copy_of_which_only_the_link_is_known_is_not_checked(
    uncertain: Post, delivery: Find, platform: FaultyPlatform, time: Time, tools: Tools
) -> None:
    decide.resolve_delivered(delivery(uncertain, KEYLESS), "https://there.example/1", time(), tools)
    [(_, result)] = reconcile.check_now(delivery(uncertain, KEYLESS).post, tools)
    assert (result.state, "only the link" in str(result.detail)) == ("unknown", True)
    assert platform.account(KEYLESS).calls == []
