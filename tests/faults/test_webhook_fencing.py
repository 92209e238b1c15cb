"""A message whose lease expires is sent again, and the late result of the first attempt is ignored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import Post, Webhook, WebhookDelivery, db
from blogsvc.webhooks import manage
from tests.clock import Time
from tests.faults.conftest import Beside, reload_rows
from tests.receiver import Receiver


@pytest.fixture
def config(config: Config) -> Config:
    return replace(config, send_timeout_seconds=20)


def the_delivery() -> WebhookDelivery:
    reload_rows()
    return db.session.query(WebhookDelivery).one()


def test_a_response_after_the_lease_expired_changes_nothing(
    tools: Tools, a_post: Callable[..., Post], beside: Beside, tick: Callable[[], None], time: Time
) -> None:
    with Receiver() as receiver:
        manage.subscribe(receiver.url, ["post.created"], "", None, tools)
        a_post()
        receiver.will("hang")
        beside.tick()
        assert receiver.wait_for(1)
        tick()
        assert the_delivery().state == "sending"
        time.passes(minutes=1)  # beyond any lease, while the call still hangs
        tick()
        assert the_delivery().state == "retrying"
        time.passes(seconds=6)
        tick()
        assert the_delivery().state == "delivered"
    beside.wait()  # the receiver has closed the first connection
    settled = the_delivery()
    assert (settled.state, settled.fence) == ("delivered", 2)
    assert [attempt.error_code for attempt in settled.attempts] == ["lost", None]
    assert len({received.headers["webhook-id"] for received in receiver.requests}) == 1


def test_an_attempt_whose_lease_expired_does_not_settle_its_successor(
    tools: Tools, a_post: Callable[..., Post], beside: Beside, tick: Callable[[], None], time: Time
) -> None:
    with Receiver() as second:
        with Receiver() as first:
            webhook, _ = manage.subscribe(first.url, ["post.created"], "", None, tools)
            a_post()
            first.will("hang")
            beside.tick()
            assert first.wait_for(1)
            time.passes(minutes=1)  # beyond any lease, while the request still hangs
            tick()
            assert the_delivery().state == "retrying"
            second.will("hang")
            manage.change(webhook, {"url": second.url}, None, time())
            time.passes(seconds=6)
            beside.tick()
            assert second.wait_for(1)
        beside.threads[0].join(30)  # the first receiver has closed the connection
        successor = the_delivery()
        assert (successor.state, successor.fence) == ("sending", 2)
        assert [attempt.error_code for attempt in successor.attempts] == ["lost", None]
        assert successor.attempts[-1].finished_at is None
    beside.wait()
    assert the_delivery().state == "retrying"


def test_a_message_that_is_lost_while_its_webhook_is_disabled_is_not_sent_again(
    tools: Tools, a_post: Callable[..., Post], beside: Beside, tick: Callable[[], None], time: Time
) -> None:
    with Receiver() as receiver:
        webhook, _ = manage.subscribe(receiver.url, ["post.created"], "", None, tools)
        a_post()
        receiver.will("hang")
        beside.tick()
        assert receiver.wait_for(1)
        manage.change(webhook, {}, False, time())
        time.passes(minutes=1)  # beyond any lease, while the request still hangs
        tick()
        assert (the_delivery().state, the_delivery().error_code) == ("failed", "lost")
        manage.change(Webhook.get(webhook.id), {}, True, time())
        time.passes(hours=1)
        tick()
        assert len(receiver.requests) == 1
