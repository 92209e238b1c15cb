"""Exactly one message per event and webhook, whatever happens."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from threading import Thread

import pytest
from flask import Flask
from sqlalchemy import delete, event, select

from blogsvc.context import Tools
from blogsvc.models import Event, Post, WebhookDelivery, became_due, db
from blogsvc.models.event import IN_ORDER
from blogsvc.posts import publishing
from blogsvc.scheduler.one_pass import one_pass
from blogsvc.webhooks import announce
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside, Reply, Seen
from tests.webhooks.receiving import HOOK, Posts, Subscribe, Tick, attempts, log, sent_to, types


class Killed(BaseException):
    """The process was killed."""


def test_killed_while_queueing_messages_each_is_queued_once_afterwards(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Tools
) -> None:
    subscribe("post.*", name="one")
    subscribe("post.*", name="two")
    for _ in range(3):
        a_post()

    def die(_session: object) -> None:
        raise Killed

    event.listen(db.session, "before_commit", die)
    try:
        with pytest.raises(Killed):
            announce.announce(tools)
    finally:
        event.remove(db.session, "before_commit", die)
    for _ in range(3):
        tick()
    for name in ("one", "two"):
        assert types(sent_to(outside, name)) == ["post.created"] * 3


def test_killed_between_sending_and_storing_the_result_the_message_is_resent_with_the_same_id(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    def die(_seen: Seen) -> Reply:
        raise Killed

    outside.teach("POST", HOOK, die)
    webhook = subscribe("post.created")
    a_post()
    tick()
    assert [row["state"] for row in log(api, webhook)] == ["sending"]
    tick()
    assert len(outside.requests) == 1  # it may still be in progress
    time.passes(minutes=1)
    tick()
    time.passes(seconds=6)
    tick()
    (row,) = log(api, webhook)
    assert row["state"] == "delivered"
    assert len({seen.headers["webhook-id"] for seen in outside.requests}) == 1
    assert [one["error"] and one["error"]["code"] for one in attempts(api, webhook, row)] == ["lost", None]


def test_two_concurrent_schedulers_send_every_event_once(
    app: Flask, subscribe: Subscribe, a_post: Posts, outside: Outside, tools: Tools
) -> None:
    for name in ("one", "two", "three"):
        subscribe("post.*", "delivery.*", name=name)
    running = [True]

    def tick_on() -> None:
        while running:
            one_pass(app, tools)

    threads = [Thread(target=tick_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        publishing.publish(a_post(), tools.now())
    running.clear()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    one_pass(app, tools)
    db.session.rollback()
    wanted = Counter(db.session.scalars(select(Event.id).order_by(*IN_ORDER)))
    assert len(wanted) == 15 * 4
    for name in ("one", "two", "three"):
        assert Counter(seen.json()["data"]["event"]["id"] for seen in sent_to(outside, name)) == wanted


def test_a_long_backlog_of_events_is_sent_in_order(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Tools
) -> None:
    subscribe("post.created")
    ids = [a_post().id for _ in range(announce.ANNOUNCE_BATCH + 5)]
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == ids


def test_the_stored_body_is_the_one_that_was_sent(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, app: Flask
) -> None:
    subscribe("post.created")
    a_post(title="Grüße 🌳")
    tick()
    (kept,) = db.session.scalars(select(WebhookDelivery.body))
    assert kept == outside.requests[0].body
    assert json.loads(kept)["data"]["post"]["title"] == "Grüße 🌳"


def test_an_event_whose_post_was_erased_is_still_sent(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Tools
) -> None:
    webhook = subscribe("post.created")
    a_post()
    announce.announce(tools)
    second = a_post()
    db.session.execute(delete(Post))
    db.session.commit()
    tick()
    (seen,) = outside.requests  # queued in time; other events were deleted with their post
    assert seen.json()["data"]["post"]["id"] != second.id
    assert [row["state"] for row in log(api, webhook)] == ["delivered"]


@pytest.fixture
def wake_ups() -> Iterator[list[object]]:
    """One entry for each time the scheduler was woken."""
    calls: list[object] = []

    def note(sender: object) -> None:
        calls.append(sender)

    became_due.connect(note)
    yield calls
    became_due.disconnect(note)


def test_an_event_wakes_the_scheduler_only_if_a_webhook_subscribes_to_it(
    api: Api, subscribe: Subscribe, a_post: Posts, wake_ups: list[object]
) -> None:
    a_post()
    assert wake_ups == []
    other = subscribe("scheduler.stalled", name="other")
    a_post()
    assert wake_ups == []
    webhook = subscribe("post.*")
    a_post()
    assert len(wake_ups) == 1
    for one in (other, webhook):
        api.patch(f"/webhooks/{one['id']}", enabled=False)
    wake_ups.clear()
    a_post()
    assert wake_ups == []
