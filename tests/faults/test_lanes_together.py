"""Lanes whose outcomes wait for the database at the same time store them together, and lose none."""

from __future__ import annotations

from collections.abc import Callable
from time import sleep

import pytest
from sqlalchemy import delete

from blogsvc.config import Config
from blogsvc.models import Delivery, Post
from tests.databases import another
from tests.faults.conftest import Beside
from tests.faulty_platform import FaultyPlatform

NAMES = ("one", "two", "three", "four")
A_MOMENT = 0.3  # seconds; the tests also hold if the outcomes arrive later

pytestmark = pytest.mark.settings(busy_timeout_seconds=30, send_timeout_seconds=30)


@pytest.fixture
def sent(
    link: Callable[..., object], a_post: Callable[..., Post], platform: FaultyPlatform, beside: Beside
) -> list[Post]:
    """Two posts to four accounts. The requests for the first one have arrived, and wait for their responses."""
    for name in NAMES:
        link("faulty-key", name)
    posts = [a_post(live=True, platforms=list(NAMES), title=title) for title in ("First", "Second")]
    platform.will(*["late"] * len(NAMES))
    beside.tick()
    assert platform.wait_for(lambda: all(len(platform.account(name).calls) == 1 for name in NAMES))
    return posts


def test_outcomes_that_wait_together_are_all_stored_and_the_next_deliveries_sent(
    sent: list[Post],
    platform: FaultyPlatform,
    beside: Beside,
    config: Config,
    delivery: Callable[[Post, str], Delivery],
) -> None:
    with another(config.rows_url, writes=True):
        platform.goes_on()
        sleep(A_MOMENT)
    beside.wait()
    for post in sent:
        copies = [delivery(post, name) for name in NAMES]
        assert [copy.state for copy in copies] == ["delivered"] * len(NAMES)
        assert [[attempt.outcome for attempt in copy.attempts] for copy in copies] == [["succeeded"]] * len(NAMES)
    assert all(len(platform.account(name).made) == 2 for name in NAMES)


def test_a_delivery_that_was_erased_meanwhile_does_not_harm_those_it_waits_with(
    sent: list[Post],
    platform: FaultyPlatform,
    beside: Beside,
    config: Config,
    delivery: Callable[[Post, str], Delivery],
) -> None:
    erased = delivery(sent[0], "two").id
    with another(config.rows_url, writes=True) as rows:
        platform.goes_on()
        sleep(A_MOMENT)
        rows.execute(delete(Delivery).where(Delivery.id == erased))
    beside.wait()
    states = {name: delivery(sent[0], name).state for name in NAMES if name != "two"}
    assert states == {"one": "delivered", "three": "delivered", "four": "delivered"}
    assert [delivery(sent[1], name).state for name in NAMES] == ["delivered"] * len(NAMES)
    assert all(len(platform.account(name).made) == 2 for name in NAMES)
