"""Webhook receivers on real connections with the real clock: a failing one delays neither others nor publishing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime

import pytest
from flask import Flask
from standardwebhooks import Webhook as Verifier

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.lib.time import utc_now
from blogsvc.models import Post, Webhook, WebhookDelivery, db
from blogsvc.scheduler.loop import Scheduler
from blogsvc.webhooks import manage
from tests.clock import Time, wait_until
from tests.faults.conftest import reload_rows
from tests.receiver import Receiver
from tests.tiers import exhaustive


class RealTime(Time):
    """The time of the machine, for tests that need it."""

    def __call__(self) -> datetime:
        return utc_now()


@pytest.fixture
def config(config: Config) -> Config:
    """Long enough that everything that does not wait for a hanging receiver is done before, even on a busy machine."""
    return replace(config, send_timeout_seconds=4)


@pytest.fixture
def time() -> Time:
    return RealTime()


@pytest.fixture
def receivers() -> Iterator[list[Receiver]]:
    with Receiver() as one, Receiver() as other:
        yield [one, other]


@pytest.fixture
def scheduler(app: Flask, tools: Tools) -> Iterator[Scheduler]:
    scheduler = Scheduler(app, tools)
    scheduler.start()
    yield scheduler
    scheduler.stop(grace_seconds=5)


def deliveries_to(webhook: Webhook) -> list[WebhookDelivery]:
    reload_rows()
    return list(db.session.query(WebhookDelivery).filter_by(webhook_id=webhook.id).order_by(WebhookDelivery.id))


def test_a_subscriber_receives_an_event_at_once_and_can_verify_it(
    scheduler: Scheduler, tools: Tools, receivers: list[Receiver], a_post: Callable[..., Post]
) -> None:
    webhook, secret = manage.subscribe(receivers[0].url, ["post.created"], "", None, tools)
    a_post()
    assert receivers[0].wait_for(1)
    (received,) = receivers[0].requests
    assert Verifier(secret).verify(received.body, {name.lower(): text for name, text in received.headers.items()})
    wait_until(lambda: deliveries_to(webhook)[0].state == "delivered")


@exhaustive
def test_a_hanging_subscriber_delays_neither_other_subscribers_nor_publishing(
    scheduler: Scheduler, tools: Tools, receivers: list[Receiver], a_post: Callable[..., Post]
) -> None:
    hanging, good = receivers
    hanging.always("hang")
    bad, _ = manage.subscribe(hanging.url, ["post.created"], "", None, tools)
    manage.subscribe(good.url, ["post.created"], "", None, tools)
    a_post()
    wait_until(lambda: [row.state for row in deliveries_to(bad)] == ["sending"])
    for _ in range(5):
        a_post(live=True)
    wait_until(lambda: len(good.requests) == 6)
    assert deliveries_to(bad)[0].state == "sending"
    wait_until(lambda: deliveries_to(bad)[0].state == "retrying")
    assert deliveries_to(bad)[0].error_code == "no_answer"
    # It responds again: waiting messages are delivered automatically, with the ids from before.
    hanging.always("ok")
    wait_until(lambda: {row.state for row in deliveries_to(bad)} == {"delivered"}, 30)
    assert {received.headers["webhook-id"] for received in hanging.accepted} == {row.id for row in deliveries_to(bad)}


def test_a_stopping_scheduler_waits_for_the_message_in_progress(
    app: Flask, tools: Tools, receivers: list[Receiver], a_post: Callable[..., Post]
) -> None:
    scheduler = Scheduler(app, tools)
    scheduler.start()
    webhook, _ = manage.subscribe(receivers[0].url, ["post.created"], "", None, tools)
    receivers[0].will("slow")
    for _ in range(3):
        a_post()
    assert receivers[0].wait_for(1)
    wait_until(lambda: len(deliveries_to(webhook)) == 3)
    assert scheduler.stop(grace_seconds=5)
    states = [row.state for row in deliveries_to(webhook)]
    assert set(states) <= {"delivered", "queued"}
    assert states.count("delivered") == len(receivers[0].accepted) >= 1
