"""Events reach their subscribers: signed, in order, again where it failed, never lost and never announced twice."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import delete, event, select
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from blogsvc import clock, publishing, webhooks, writing
from blogsvc.lib.time import utc_now
from blogsvc.models import Event, Post, WebhookDelivery, became_due, db, record, transaction
from blogsvc.toolbox import Toolbox
from tests.api_client import Api
from tests.clockwork import Time
from tests.outside import Outside, Reply, Seen

Subscribe = Callable[..., dict[str, Any]]
Posts = Callable[..., Post]
Tick = Callable[[], None]
DAY = timedelta(days=1)
HOOK = "https://hook.example/told"


class Killed(BaseException):
    """The process ends here."""


def types(seen: list[Seen]) -> list[str]:
    return [one.json()["type"] for one in seen]


def sent_to(outside: Outside, name: str) -> list[Seen]:
    return [one for one in outside.requests if one.url == f"https://{name}.example/told"]


def log(api: Api, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    return api.get(f"/webhooks/{webhook['id']}/deliveries?limit=100").json["data"]


def attempts(api: Api, webhook: dict[str, Any], delivery: dict[str, Any]) -> list[dict[str, Any]]:
    return api.get(f"/webhooks/{webhook['id']}/deliveries/{delivery['id']}").json["attemptLog"]


def state_of(api: Api, webhook: dict[str, Any]) -> dict[str, Any]:
    return api.get(f"/webhooks/{webhook['id']}").json


# --- what is said ---


def test_a_subscriber_is_told_of_the_events_that_it_wants(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    subscribe("post.published", "delivery.*", name="some")
    subscribe(name="all")
    subscribe("clock.stalled", name="none")
    a_post(live=True)
    tick()
    assert types(sent_to(outside, "some")) == ["delivery.succeeded", "post.published"]
    assert types(sent_to(outside, "all")) == ["post.created", "post.publishing", "delivery.succeeded", "post.published"]
    assert sent_to(outside, "none") == []


def test_a_message_tells_the_event_and_its_post_in_brief(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    subscribe("post.published")
    post = a_post(live=True, title="Grüße 🌳")
    tick()
    (seen,) = outside.requests
    told = api.get(f"/posts/{post.id}").json
    happened = api.get(f"/posts/{post.id}/events").json["data"][-1]
    brief = ("id", "title", "slug", "status", "url", "scheduledAt", "publishedAt", "updatedAt", "deletedAt")
    assert seen.json() == {
        "type": "post.published",
        "timestamp": "2026-11-24T09:00:00Z",
        "data": {"event": happened, "post": {name: told[name] for name in brief}},
    }
    assert told["url"].startswith("https://blog.example/grusse")
    assert seen.headers["content-type"] == "application/json"


def test_a_message_stays_below_twenty_kilobytes(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    subscribe("post.updated", "post.created")
    post = a_post(title="🌳" * 300, summary="🌳" * 2000, content="🌳" * 100_000)
    with transaction():
        record("post.updated", time(), post_id=post.id, detail="🌳" * 9000)
    tick()
    assert types(outside.requests) == ["post.created", "post.updated"]
    assert all(len(seen.body) <= 20_000 for seen in outside.requests)
    assert outside.requests[-1].json()["data"]["event"]["data"] == {}
    assert outside.requests[-1].json()["data"]["post"]["id"] == post.id


def test_what_happened_before_it_was_made_is_none_of_its_business(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    old = a_post()
    subscribe("post.*")
    new = a_post()
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == [new.id] != [old.id]


def test_what_happens_while_it_is_off_is_passed_over(
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


def test_what_waits_when_it_is_switched_off_fails_and_can_be_redelivered(
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


def test_the_post_of_an_event_may_be_erased_meanwhile(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Toolbox
) -> None:
    webhook = subscribe("post.created")
    a_post()
    webhooks.announce(tools)
    second = a_post()
    db.session.execute(delete(Post))
    db.session.commit()
    tick()
    (seen,) = outside.requests  # announced in time; what was not has gone with its post
    assert seen.json()["data"]["post"]["id"] != second.id
    assert [row["state"] for row in log(api, webhook)] == ["delivered"]


# --- signatures, by the judgement of the reference verifier ---


@pytest.fixture
def today(time: Time) -> Time:
    """The verifier lives by the clock on the wall."""
    time.now = utc_now()
    return time


def test_the_reference_verifier_accepts_what_is_sent(
    today: Time, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    webhook = subscribe("post.created")
    a_post(title="Grüße 🌳")
    tick()
    (seen,) = outside.requests
    assert Verifier(webhook["secret"]).verify(seen.body, dict(seen.headers))["type"] == "post.created"
    with pytest.raises(WebhookVerificationError):
        Verifier(webhook["secret"]).verify(seen.body + b" ", dict(seen.headers))


def test_while_the_secret_is_replaced_both_verify(
    today: Time, api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    webhook = subscribe("post.created")
    new = api.post(f"/webhooks/{webhook['id']}/rotate-secret").json["secret"]
    a_post()
    tick()
    (seen,) = outside.requests
    assert len(seen.headers["webhook-signature"].split(" ")) == 2
    for secret in (webhook["secret"], new):
        assert Verifier(secret).verify(seen.body, dict(seen.headers))


@pytest.mark.parametrize("overlap", [24, 0])
def test_after_the_overlap_the_former_secret_verifies_no_more(
    today: Time, api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, overlap: int
) -> None:
    today.passes(hours=-overlap)
    webhook = subscribe("post.created")
    new = api.post(f"/webhooks/{webhook['id']}/rotate-secret", overlapHours=overlap).json["secret"]
    today.passes(hours=overlap)
    a_post()
    tick()
    (seen,) = outside.requests
    assert Verifier(new).verify(seen.body, dict(seen.headers))
    with pytest.raises(WebhookVerificationError):
        Verifier(webhook["secret"]).verify(seen.body, dict(seen.headers))


# --- failures ---


def test_a_failed_message_is_sent_again_on_schedule_for_a_day_and_then_given_up(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.always(status=500)
    begin = time.now
    tick()
    for number, wait in enumerate(webhooks.BACK_OFF, 1):
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
def test_whatever_is_not_2xx_is_a_failure_and_heals(
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
    assert state_of(api, webhook)["failingSince"] == "2026-11-24T09:00:00Z"
    outside.always(status=204)
    time.passes(seconds=6)
    tick()
    (healed,) = log(api, webhook)
    assert (healed["state"], healed["attempts"], healed["lastError"]) == ("delivered", 2, None)
    assert state_of(api, webhook)["failingSince"] is None


@pytest.mark.parametrize("status", [429, 503])
def test_a_receiver_that_asks_for_quiet_gets_it(
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


def test_one_that_keeps_failing_lets_later_ones_pass(
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


def test_a_receiver_that_is_gone_is_switched_off_at_once_and_others_are_told(
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
    assert (now["enabled"], now["disabledReason"], now["disabledAt"]) == (False, "gone", "2026-11-24T09:00:00Z")
    (notice,) = sent_to(outside, "watching")
    assert notice.json()["type"] == "webhook.disabled"
    assert notice.json()["data"]["event"]["data"] == {"webhookId": gone["id"], "reason": "gone", "description": ""}
    assert {row["state"] for row in log(api, gone)} == {"failed"}


def test_after_five_days_of_failures_only_it_is_switched_off_with_notice(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    outside.always(status=500)
    begin = time.now
    while state_of(api, webhook)["enabled"]:
        assert time.now - begin < 8 * DAY
        a_post()
        for _ in range(6):
            tick()
            time.passes(hours=2)
    assert time.now - begin > 5 * DAY
    assert state_of(api, webhook)["disabledReason"] == "failing"
    assert state_of(api, webhook)["failingSince"] == "2026-11-24T09:00:00Z"
    notices = db.session.scalars(select(Event).where(Event.type == "webhook.disabled")).all()
    assert [notice.data["reason"] for notice in notices] == ["failing"]
    sent = len(outside.requests)
    time.passes(days=1)
    a_post()
    tick()
    assert len(outside.requests) == sent


def test_one_success_within_five_days_keeps_it_on(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    for day in range(10):
        outside.always(status=200 if day == 4 else 500)
        a_post()
        for _ in range(12):
            tick()
            time.passes(hours=2)
            outside.always(status=500)
        if day == 8:
            assert state_of(api, webhook)["enabled"] is True
    assert state_of(api, webhook)["failingSince"] >= "2026-11-28"


def test_a_name_that_comes_to_lead_into_the_home_network_is_not_followed(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    webhook, _ = subscribe("post.created"), a_post()
    outside.names["hook.example"] = ["10.0.0.1"]
    tick()
    assert outside.requests == []
    assert log(api, webhook)[0]["lastError"]["code"] == "refused_address"


def test_a_redelivery_sends_the_same_bytes_under_the_same_id(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    webhook = subscribe("post.created")
    post = a_post()
    tick()
    (told,) = log(api, webhook)
    writing.edit(post, {"title": "Another by now"}, None, time())
    time.passes(days=2)
    again = api.post(f"/webhooks/{webhook['id']}/deliveries/{told['id']}/redeliver")
    assert (again.status_code, again.json["id"], again.json["state"]) == (202, told["id"], "queued")
    tick()
    first, second = outside.requests
    assert first.body == second.body
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == told["id"]
    assert int(second.headers["webhook-timestamp"]) - int(first.headers["webhook-timestamp"]) == 2 * 86400
    assert [one["number"] for one in attempts(api, webhook, told)] == [1, 2]


def test_what_was_given_up_is_redelivered_with_all_the_patience_of_a_new_one(
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


# --- nothing lost, nothing twice ---


def test_killed_while_it_announces_it_announces_all_of_it_once_after(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Toolbox
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
            webhooks.announce(tools)
    finally:
        event.remove(db.session, "before_commit", die)
    for _ in range(3):
        tick()
    for name in ("one", "two"):
        assert types(sent_to(outside, name)) == ["post.created"] * 3


def test_killed_between_sending_and_writing_it_down_it_sends_it_again_under_the_same_id(
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
    assert len(outside.requests) == 1  # it may still be on its way
    time.passes(minutes=1)
    tick()
    time.passes(seconds=6)
    tick()
    (row,) = log(api, webhook)
    assert row["state"] == "delivered"
    assert len({seen.headers["webhook-id"] for seen in outside.requests}) == 1
    assert [one["error"] and one["error"]["code"] for one in attempts(api, webhook, row)] == ["lost", None]


def test_two_clocks_at_once_announce_everything_once(
    app: Flask, subscribe: Subscribe, a_post: Posts, outside: Outside, tools: Toolbox
) -> None:
    for name in ("one", "two", "three"):
        subscribe("post.*", "delivery.*", name=name)
    running = [True]

    def tick_on() -> None:
        while running:
            clock.one_pass(app, tools)

    threads = [Thread(target=tick_on) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        publishing.publish(a_post(), tools.now())
    running.clear()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    clock.one_pass(app, tools)
    db.session.rollback()
    wanted = Counter(db.session.scalars(select(Event.id).order_by(Event.position)))
    assert len(wanted) == 15 * 4
    for name in ("one", "two", "three"):
        assert Counter(seen.json()["data"]["event"]["id"] for seen in sent_to(outside, name)) == wanted


def test_a_long_past_is_announced_in_order(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, tools: Toolbox
) -> None:
    subscribe("post.created")
    ids = [a_post().id for _ in range(webhooks.BATCH + 5)]
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == ids


def test_bytes_are_kept_as_they_were_sent(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, app: Flask
) -> None:
    subscribe("post.created")
    a_post(title="Grüße 🌳")
    tick()
    (kept,) = db.session.scalars(select(WebhookDelivery.body))
    assert kept == outside.requests[0].body
    assert json.loads(kept)["data"]["post"]["title"] == "Grüße 🌳"


# --- the clock ---


@pytest.fixture
def woken() -> Any:
    """How often the clock was woken."""
    calls: list[object] = []

    def note(sender: object) -> None:
        calls.append(sender)

    became_due.connect(note)
    yield calls
    became_due.disconnect(note)


def test_an_event_wakes_the_clock_where_somebody_waits_for_it(
    api: Api, subscribe: Subscribe, a_post: Posts, woken: list[object]
) -> None:
    a_post()
    assert woken == []
    other = subscribe("clock.stalled", name="other")
    a_post()
    assert woken == []
    webhook = subscribe("post.*")
    a_post()
    assert len(woken) == 1
    for one in (other, webhook):
        api.patch(f"/webhooks/{one['id']}", enabled=False)
    woken.clear()
    a_post()
    assert woken == []
