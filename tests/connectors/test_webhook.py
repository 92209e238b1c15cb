"""The signed webhook, with a fake receiver that deduplicates messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from standardwebhooks import Webhook as Verifier

from blogsvc.connectors.base import Disconnected, Misconfigured, Receipt, Unavailable
from blogsvc.connectors.webhook import WebhookConnector
from blogsvc.lib.net.http import HttpClient
from blogsvc.lib.standard_webhooks import make_secret
from tests.connectors.contract import AN_ARTICLE, HTTPContract
from tests.outside import Reply
from tests.receiver import Receiver

URL = "https://hook.example/in?key=hunter2"
SECRET = make_secret()
SETTINGS = {"url": URL, "secret": SECRET, "headers": "X-Token: t0ken"}


class Endpoint:
    """A correct receiver: it verifies the signature and accepts each id once."""

    def __init__(self):
        self.events = {}

    def __call__(self, seen):
        Verifier(SECRET).verify(seen.body, dict(seen.headers))
        self.events.setdefault(seen.headers["webhook-id"], seen.json())
        return Reply(204)

    def copies(self):
        of = {kind: self.ids(kind) for kind in ("post.published", "post.deleted")}
        return len(of["post.published"]) - len(set(of["post.deleted"]))

    def ids(self, kind):
        return [event["data"]["id"] for event in self.events.values() if event["type"] == kind]


class TestContract(HTTPContract):
    takes_any_answer = True

    def make(self, outside):
        self.endpoint = Endpoint()
        outside.teach("POST", URL, self.endpoint)
        return WebhookConnector(SETTINGS, outside.http())

    def copies(self, outside):
        return self.endpoint.copies()


@pytest.fixture
def webhook(outside):
    return WebhookConnector(SETTINGS, outside.http())


def publish(webhook, operation="op-1"):
    return webhook.publish(webhook.compose(AN_ARTICLE, {}), {"article": AN_ARTICLE.id, "operation": operation})


def test_a_post_is_sent_whole_and_signed(webhook, outside):
    outside.teach("POST", URL)
    publish(webhook)
    seen = outside.requests[0]
    event = Verifier(SECRET).verify(seen.body, dict(seen.headers))
    assert event["type"] == "post.published"
    assert event["data"] == {
        "id": AN_ARTICLE.id,
        "title": "Of trees",
        "slug": "of-trees",
        "summary": "About trees.",
        "markdown": AN_ARTICLE.markdown,
        "html": AN_ARTICLE.html,
        "canonicalUrl": "https://blog.example/posts/of-trees",
        "tags": ["nature", "trees"],
        "coverImage": None,
        "coverAlt": "",
        "language": "en",
        "publishedAt": "2026-11-20T10:00:00Z",
        "updatedAt": "2026-11-20T10:00:00Z",
    }
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["X-Token"] == "t0ken"


def test_a_retry_has_the_same_id_and_its_own_timestamp(outside):
    times = iter([1_800_000_000.5, 1_800_000_060.5])
    webhook = WebhookConnector(SETTINGS, outside.http(), clock=lambda: next(times))
    outside.teach("POST", URL)
    publish(webhook)
    publish(webhook)
    first, second = outside.requests
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == "op-1"
    assert [r.headers["webhook-timestamp"] for r in (first, second)] == ["1800000000", "1800000060"]
    assert first.json()["timestamp"] == "2027-01-15T08:00:00.500000Z"


def test_an_update_and_a_deletion_name_the_copy(webhook, outside):
    outside.teach("POST", URL)
    receipt = Receipt("r-7", "https://there.example/7")
    keys = {"article": AN_ARTICLE.id, "operation": "op-2"}
    assert webhook.update(webhook.compose(AN_ARTICLE, {}), keys, receipt) == receipt
    webhook.delete({**keys, "operation": "op-3"}, receipt)
    updated, deleted = (seen.json() for seen in outside.requests)
    assert updated["type"] == "post.updated"
    assert updated["data"]["remoteId"] == "r-7"
    assert updated["data"]["title"] == "Of trees"
    assert deleted["type"] == "post.deleted"
    assert deleted["data"] == {"id": AN_ARTICLE.id, "remoteId": "r-7", "url": "https://there.example/7"}


@pytest.mark.parametrize(
    ("reply", "receipt"),
    [
        ({"json": {"id": "r-7", "url": "https://t.example/7"}}, Receipt("r-7", "https://t.example/7")),
        ({"json": {"id": 7}}, Receipt("7")),
        ({"json": {"url": "javascript:alert(1)"}}, Receipt(AN_ARTICLE.id)),
        ({"json": {"url": "https://t.example/" + "x" * 3000}}, Receipt(AN_ARTICLE.id)),
        ({"json": {"id": "x" * 300}}, Receipt(AN_ARTICLE.id)),
        ({"json": {"id": True, "url": 7}}, Receipt(AN_ARTICLE.id)),
        ({"json": ["surprise"]}, Receipt(AN_ARTICLE.id)),
        ({"body": b"ok"}, Receipt(AN_ARTICLE.id)),
        ({"status": 204}, Receipt(AN_ARTICLE.id)),
    ],
)
def test_the_id_and_url_returned_by_the_receiver_are_used_if_valid(webhook, outside, reply, receipt):
    outside.teach("POST", URL, **reply)
    assert publish(webhook) == receipt


def test_connecting_sends_a_ping_and_no_post(webhook, outside):
    outside.teach("POST", URL)
    assert webhook.verify().name == "hook.example"
    event = Verifier(SECRET).verify(outside.requests[0].body, dict(outside.requests[0].headers))
    assert (event["type"], event["data"]) == ("ping", {})


def test_connecting_to_a_failing_receiver_fails(webhook, outside):
    outside.teach("POST", URL, status=500)
    with pytest.raises(Unavailable):
        webhook.verify()


def test_a_receiver_that_returns_410_is_disconnected(webhook, outside):
    outside.teach("POST", URL, status=410)
    with pytest.raises(Disconnected):
        webhook.delete({"article": "a", "operation": "op-3"}, Receipt("a"))


def test_a_404_does_not_count_as_a_deletion(webhook, outside):
    outside.teach("POST", URL, status=404)
    with pytest.raises(Misconfigured):
        webhook.delete({"article": "a", "operation": "op-3"}, Receipt("a"))


def test_a_secret_is_generated_if_none_is_given():
    assert Verifier(WebhookConnector.defaults({"url": URL})["secret"])
    assert WebhookConnector.defaults(SETTINGS) == {}


@pytest.mark.parametrize("secret", ["", "hunter2", "whsec_c2hvcnQ="])
def test_nothing_is_sent_unsigned(outside, secret):
    with pytest.raises(Misconfigured):
        publish(WebhookConnector({**SETTINGS, "secret": secret}, outside.http()))
    assert outside.requests == []


@pytest.mark.parametrize(
    "line", ["no colon", "Bad Name: x", "Webhook-Id: x", "Content-Type: x", "X: a\x07b", "Host: h", ": x"]
)
def test_an_invalid_extra_header_is_rejected_before_sending(outside, line):
    with pytest.raises(Misconfigured):
        publish(WebhookConnector({**SETTINGS, "headers": f"X-Good: yes\n{line}"}, outside.http()))
    assert outside.requests == []


def test_both_secrets_sign_during_a_rotation(outside):
    old = make_secret()
    outside.teach("POST", URL)
    publish(WebhookConnector({**SETTINGS, "secret": f"{SECRET} {old}"}, outside.http()))
    seen = outside.requests[0]
    for secret in (SECRET, old):
        assert Verifier(secret).verify(seen.body, dict(seen.headers))


def test_the_hash_does_not_depend_on_time(outside):
    early, late = (WebhookConnector(SETTINGS, outside.http(), clock=lambda t=t: t) for t in (0.0, 1e9))
    assert early.compose(AN_ARTICLE, {}).hash == late.compose(AN_ARTICLE, {}).hash
    assert early.compose(replace(AN_ARTICLE, tags=()), {}).hash != late.compose(AN_ARTICLE, {}).hash


@pytest.mark.parametrize("behaviour", ["reset", "reset-after", "500-after", "429", "rubbish"])
def test_a_real_receiver_that_fails_gets_the_post_once(behaviour):
    with Receiver(id="r-1") as receiver:
        webhook = WebhookConnector({"url": receiver.url, "secret": SECRET}, HttpClient(allow_private=True))
        receiver.will(behaviour)
        with pytest.raises(Unavailable):
            publish(webhook)
        assert publish(webhook) == Receipt("r-1")
        assert {received.headers["webhook-id"] for received in receiver.accepted} == {"op-1"}
        webhook.http.close()
