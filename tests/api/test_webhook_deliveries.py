"""The delivery log of a webhook: pages, test messages, deletion after a month."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from blogsvc.context import Tools
from blogsvc.models import Post
from blogsvc.scheduler.maintenance import run_daily_maintenance
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import NOW, Time
from tests.outside import Outside

Subscribe = Callable[..., dict[str, Any]]
Tick = Callable[[], None]


def path(webhook: dict[str, Any]) -> str:
    return f"/webhooks/{webhook['id']}"


def log(api: Api, webhook: dict[str, Any], query: str = "") -> list[dict[str, Any]]:
    return api.get(f"{path(webhook)}/deliveries{query}").json["data"]


def test_a_test_message_is_sent_once_and_logged(api: Api, subscribe: Subscribe, tick: Tick, outside: Outside) -> None:
    made = subscribe("post.published")
    queued = api.post(f"{path(made)}/test")
    assert (queued.status_code, queued.json["state"], queued.json["type"]) == (202, "queued", "webhook.test")
    tick()
    (sent,) = outside.requests
    assert sent.headers["webhook-id"] == queued.json["id"]
    assert sent.json() == {
        "type": "webhook.test",
        "timestamp": "2026-11-24T09:00:00.000Z",
        "data": {"webhookId": made["id"]},
    }
    assert [row["state"] for row in log(api, made)] == ["delivered"]


def test_a_failed_test_message_is_not_retried(
    api: Api, subscribe: Subscribe, tick: Tick, outside: Outside, time: Time
) -> None:
    made = subscribe()
    outside.always(status=500, body=b"what is this?")
    api.post(f"{path(made)}/test")
    tick()
    time.passes(days=1)
    tick()
    (failed,) = log(api, made)
    assert (failed["state"], failed["attempts"], failed["lastError"]["code"]) == ("failed", 1, "http_500")
    (attempt,) = api.get(f"{path(made)}/deliveries/{failed['id']}").json["attemptLog"]
    assert (attempt["statusCode"], attempt["answer"]) == (500, "what is this?")
    assert api.get(path(made)).json["failingSince"] is None


def test_a_disabled_webhook_cannot_be_tested_or_redelivered(
    api: Api, subscribe: Subscribe, a_post: Callable[..., Post], tick: Tick
) -> None:
    made, _ = subscribe(), a_post()
    tick()
    (told,) = log(api, made)
    api.patch(path(made), enabled=False)
    for move in ("test", f"deliveries/{told['id']}/redeliver"):
        answer = api.post(f"{path(made)}/{move}")
        assert (answer.status_code, answer.json["state"], answer.json["allowed"]) == (409, "disabled", ["enable"])


def test_the_log_is_paged_newest_first_and_filtered_by_state(
    api: Api, subscribe: Subscribe, a_post: Callable[..., Post], tick: Tick, outside: Outside, time: Time
) -> None:
    made = subscribe("post.created")
    for i in range(5):
        time.passes(seconds=1)
        outside.always(status=500 if i == 1 else 200)
        a_post()
        tick()
    rows = log(api, made)
    assert [row["createdAt"] for row in rows] == sorted((row["createdAt"] for row in rows), reverse=True)
    assert [row["state"] for row in rows] == ["delivered"] * 3 + ["retrying"] + ["delivered"]
    first = api.get(f"{path(made)}/deliveries?limit=3").json
    second = api.get(f"{path(made)}/deliveries?limit=3&cursor={first['nextCursor']}").json
    assert first["data"] + second["data"] == rows
    assert [row["id"] for row in log(api, made, "?state=retrying,failed")] == [rows[3]["id"]]
    assert faults(api.get(f"{path(made)}/deliveries?state=lost")) == {"?state": "not_one_of"}


def test_a_delivery_of_another_webhook_returns_404(
    api: Api, subscribe: Subscribe, a_post: Callable[..., Post], tick: Tick
) -> None:
    made, other, _ = subscribe(name="one"), subscribe(name="two"), a_post()
    tick()
    theirs = log(api, other)[0]["id"]
    assert api.get(f"{path(other)}/deliveries/{theirs}").status_code == 200
    assert api.get(f"{path(made)}/deliveries/{theirs}").status_code == 404
    assert api.post(f"{path(made)}/deliveries/{theirs}/redeliver").status_code == 404


def test_the_delivery_log_is_deleted_after_thirty_days(
    api: Api, subscribe: Subscribe, a_post: Callable[..., Post], tick: Tick, time: Time, tools: Tools
) -> None:
    made, _ = subscribe("post.created"), a_post()
    tick()
    time.now = NOW + timedelta(days=29)
    a_post()
    tick()
    run_daily_maintenance(tools)
    assert len(log(api, made)) == 2
    time.passes(days=2)
    run_daily_maintenance(tools)
    (left,) = log(api, made)
    assert len(api.get(f"{path(made)}/deliveries/{left['id']}").json["attemptLog"]) == 1
