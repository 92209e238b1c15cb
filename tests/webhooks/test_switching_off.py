"""Disabled webhooks: skipped events, and redelivery."""

from __future__ import annotations

from blogsvc.posts import editing
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside
from tests.webhooks.receiving import Posts, Subscribe, Tick, attempts, log


def test_events_while_a_webhook_is_disabled_are_skipped(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    webhook = subscribe("post.created")
    api.patch(f"/webhooks/{webhook['id']}", enabled=False)
    a_post()
    tick()
    api.patch(f"/webhooks/{webhook['id']}", enabled=True)
    new = a_post()
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == [new.id]


def test_messages_queued_when_a_webhook_is_disabled_fail_and_can_be_redelivered(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    outside.always(status=500)
    a_post()
    tick()
    api.patch(f"/webhooks/{webhook['id']}", enabled=False)
    time.passes(days=1)
    outside.always()
    tick()
    (failed,) = log(api, webhook)
    assert (failed["state"], failed["lastError"]["code"], len(outside.requests)) == ("failed", "disabled", 1)
    api.patch(f"/webhooks/{webhook['id']}", enabled=True)
    api.post(f"/webhooks/{webhook['id']}/deliveries/{failed['id']}/redeliver")
    tick()
    assert log(api, webhook)[0]["state"] == "delivered"


def test_a_redelivery_sends_the_same_body_with_the_same_id(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    post = a_post()
    tick()
    (told,) = log(api, webhook)
    editing.edit(post, {"title": "Another by now"}, None, time())
    time.passes(days=2)
    again = api.post(f"/webhooks/{webhook['id']}/deliveries/{told['id']}/redeliver")
    assert (again.status_code, again.json["id"], again.json["state"]) == (202, told["id"], "queued")
    tick()
    first, second = outside.requests
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == told["id"]
    assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) == 2 * 86400
    assert [one["number"] for one in attempts(api, webhook, told)] == [1, 2]


def test_a_redelivery_of_a_failed_message_starts_a_new_retry_schedule(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.always(status=500)
    for _ in range(8):
        tick()
        time.passes(hours=13)
    (given_up,) = log(api, webhook)
    assert given_up["state"] == "failed"
    api.post(f"/webhooks/{webhook['id']}/deliveries/{given_up['id']}/redeliver")
    tick()
    assert log(api, webhook)[0]["state"] == "retrying"
    assert len(outside.requests) == 9
