"""Slack's incoming webhook, with a fake that returns `ok` or an error code."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    CopyUnknown,
    Disconnected,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.slack.incoming_webhook import SlackHook
from tests.connectors.contract import AN_ARTICLE, HTTPContract
from tests.outside import Reply

SECRET = "s3cretS3cretS3cret"
URL = f"https://hooks.slack.com/services/T012345/B067890/{SECRET}"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


class FakeHook:
    """Accepts messages with a text."""

    def __init__(self, outside):
        self.messages = []
        outside.teach("POST", URL, self)

    def __call__(self, seen):
        if not seen.json().get("text"):
            return word(400, "no_text")
        self.messages.append(seen.json())
        return word(200, "ok")


def word(status, text):
    return Reply(status, body=text.encode(), headers=TEXT)


class TestContract(HTTPContract):
    too_long = replace(AN_ARTICLE, is_own=True, html=f"<p>{'word ' * 700}</p>")

    def make(self, outside):
        self.fake = FakeHook(outside)
        return SlackHook({"webhook_url": URL}, outside.door())

    def copies(self, outside):
        return len(self.fake.messages)


@pytest.fixture
def fake(outside):
    return FakeHook(outside)


@pytest.fixture
def hook(outside, fake):
    return SlackHook({"webhook_url": URL}, outside.door())


def publish(hook):
    return hook.publish(hook.compose(AN_ARTICLE, {}), {"operation": "op-1"})


def test_connecting_posts_nothing(hook, fake):
    assert hook.verify().name == "Slack T012345/B067890"
    assert fake.messages == []


def test_connecting_to_a_webhook_that_is_gone_fails(hook, outside):
    outside.always(status=404, body=b"no_service", headers=TEXT)
    with pytest.raises(Disconnected, match="no_service"):
        hook.verify()


def test_a_server_that_accepts_everything_is_not_slack(hook, outside):
    outside.always(status=200, body=b"ok", headers=TEXT)
    with pytest.raises(Misconfigured):
        hook.verify()


def test_the_message_is_the_same_as_with_the_bot(hook, fake):
    publish(hook)
    assert fake.messages[0]["text"] == "<https://blog.example/posts/of-trees|Of trees>\nAbout trees."
    assert fake.messages[0]["blocks"][0]["type"] == "rich_text"


def test_a_message_has_no_url_and_cannot_be_changed(hook):
    receipt = publish(hook)
    assert receipt == Receipt("op-1")
    assert isinstance(hook.find({"operation": "op-1"}), CopyUnknown)
    for ask in (lambda: hook.update(hook.compose(AN_ARTICLE, {}), {}, receipt), lambda: hook.delete({}, receipt)):
        with pytest.raises(Unsupported, match="Slack"):
            ask()


@pytest.mark.parametrize("url", ["", "https://example.com/services/T/B/x", URL.replace("https", "http"), f"{URL}/../x"])
def test_an_invalid_webhook_url_is_rejected_before_sending(outside, url):
    with pytest.raises(Misconfigured) as caught:
        publish(SlackHook({"webhook_url": url}, outside.door()))
    assert caught.value.field == "webhook_url"
    assert outside.requests == []


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (word(400, "invalid_payload"), Rejected, "invalid_payload"),
        (word(400, "invalid_blocks"), Rejected, "invalid_blocks"),
        (word(403, "action_prohibited"), Disconnected, "Create a new one"),
        (word(403, "invalid_token"), Disconnected, "Create a new one"),
        (word(404, "no_service"), Disconnected, "Create a new one"),
        (word(404, "channel_not_found"), Misconfigured, "channel"),
        (word(410, "channel_is_archived"), Misconfigured, "channel"),
        (Reply(429, headers={"Retry-After": "7"}), RateLimited, "rate limit reached"),
        (word(200, "maybe"), Uncertain, "may have succeeded"),
        (word(500, f"at {URL}"), Uncertain, "may have succeeded"),
    ],
)
def test_each_error_says_what_to_do(hook, outside, reply, error, words):
    outside.always(status=reply.status, body=reply.body, headers=reply.headers)
    with pytest.raises(error, match=words) as caught:
        publish(hook)
    assert SECRET not in str(caught.value)
