"""A locked database loses no response: only the attempt knows its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import sleep

import pytest

from blogsvc.config import Config
from blogsvc.models import Delivery, Post
from tests.databases import another
from tests.faults.conftest import Beside
from tests.faulty_platform import FaultyPlatform

BUSY_AFTER = 0.05  # seconds


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, busy_timeout_seconds=BUSY_AFTER)


def test_a_response_that_arrives_while_the_database_is_locked_is_stored_once_it_is_free(
    link: Callable[..., object],
    a_post: Callable[..., Post],
    platform: FaultyPlatform,
    beside: Beside,
    config: Config,
    delivery: Callable[[Post, str], Delivery],
) -> None:
    link("faulty-none")
    post = a_post(live=True, platforms=["faulty-none"])
    platform.will("slow")
    beside.tick()
    assert platform.wait_for(lambda: platform.account("faulty-none").calls)
    with another(config.rows_url, writes=True):
        sleep(0.2 + 5 * BUSY_AFTER)  # the response arrives after 0.2 s, and cannot be stored until the lock is released
    beside.wait()
    assert delivery(post, "faulty-none").state == "delivered"
    assert len(delivery(post, "faulty-none").attempts) == 1
