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
from blogsvc.connectors.payload_parts import parts
from blogsvc.connectors.slack.incoming_webhook import SlackHook
from tests.connectors.contract import AN_ARTICLE, HTTPContract, with_own_text
from tests.outside import Reply

SECRET = "s3cretS3cretS3cret"
URL = f"https://hooks.slack.com/services/T012345/B067890/{SECRET}"
TEXT = {"Content-Type": "text/plain; charset=utf-8"}


MATTERMOST = "https://chat.example:8065/hooks/3bxwn99zx7dfxdjy5xkoh5xnmo"
ROCKET_CHAT = "https://rocket.example/hooks/5f2c9a/s3cretS3cretS3cret"


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


class FakeMattermost:
    """Answers `ok`, or JSON with an error that names the webhook."""

    def __init__(self, outside, url=MATTERMOST):
        self.messages = []
        outside.teach("POST", url, self)

    def __call__(self, seen):
        if not seen.json().get("text"):
            return self.refusal("general", f"Failed to handle the payload for incoming webhook {MATTERMOST[-26:]}.")
        self.messages.append(seen.json())
        return word(200, "ok")

    def refusal(self, code, message, status=400):
        return Reply(status, json={"id": f"web.incoming_webhook.{code}.app_error", "message": message})


class FakeRocketChat:
    """Accepts an empty message, and posts nothing."""

    def __init__(self, outside):
        self.messages = []
        outside.teach("POST", ROCKET_CHAT, self)

    def __call__(self, seen):
        if seen.json():
            self.messages.append(seen.json())
        return Reply(json={"success": True})


def word(status, text):
    return Reply(status, body=text.encode(), headers=TEXT)


class TestContract(HTTPContract):
    too_long = with_own_text(AN_ARTICLE, "word " * 700)

    def make(self, outside):
        self.fake = FakeHook(outside)
        return SlackHook({"webhook_url": URL}, outside.http())

    def copies(self, outside):
        return len(self.fake.messages)


@pytest.fixture
def fake(outside):
    return FakeHook(outside)


@pytest.fixture
def hook(outside, fake):
    return SlackHook({"webhook_url": URL}, outside.http())


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


@pytest.mark.parametrize(
    "url",
    [
        "", "https://chat.example", "https://chat.example/", "chat.example/hooks/abc", "ftp://chat.example/hooks/abc",
        "https://hooks.slack.com/hooks/abc", "https://ada:pass@chat.example/hooks/abc", f"{MATTERMOST}/../x",
        f"{MATTERMOST}?a=b", URL.replace("https", "http"), f"{URL}/../x",
    ],
)  # fmt: skip
def test_an_invalid_webhook_url_is_rejected_before_sending(outside, url):
    with pytest.raises(Misconfigured) as caught:
        publish(SlackHook({"webhook_url": url}, outside.http()))
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


class TestContractOfMattermost(HTTPContract):
    too_long = TestContract.too_long

    def make(self, outside):
        self.fake = FakeMattermost(outside)
        return SlackHook({"webhook_url": MATTERMOST}, outside.http())

    def copies(self, outside):
        return len(self.fake.messages)


class TestContractOfRocketChat(TestContractOfMattermost):
    def make(self, outside):
        self.fake = FakeRocketChat(outside)
        return SlackHook({"webhook_url": ROCKET_CHAT}, outside.http())


class TestOtherServers:
    @pytest.fixture
    def mattermost(self, outside):
        self.fake = FakeMattermost(outside)
        return SlackHook({"webhook_url": MATTERMOST}, outside.http())

    @pytest.fixture
    def rocket_chat(self, outside):
        self.fake = FakeRocketChat(outside)
        return SlackHook({"webhook_url": ROCKET_CHAT}, outside.http())

    def test_connecting_posts_nothing(self, mattermost, rocket_chat):
        assert mattermost.verify().name == "chat.example:8065"
        assert rocket_chat.verify().name == "rocket.example"
        assert self.fake.messages == []

    def test_the_message_is_markdown(self, mattermost):
        publish(mattermost)
        assert self.fake.messages == [{"text": "**Of trees**\n\nAbout trees.\n\nhttps://blog.example/posts/of-trees"}]

    def test_the_preview_shows_the_message(self, mattermost):
        (part,) = parts(mattermost, mattermost.compose(AN_ARTICLE, {}))
        assert part.text.startswith("**Of trees**")

    def test_words_are_no_markup_and_notify_nobody(self, mattermost):
        hostile = replace(
            AN_ARTICLE, title="*All* of_it `x` #1", summary="@all <!here> a@b.example https://a.example/@ada_b_c"
        )
        text = mattermost.compose(hostile, {}).body["text"]
        assert "**\\*All\\* of\\_it \\`x\\` \\#1**" in text
        assert "@\u2060all <\u2060!here>" in text
        assert "https://a.example/@ada_b_c" in text, "URLs stay as they are"

    @pytest.mark.parametrize(
        ("reply", "error"),
        [
            (Reply(400, json={"id": "web.incoming_webhook.invalid.app_error", "message": "Invalid."}), Disconnected),
            (Reply(400, json={"id": "web.incoming_webhook.general.app_error", "message": "Failed."}), Disconnected),
            (Reply(400, json={"success": False, "error": "Invalid integration id or token provided."}), Disconnected),
            (Reply(404, json={"success": False, "error": "Invalid integration id or token provided."}), Disconnected),
            (Reply(400, json={"success": False, "error": f"invalid-channel {MATTERMOST[-26:]}"}), Rejected),
            (Reply(200, json={"success": False, "error": "unknown-error"}), Uncertain),
            (Reply(200, body=b"<p>Hello", headers={"Content-Type": "text/html"}), Uncertain),
        ],
    )
    def test_each_error_says_what_to_do_without_the_secret(self, mattermost, outside, reply, error):
        outside.always(status=reply.status, json=reply.json, body=reply.body, headers=reply.headers)
        with pytest.raises(error) as caught:
            publish(mattermost)
        assert MATTERMOST[-26:] not in str(caught.value)

    @pytest.mark.parametrize(
        "reply", [word(200, "ok"), Reply(404, body=b"<p>"), FakeMattermost.refusal(None, "invalid", "Invalid webhook.")]
    )
    def test_a_wrong_url_is_not_connected(self, mattermost, outside, reply):
        outside.always(status=reply.status, json=reply.json, body=reply.body, headers=reply.headers)
        with pytest.raises((Disconnected, Misconfigured)):
            mattermost.verify()

    def test_the_secret_is_bound_to_the_server(self, mattermost, rocket_chat):
        assert set(mattermost.origins()) == {"https://chat.example:8065"}
        assert set(rocket_chat.origins()) == {"https://rocket.example"}

    def test_a_private_address_is_refused(self, outside):
        outside.names["chat.example"] = ["10.0.0.7"]
        with pytest.raises(Misconfigured, match="BLOGSVC_ALLOW_PRIVATE_ADDRESSES"):
            SlackHook({"webhook_url": MATTERMOST}, outside.http()).verify()
