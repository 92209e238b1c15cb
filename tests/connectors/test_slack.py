"""Slack, with a fake workspace that stores messages with their metadata and reactions."""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import pytest

from blogsvc.connectors.base import (
    Conflict,
    CopyFound,
    CopyNotFound,
    CopyUnknown,
    Disconnected,
    Figures,
    Gone,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.slack.connector import HISTORY_PAGE, WEB_API, Slack
from blogsvc.connectors.slack.text import escaped
from tests.connectors.contract import AN_ARTICLE, CHOSEN_AT, FAMILY, HTTPContract, with_own_text
from tests.outside import Reply

TOKEN = "xoxb-1-2-s3cret"
CHANNEL = "C0123456789"
SETTINGS = {"token": TOKEN, "channel": CHANNEL}
HOME = AN_ARTICLE.canonical_url
NOW = 1_795_168_800
HOSTILE = "*_[]()<@everyone>& <!channel> `~x~`"
RIGHT_TO_LEFT = "שלום \u202eעולם\u202c مرحبا"
READS = ("conversations.info", "conversations.history", "chat.getPermalink")
WRITES = ("auth.test", "chat.postMessage", "chat.update", "chat.delete")


class FakeSlack:
    """One channel of one workspace. `refuses` maps a method to the error code that it returns."""

    def __init__(self, outside):
        self.messages = []
        self.refuses = {}
        self.clock = NOW
        for method in READS:
            outside.teach("GET", f"{WEB_API}/{method}", self.answering(method))
        for method in WRITES:
            outside.teach("POST", f"{WEB_API}/{method}", self.answering(method))

    def answering(self, method):
        def answer(seen):
            if seen.headers["Authorization"] != f"Bearer {TOKEN}":
                return said("invalid_auth")
            if method in self.refuses:
                return said(self.refuses[method])
            query = {name: values[0] for name, values in parse_qs(urlsplit(seen.url).query).items()}
            asked = seen.json() if seen.method == "POST" else query
            if asked.get("channel", CHANNEL) != CHANNEL:
                return said("channel_not_found")
            return getattr(self, method.replace(".", "_"))(asked)

        return answer

    def auth_test(self, asked):
        return well(team="Treehouse", url="https://treehouse.slack.com/", bot_id="B1")

    def conversations_info(self, asked):
        return well(channel={"id": CHANNEL, "name": "blog"})

    def chat_postMessage(self, asked):
        if (word := fault_of(asked)) is not None:
            return said(word)
        message = {"ts": self.now(), **{name: asked[name] for name in ("text", "blocks", "metadata")}}
        self.messages.insert(0, message)
        return well(channel=CHANNEL, ts=message["ts"], message=message)

    def chat_update(self, asked):
        message = self.at(asked["ts"])
        if message is None:
            return said("message_not_found")
        if (word := fault_of(asked)) is not None:
            return said(word)
        changed = {name: asked[name] for name in ("text", "blocks", "metadata")}
        message |= {**changed, "edited": {"user": "B1", "ts": self.now()}}
        return well(channel=CHANNEL, ts=message["ts"], text=message["text"])

    def chat_delete(self, asked):
        message = self.at(asked["ts"])
        if message is None:
            return said("message_not_found")
        self.messages.remove(message)
        return well(ts=asked["ts"])

    def chat_getPermalink(self, asked):
        return well(permalink=f"https://treehouse.slack.com/archives/{CHANNEL}/p{asked['message_ts'].replace('.', '')}")

    def conversations_history(self, asked):
        assert asked["include_all_metadata"] == "true"
        oldest, latest = float(asked["oldest"]), float(asked.get("latest", "inf"))
        within = [m for m in self.messages if oldest <= float(m["ts"]) <= latest]
        most = int(asked["limit"])
        return well(messages=within[:most], has_more=len(within) > most)

    def at(self, ts):
        return next((message for message in self.messages if message["ts"] == ts), None)

    def now(self):
        self.clock += 1
        return f"{self.clock}.000100"


def fault_of(asked):
    """Blocks have structure; the text is for notifications, and must not mention anyone."""
    if len(asked["text"]) > 4000:
        return "msg_too_long"
    for element in asked["blocks"][0]["elements"][0]["elements"]:
        if element["type"] not in ("text", "link") or not element.get("text", "x"):
            return "invalid_blocks"
    assert not re.search(r"<[!@#]", asked["text"])
    return None


def well(**told):
    return Reply(json={"ok": True, **told})


def said(word):
    return Reply(json={"ok": False, "error": word})


def own_words(text):
    return with_own_text(AN_ARTICLE, text)


class TestContract(HTTPContract):
    too_long = own_words("word " * 700)

    def make(self, outside):
        self.fake = FakeSlack(outside)
        return Slack(SETTINGS, outside.http())

    def live(self, now):
        self.fake.clock = int(now.timestamp())

    def is_creation(self, seen):
        return seen.url.endswith("/chat.postMessage")

    def copies(self, outside):
        return len(self.fake.messages)

    def bury(self, outside):
        self.fake.messages[:0] = [{"ts": self.fake.now(), "text": "hi"} for _ in range(HISTORY_PAGE)]

    def edit_on_platform(self, outside):
        self.fake.messages[0] |= {"text": "Ours now", "edited": {"user": "U1", "ts": self.fake.now()}}

    def add_readers(self, outside):
        reactions = [{"name": "tada", "count": 3}, {"name": "tree", "count": 2}]
        self.fake.messages[0] |= {"reactions": reactions, "reply_count": 4}
        return Figures(likes=5, comments=4)


@pytest.fixture
def fake(outside):
    return FakeSlack(outside)


@pytest.fixture
def slack(outside, fake):
    return Slack(SETTINGS, outside.http())


def keys_of(slack, operation="op-1"):
    return {**slack.mint(AN_ARTICLE), "operation": operation, "armed_at": CHOSEN_AT}


def publish(slack, article=AN_ARTICLE, keys=None):
    return slack.publish(slack.compose(article, {}), keys or keys_of(slack))


def elements_of(payload):
    return payload.body["blocks"][0]["elements"][0]["elements"]


def test_an_announcement_is_a_bold_link_with_the_summary(slack):
    assert slack.compose(AN_ARTICLE, {}).body == {
        "text": f"<{HOME}|Of trees>\nAbout trees.",
        "blocks": [
            {
                "type": "rich_text",
                "elements": [
                    {
                        "type": "rich_text_section",
                        "elements": [
                            {"type": "link", "url": HOME, "text": "Of trees", "style": {"bold": True}},
                            {"type": "text", "text": "\nAbout trees."},
                        ],
                    }
                ],
            }
        ],
        "unfurl_links": True,
        "unfurl_media": True,
    }


def test_the_account_is_named_after_workspace_and_channel(slack):
    account = slack.verify()
    assert (account.name, account.url) == ("Treehouse #blog", f"https://treehouse.slack.com/archives/{CHANNEL}")


def test_connecting_works_without_optional_scopes(slack, fake):
    fake.refuses["conversations.info"] = "missing_scope"
    assert slack.verify().name == "Treehouse"


def test_the_link_preview_can_be_disabled(slack):
    body = slack.compose(AN_ARTICLE, {"preview": "no"}).body
    assert (body["unfurl_links"], body["unfurl_media"]) == (False, False)


def test_nobody_is_mentioned_and_markup_is_escaped(slack, fake):
    publish(
        slack, replace(AN_ARTICLE, title=HOSTILE, summary=RIGHT_TO_LEFT, canonical_url="https://b.example/?a=1&b=|")
    )
    (message,) = fake.messages
    told = "*_[]()&lt;@everyone&gt;&amp; &lt;!channel&gt; `~x~`"
    assert message["text"] == f"<https://b.example/?a=1&amp;b=%7C|{told}>\n{RIGHT_TO_LEFT}"
    head, rest = message["blocks"][0]["elements"][0]["elements"]
    assert (head["text"], head["url"]) == (HOSTILE, "https://b.example/?a=1&b=|")
    assert rest["text"] == f"\n{RIGHT_TO_LEFT}"


def test_urls_in_custom_text_become_links(slack):
    payload = slack.compose(own_words("See (https://x.example/a_b), or not."), {})
    assert elements_of(payload) == [
        {"type": "text", "text": "See ("},
        {"type": "link", "url": "https://x.example/a_b"},
        {"type": "text", "text": "), or not."},
        {"type": "text", "text": "\n\n"},
        {"type": "link", "url": HOME},
    ]
    assert payload.body["text"].endswith(f"\n<{HOME}>")


def test_custom_text_may_have_3000_characters_plus_the_link(slack, fake):
    words = FAMILY * 428 + "x" * 4  # an emoji sequence counts as seven characters here
    publish(slack, replace(own_words(words), canonical_url=f"https://blog.example/{'p' * 500}"))
    assert words in fake.messages[0]["text"]
    with pytest.raises(Rejected, match="1 over the limit"):
        slack.compose(own_words(words + "x"), {})


def test_escaped_characters_count_as_sent(slack):
    assert slack.compose(own_words("&" * 600), {})
    with pytest.raises(Rejected):
        slack.compose(own_words("&" * 601), {})
    assert len(escaped("&" * 600)) == 3000


def test_a_message_has_a_url_and_contains_our_key(slack, fake):
    keys = keys_of(slack)
    receipt = publish(slack, keys=keys)
    assert receipt.remote_id == f"{CHANNEL}/{NOW + 1}.000100"
    assert receipt.url == f"https://treehouse.slack.com/archives/{CHANNEL}/p{NOW + 1}000100"
    assert fake.messages[0]["metadata"] == {
        "event_type": "blogsvc_post",
        "event_payload": {"key": keys["marker"], "operation": "op-1"},
    }


def test_a_message_without_a_permalink_is_still_delivered(slack, fake):
    fake.refuses["chat.getPermalink"] = "internal_error"
    assert publish(slack).url is None
    assert len(fake.messages) == 1


class TestFinding:
    def test_a_message_is_found_by_its_key(self, slack, fake):
        keys = keys_of(slack)
        receipt = publish(slack, keys=keys)
        publish(slack)
        fake.messages.insert(0, {"ts": fake.now(), "text": "hi", "metadata": "odd"})
        assert slack.find(keys) == CopyFound(receipt)

    def test_a_busy_channel_gives_an_unknown_result(self, slack, fake):
        keys = keys_of(slack)
        fake.messages = [{"ts": fake.now(), "text": "hi"} for _ in range(200)]
        assert isinstance(slack.find(keys), CopyNotFound)
        fake.messages.append({"ts": fake.now(), "text": "hi"})
        assert isinstance(slack.find(keys), CopyUnknown)

    @pytest.mark.parametrize("word", ["missing_scope", "not_in_channel"])
    def test_an_app_without_read_access_gives_an_unknown_result(self, slack, fake, word):
        fake.refuses["conversations.history"] = word
        assert isinstance(slack.find(keys_of(slack)), CopyUnknown)

    def test_a_copy_without_our_keys_cannot_be_found(self, slack):
        assert isinstance(slack.find({}), CopyUnknown)


class TestChanging:
    def test_an_app_without_read_access_can_still_update_its_message(self, slack, fake):
        receipt = publish(slack)
        fake.refuses["conversations.history"] = "missing_scope"
        changed = slack.update(
            slack.compose(replace(AN_ARTICLE, title="Of bushes"), {}), keys_of(slack, "op-2"), receipt
        )
        assert "Of bushes" in fake.messages[0]["text"]
        assert changed.version is None
        for ask in (lambda: slack.fetch_version({}, receipt), lambda: slack.stats(receipt)):
            with pytest.raises(Unsupported, match="channels:history"):
                ask()

    def test_an_update_whose_response_was_lost_is_no_conflict(self, slack, outside):
        keys = keys_of(slack)
        receipt = publish(slack, keys=keys)
        again = {**keys, "operation": "op-2"}
        changed = slack.compose(replace(AN_ARTICLE, title="Of bushes"), {})
        outside.lose_next(lambda seen: seen.url.endswith("chat.update"))
        with pytest.raises(Unavailable):
            slack.update(changed, again, receipt)
        assert slack.update(changed, again, receipt).version != receipt.version

    def test_the_conflict_message_says_that_a_retry_overwrites(self, slack):
        receipt = replace(publish(slack), version="1.0")
        with pytest.raises(Conflict, match="etry to overwrite the changes"):
            slack.update(slack.compose(AN_ARTICLE, {}), keys_of(slack, "op-2"), receipt)

    def test_a_link_that_a_person_entered_is_not_the_id_of_a_message(self, slack, fake):
        url = publish(slack).url
        with pytest.raises(Unsupported, match="can't tell which message"):
            slack.delete({"operation": "op-2"}, Receipt(url, url))
        assert len(fake.messages) == 1

    def test_a_copy_without_a_url_cannot_be_deleted(self, slack):
        with pytest.raises(Unsupported, match="can't tell which message"):
            slack.delete({}, Receipt("01JD0000000000000000000001"))


@pytest.mark.parametrize("channel", [CHANNEL, f"https://treehouse.slack.com/archives/{CHANNEL}", f" {CHANNEL} "])
def test_a_channel_is_given_by_its_id_or_url(outside, fake, channel):
    publish(Slack({"token": TOKEN, "channel": channel}, outside.http()))
    assert len(fake.messages) == 1


@pytest.mark.parametrize("channel", ["", "#blog", "blog", f"{CHANNEL}&x=1"])
def test_an_invalid_channel_is_rejected_before_sending(outside, channel):
    with pytest.raises(Misconfigured) as caught:
        publish(Slack({"token": TOKEN, "channel": channel}, outside.http()))
    assert caught.value.field == "channel"
    assert outside.requests == []


@pytest.mark.parametrize(
    ("word", "error", "field", "words"),
    [
        ("invalid_auth", Disconnected, "token", "Reconnect"),
        ("token_revoked", Disconnected, "token", "Reconnect"),
        ("missing_scope", Disconnected, "token", "chat:write"),
        ("channel_not_found", Misconfigured, "channel", "channel"),
        ("is_archived", Misconfigured, "channel", "is_archived"),
        ("not_in_channel", Misconfigured, "channel", "Invite"),
        ("msg_too_long", Rejected, None, "Shorten"),
        ("invalid_blocks", Rejected, None, "invalid_blocks"),
        ("message_not_found", Gone, None, "no longer exists on Slack"),
        ("edit_window_closed", Unsupported, None, "edit_window_closed"),
        ("ratelimited", RateLimited, None, "rate limit reached"),
        ("internal_error", Uncertain, None, "may have succeeded"),
        ("fatal_error", Uncertain, None, "may have succeeded"),
        (f"odd {TOKEN}", Rejected, None, "no reason"),
    ],
)
def test_each_error_says_what_to_do(slack, fake, word, error, field, words):
    fake.refuses["chat.postMessage"] = word
    with pytest.raises(error, match=words) as caught:
        publish(slack)
    assert caught.value.field == field
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize("answer", [["ok"], {"ok": True}, {"ok": True, "ts": ""}])
def test_an_unexpected_response_is_no_success(slack, outside, answer):
    outside.always(lambda seen: "postMessage" in seen.url, json=answer)
    with pytest.raises(Uncertain):
        publish(slack)
