"""A locked database loses no response: only the attempt knows its result."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import timedelta
from time import sleep

import pytest
from sqlalchemy import delete

from blogsvc.config import Config
from blogsvc.errors import Busy
from blogsvc.models import Delivery, Post, Revision, db, transaction
from blogsvc.posts import publishing
from tests.clock import Time
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


class LockedBetween(logging.Handler):
    """Locks the database from when one message is logged until another is."""

    def __init__(self, rows_url: str, first: str, last: str) -> None:
        super().__init__()
        self.rows_url, self.first, self.last = rows_url, first, last
        self.held = ExitStack()

    def emit(self, record: logging.LogRecord) -> None:
        if self.first in record.getMessage():
            self.held.enter_context(another(self.rows_url, writes=True))
        elif self.last in record.getMessage():
            self.held.close()


def test_a_post_is_not_missed_because_the_database_is_locked_when_due_posts_are_tried_one_by_one(
    a_post: Callable[..., Post], time: Time, config: Config, tick: Callable[[], None]
) -> None:
    due = time() + timedelta(hours=1)
    good = publishing.schedule(a_post(title="Good"), due, time())
    bad = publishing.schedule(a_post(title="Bad"), due, time())
    with transaction():  # an inconsistency that our code never creates
        db.session.execute(delete(Revision).where(Revision.id == bad.live_revision_id))
    time.passes(hours=1)
    locked = LockedBetween(config.rows_url, "trying them one by one", "cannot be published")
    logging.getLogger("blogsvc").addHandler(locked)
    with suppress(Busy):
        tick()
    logging.getLogger("blogsvc").removeHandler(locked)
    locked.held.close()
    for _ in range(2):
        tick()
    assert (Post.get(good.id).state, Post.get(bad.id).state) == ("published", "missed")
