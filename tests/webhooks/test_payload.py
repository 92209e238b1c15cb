"""The messages of webhooks: their events, contents and signatures."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from blogsvc.lib.time import utc_now
from blogsvc.models import record, transaction
from tests.api_client import Api
from tests.clock import Time
from tests.outside import Outside
from tests.webhooks.receiving import Posts, Subscribe, Tick, sent_to, types


def test_a_subscriber_receives_only_the_events_it_subscribed_to(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    subscribe("post.published", "delivery.*", name="some")
    subscribe(name="all")
    subscribe("scheduler.stalled", name="none")
    a_post(live=True)
    tick()
    assert types(sent_to(outside, "some")) == ["delivery.succeeded", "post.published"]
    assert types(sent_to(outside, "all")) == ["post.created", "post.publishing", "delivery.succeeded", "post.published"]
    assert sent_to(outside, "none") == []


def test_a_message_contains_the_event_and_a_summary_of_its_post(
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
        "timestamp": "2026-11-24T09:00:00.000Z",
        "data": {"event": happened, "post": {name: told[name] for name in brief}},
    }
    assert told["url"].startswith("https://blog.example/grusse")
    assert seen.headers["content-type"] == "application/json"


def test_messages_of_all_kinds_are_as_the_openapi_document_describes_them(
    api: Api, subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, connect: Callable[..., str]
) -> None:
    subscribe()
    post = a_post(platforms=["site", connect()])
    for step in ("publish", "unpublish"):
        api.post(f"/posts/{post.id}/{step}")
        tick()
    api.put(f"/posts/{post.id}", title="New", scheduledAt="2026-11-27T10:00:00Z")
    api.put(f"/posts/{post.id}", scheduledAt=None)
    api.delete(f"/posts/{post.id}")
    tick()
    told = set(types(sent_to(outside, "hook")))
    assert {"connection.connected", "post.created", "post.updated", "post.scheduled", "post.unscheduled"} <= told
    assert {"post.publishing", "delivery.claimed", "delivery.succeeded", "delivery.withdrawn", "post.deleted"} <= told


def test_a_message_stays_below_twenty_kilobytes(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside, time: Time
) -> None:
    subscribe("post.updated", "post.created")
    post = a_post(title="🌳" * 300, summary="🌳" * 2000, content="🌳" * 100_000)
    with transaction():
        record("post.updated", time(), post_id=post.id, fields=["🌳" * 9000])
    tick()
    assert types(outside.requests) == ["post.created", "post.updated"]
    assert all(len(seen.body) <= 20_000 for seen in outside.requests)
    assert outside.requests[-1].json()["data"]["event"]["data"] == {}
    assert outside.requests[-1].json()["data"]["post"]["id"] == post.id


def test_a_webhook_receives_no_events_from_before_it_was_created(
    subscribe: Subscribe, a_post: Posts, tick: Tick, outside: Outside
) -> None:
    old = a_post()
    subscribe("post.*")
    new = a_post()
    tick()
    assert [seen.json()["data"]["post"]["id"] for seen in outside.requests] == [new.id] != [old.id]


@pytest.fixture
def today(time: Time) -> Time:
    """The verifier uses the time of the machine."""
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


def test_both_secrets_verify_during_the_rotation_overlap(
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
def test_the_old_secret_no_longer_verifies_after_the_overlap(
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
