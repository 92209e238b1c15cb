"""Failing receivers: retries, pauses and disabling."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from blogsvc.models import Event, db
from blogsvc.webhooks import deliver
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside, Reply, Seen
from tests.webhooks.receiving import HOOK, Posts, Subscribe, Tick, attempts, log, sent_to, state_of

DAY = timedelta(days=1)


def test_a_failed_message_is_retried_on_schedule_for_a_day_and_then_fails(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.always(status=500)
    begin = time.now
    tick()
    for number, wait in enumerate(deliver.WEBHOOK_BACK_OFF.waits, 1):
        time.passes(seconds=wait.total_seconds() * 0.79)
        tick()
        assert len(outside.requests) == number
        time.passes(seconds=wait.total_seconds() * 0.42)
        tick()
        assert len(outside.requests) == number + 1
    assert DAY < time.now - begin < 2 * DAY
    time.passes(days=3)
    tick()
    assert len(outside.requests) == 8
    assert len({seen.headers["webhook-id"] for seen in outside.requests}) == 1
    assert len({seen.body for seen in outside.requests}) == 1
    assert len({seen.headers["webhook-timestamp"] for seen in outside.requests}) == 8
    (given_up,) = log(api, webhook)
    assert (given_up["state"], given_up["attempts"], given_up["lastError"]["code"]) == ("failed", 8, "gave_up")
    assert [one["statusCode"] for one in attempts(api, webhook, given_up)] == [500] * 8


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"status": 404}, "http_404"),
        ({"status": 302, "headers": {"Location": "https://hook.example/elsewhere"}}, "http_302"),
        ({"failure": "refused"}, "not_reached"),
        ({"failure": "hangs"}, "no_answer"),
        ({"failure": "lost"}, "no_answer"),
    ],
)
def test_any_response_other_than_2xx_is_retried_until_one_succeeds(
    api: Api,
    subscribe: Subscribe,
    a_post: Posts,
    tick: Tick,
    outside: Outside,
    time: Time,
    reply: dict[str, Any],
    code: str,
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.always(**reply)
    tick()
    (waiting,) = log(api, webhook)
    assert (waiting["state"], waiting["lastError"]["code"]) == ("retrying", code)
    assert state_of(api, webhook)["failingSince"] == "2026-11-24T09:00:00.000Z"
    outside.always(status=204)
    time.passes(seconds=6)
    tick()
    (healed,) = log(api, webhook)
    assert (healed["state"], healed["attempts"], healed["lastError"]) == ("delivered", 2, None)
    assert state_of(api, webhook)["failingSince"] is None


@pytest.mark.parametrize("status", [429, 503])
def test_a_retry_after_from_a_receiver_is_respected(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time, status: int
) -> None:
    subscribe("post.created")
    a_post()
    outside.always(status=status, headers={"Retry-After": "3600"})
    tick()
    outside.always()
    a_post()
    time.passes(minutes=59)
    tick()
    assert len(outside.requests) == 1
    time.passes(minutes=1)
    tick()
    assert len(outside.requests) == 3


def test_one_failing_message_does_not_block_later_ones(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    def refuse_one(seen: Seen) -> Reply:
        return Reply(500 if poison.id in seen.body.decode() else 200)

    for _ in range(4):
        outside.teach("POST", HOOK, refuse_one)
    webhook = subscribe("post.created")
    poison, good = a_post(), [a_post().id for _ in range(3)]
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == [poison.id, *good]
    assert [row["state"] for row in log(api, webhook)] == ["delivered"] * 3 + ["retrying"]


def test_a_receiver_that_is_down_gets_few_requests_and_every_message_once_it_is_back(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    """Without a pause, each new event would be sent at once, and each old one on its own schedule."""
    webhook = subscribe("post.created")
    outside.always(status=503)
    for _ in range(40):
        a_post()
        tick()
        time.passes(minutes=3)
    assert len(outside.requests) < 30
    outside.always()
    time.passes(minutes=31)  # the longest pause
    for _ in range(3):
        tick()
    assert {row["state"] for row in log(api, webhook)} == {"delivered"}


def test_a_receiver_that_rejects_one_message_is_not_paused(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    outside.always(status=422)
    a_post()
    for _ in range(4):
        tick()
        time.passes(hours=1)
    outside.always()
    a_post()
    tick()
    assert "delivered" in {row["state"] for row in log(api, webhook)}


def test_a_receiver_that_returns_410_is_disabled_at_once_with_an_event(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    outside.teach("POST", "https://gone.example/told", status=410)
    gone = subscribe("post.created", name="gone")
    subscribe("webhook.*", name="watching")
    a_post()
    a_post()
    tick()
    tick()
    time.passes(days=1)
    a_post()
    tick()
    assert len(sent_to(outside, "gone")) == 1
    now = state_of(api, gone)
    assert (now["enabled"], now["disabledReason"], now["disabledAt"]) == (False, "gone", "2026-11-24T09:00:00.000Z")
    (notice,) = sent_to(outside, "watching")
    assert notice.json()["type"] == "webhook.disabled"
    assert notice.json()["data"]["event"]["data"] == {"webhookId": gone["id"], "reason": "gone", "description": ""}
    assert {row["state"] for row in log(api, gone)} == {"failed"}


def test_a_receiver_that_fails_for_five_days_is_disabled_with_an_event(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    outside.always(status=500)
    begin = time.now
    while state_of(api, webhook)["enabled"]:
        assert time.now - begin < 8 * DAY
        a_post()
        for _ in range(2):
            tick()
            time.passes(hours=6)
    assert time.now - begin > 5 * DAY
    assert state_of(api, webhook)["disabledReason"] == "failing"
    assert state_of(api, webhook)["failingSince"] == "2026-11-24T09:00:00.000Z"
    notices = db.session.scalars(select(Event).where(Event.type == "webhook.disabled")).all()
    assert [notice.data["reason"] for notice in notices] == ["failing"]
    sent = len(outside.requests)
    time.passes(days=1)
    a_post()
    tick()
    assert len(outside.requests) == sent


def test_one_success_within_five_days_keeps_a_webhook_enabled(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    for day in range(10):
        outside.always(status=200 if day == 4 else 500)
        a_post()
        for _ in range(4):
            tick()
            time.passes(hours=6)
            outside.always(status=500)
        if day == 8:
            assert state_of(api, webhook)["enabled"] is True
    assert state_of(api, webhook)["failingSince"] >= "2026-11-28"


def test_a_host_name_that_later_resolves_to_a_private_address_is_not_requested(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.names["hook.example"] = ["10.0.0.1"]
    tick()
    assert outside.requests == []
    assert log(api, webhook)[0]["lastError"]["code"] == "refused_address"
