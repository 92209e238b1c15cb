"""Discord, with a fake webhook that stores messages and enforces the limits of Discord."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    Conflict,
    ConnectorError,
    Disconnected,
    Gone,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.discord import WEBHOOK_API, Discord, literal
from tests.connectors.contract import AN_ARTICLE, FAMILY, HTTPContract, with_own_text
from tests.outside import Reply

WEBHOOK_ID, SECRET = "1100000000000000001", "s3cret-T0ken_of-a-webhook"
URL = f"https://discord.com/api/webhooks/{WEBHOOK_ID}/{SECRET}"
HOOK = f"{WEBHOOK_API}/{WEBHOOK_ID}/{SECRET}"
GUILD, CHANNEL, THREAD = "42", "1200000000000000002", "1300000000000000003"
FACTS = {"guild_id": GUILD, "channel_id": CHANNEL}
HOME = AN_ARTICLE.canonical_url
HOSTILE = "*_[]()<@everyone>&"
RIGHT_TO_LEFT = "שלום \u202eעולם\u202c مرحبا"


class FakeDiscord:
    """One webhook in one channel, which may be a forum."""

    def __init__(self, outside, is_forum=False):
        self.outside = outside
        self.is_forum = is_forum
        self.messages = {}
        self.clock = 0
        webhook = {"id": WEBHOOK_ID, "name": "Trees", "guild_id": GUILD, "channel_id": CHANNEL, "token": SECRET}
        outside.teach("GET", HOOK, json=webhook)
        outside.teach("POST", HOOK, self.post)

    def post(self, seen):
        body, query = seen.json(), re.findall(r"(\w+)=(\w+)", seen.url)
        assert ("wait", "true") in query
        if (fault := self.fault_of(body)) is not None:
            return fault
        thread = dict(query).get("thread_id")
        if thread not in (None, THREAD):
            return refused(404, 10003, "Unknown Channel")
        if self.is_forum and not thread and not body.get("thread_name"):
            return refused(400, 220001, "Webhooks posted to forum channels must have a thread_name or thread_id")
        if not self.is_forum and body.get("thread_name"):
            return refused(400, 220003, "Webhooks can only create threads in forum channels")
        number = str(1500 + len(self.messages))
        channel = thread or (f"77{number}" if self.is_forum else CHANNEL)
        message = {"id": number, "channel_id": channel, "timestamp": self.now(), "edited_timestamp": None, **body}
        self.messages[number] = message
        address = f"{HOOK}/messages/{number}{'' if channel == CHANNEL else f'?thread_id={channel}'}"
        for method, answer in (("GET", self.get), ("PATCH", self.patch), ("DELETE", self.delete)):
            self.outside.teach(method, address, lambda seen, answer=answer: answer(number, seen))
        return Reply(json=message)

    def get(self, number, seen):
        return Reply(json=self.messages[number]) if number in self.messages else self.unknown()

    def patch(self, number, seen):
        if number not in self.messages:
            return self.unknown()
        body = seen.json()
        assert body.keys() <= {"content", "embeds", "allowed_mentions"}
        if (fault := self.fault_of(body)) is not None:
            return fault
        self.messages[number] |= {**body, "edited_timestamp": self.now()}
        return Reply(json=self.messages[number])

    def delete(self, number, seen):
        return Reply(204) if self.messages.pop(number, None) else self.unknown()

    def fault_of(self, body):
        """Length is counted in UTF-16 units here, which is at least what Discord counts."""
        cards = body.get("embeds", [])
        assert body["allowed_mentions"] == {"parse": []}
        if not body.get("content") and not cards:
            return refused(400, 50006, "Cannot send an empty message")
        checked = {"content": (body["content"], 2000), "thread_name": (body.get("thread_name", ""), 100)}
        for number, card in enumerate(cards):
            checked[f"embeds.{number}.title"] = (card["title"], 256)
            checked[f"embeds.{number}.description"] = (card.get("description", ""), 4096)
        if sum(units(card["title"] + card.get("description", "")) for card in cards) > 6000:
            return refused(400, 50035, "Invalid Form Body")
        for place, (text, most) in checked.items():
            if units(text) > most:
                return invalid(place, f"Must be {most} or fewer in length.")
        return None

    def unknown(self):
        return refused(404, 10008, "Unknown Message")

    def now(self):
        self.clock += 1
        return f"2026-11-20T10:00:{self.clock:02}.123000+00:00"


def units(text):
    return len(text.encode("utf-16-le")) // 2


def refused(status, code, message):
    return Reply(status, json={"code": code, "message": message})


def invalid(place, message):
    errors = {"_errors": [{"code": "BASE_TYPE_BAD_LENGTH", "message": message}]}
    for name in reversed(place.split(".")):
        errors = {name: errors}
    return Reply(400, json={"code": 50035, "message": "Invalid Form Body", "errors": errors})


def own_words(text):
    return with_own_text(AN_ARTICLE, text)


class TestContract(HTTPContract):
    too_long = own_words("word " * 500)

    def make(self, outside):
        self.fake = FakeDiscord(outside)
        return Discord({"webhook_url": URL}, outside.http(), FACTS)

    def copies(self, outside):
        return len(self.fake.messages)

    def edit_on_platform(self, outside):
        (message,) = self.fake.messages.values()
        message |= {"content": "Ours now", "edited_timestamp": self.fake.now()}


class TestContractInAForum(TestContract):
    def make(self, outside):
        self.fake = FakeDiscord(outside, is_forum=True)
        return Discord({"webhook_url": URL, "forum": "yes"}, outside.http(), FACTS)


@pytest.fixture
def fake(outside):
    return FakeDiscord(outside)


@pytest.fixture
def discord(outside, fake):
    return Discord({"webhook_url": URL}, outside.http(), FACTS)


def publish(discord, article=AN_ARTICLE):
    return discord.publish(discord.compose(article, {}), {"operation": "op-1"})


def test_an_announcement_has_a_title_a_link_and_a_card(discord):
    article = replace(AN_ARTICLE, cover_url="https://blog.example/media/cover.png")
    assert discord.compose(article, {}).body == {
        "content": f"Of trees\n<{HOME}>",
        "embeds": [
            {
                "title": "Of trees",
                "description": "About trees.",
                "url": HOME,
                "image": {"url": "https://blog.example/media/cover.png"},
            }
        ],
        "allowed_mentions": {"parse": []},
    }


@pytest.mark.parametrize(
    "prefix", ["https://discord.com/api", "https://discordapp.com/api/v6", "https://ptb.discord.com/api/v10"]
)
def test_every_form_of_webhook_url_is_normalized(outside, fake, prefix):
    url = f" {prefix}/webhooks/{WEBHOOK_ID}/{SECRET}/?wait=false "
    account = Discord({"webhook_url": url}, outside.http()).verify()
    assert (account.name, account.url) == ("Trees", f"https://discord.com/channels/{GUILD}/{CHANNEL}")
    assert account.facts == FACTS
    assert outside.requests[0].url == HOOK


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://example.com/api/webhooks/1/x",
        f"http://discord.com/api/webhooks/1/{SECRET}",
        "https://discord.com/api/webhooks/1/../x",
    ],
)
def test_an_invalid_webhook_url_is_rejected_before_sending(outside, url):
    with pytest.raises(Misconfigured) as caught:
        publish(Discord({"webhook_url": url}, outside.http()))
    assert caught.value.field == "webhook_url"
    assert outside.requests == []


def test_nobody_is_mentioned_and_markup_is_escaped(discord, fake):
    publish(discord, replace(AN_ARTICLE, title=f"@everyone {HOSTILE}", summary=f"{RIGHT_TO_LEFT} <@1> ~~no~~ ||x||"))
    (message,) = fake.messages.values()
    assert message["allowed_mentions"] == {"parse": []}
    told = r"\@everyone \*\_\[\]\(\)\<\@everyone\>&"
    assert message["content"].splitlines()[0] == message["embeds"][0]["title"] == told
    assert message["embeds"][0]["description"] == rf"{RIGHT_TO_LEFT} \<\@1\> \~\~no\~\~ \|\|x\|\|"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("# Trees", r"\# Trees"),
        ("-# small", r"\-\# small"),
        ("- list", r"\- list"),
        ("well-known C#", "well-known C#"),
        (r"back\slash", r"back\\slash"),
        ("see https://x.example/a_b_c*d, _now_", r"see https://x.example/a_b_c*d, \_now\_"),
        ("https://x.example/<@1>", r"https://x.example/\<\@1\>"),
    ],
)
def test_only_discord_markup_characters_are_escaped(text, told):
    assert literal(text) == told


def test_a_long_title_is_whole_in_the_text_and_short_in_the_card(discord, fake):
    publish(discord, replace(AN_ARTICLE, title="*tree* " * 40))
    (message,) = fake.messages.values()
    assert message["content"].count(r"\*tree\*") == 40
    assert message["embeds"][0]["title"].endswith("…")


def test_custom_text_may_fill_2000_units_with_the_link(discord, fake):
    link = f"https://blog.example/{'p' * 500}"
    room = 2000 - len(link) - len("<>\n\n")
    words = FAMILY * (room // 11) + "x" * (room % 11)
    publish(discord, replace(own_words(words), canonical_url=link))
    (message,) = fake.messages.values()
    assert message["content"] == f"{words}\n<{link}>"
    with pytest.raises(Rejected, match="1 over the limit"):
        discord.compose(replace(own_words(words + "x"), canonical_url=link), {})


def test_custom_text_with_the_link_gets_discords_own_card(discord):
    body = discord.compose(own_words(f"Read {HOME} today"), {}).body
    assert body["content"] == f"Read {HOME} today"
    assert body["embeds"] == []


def test_a_message_is_linked_by_server_channel_and_id(discord):
    receipt = publish(discord)
    assert receipt.remote_id == "1500"
    assert receipt.url == f"https://discord.com/channels/{GUILD}/{CHANNEL}/1500"


def test_a_message_in_a_thread_is_updated_in_its_thread(outside, fake):
    discord = Discord({"webhook_url": URL, "thread": THREAD}, outside.http(), FACTS)
    receipt = publish(discord)
    assert receipt.remote_id == f"{THREAD}/1500"
    discord.update(discord.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {}, receipt)
    discord.delete({}, receipt)
    assert fake.messages == {}


def test_a_post_in_a_forum_starts_a_thread_with_its_title(outside):
    fake = FakeDiscord(outside, is_forum=True)
    discord = Discord({"webhook_url": URL, "forum": "yes", "thread": THREAD}, outside.http(), FACTS)
    receipt = publish(discord, replace(AN_ARTICLE, title="tree " * 40))
    (message,) = fake.messages.values()
    assert len(message["thread_name"]) <= 100
    assert receipt.remote_id == "771500/1500"
    discord.update(discord.compose(AN_ARTICLE, {}), {}, receipt)
    assert message["content"].startswith("Of trees")


@pytest.mark.parametrize("is_forum", [True, False])
def test_a_wrong_forum_setting_is_reported(outside, is_forum):
    FakeDiscord(outside, is_forum)
    settings = {"webhook_url": URL, "forum": "no" if is_forum else "yes"}
    with pytest.raises(Misconfigured, match="forum") as caught:
        publish(Discord(settings, outside.http()))
    assert caught.value.field == "forum"


@pytest.mark.parametrize("thread", ["my thread", "9"])
def test_an_invalid_thread_is_reported(outside, fake, thread):
    with pytest.raises(Misconfigured) as caught:
        publish(Discord({"webhook_url": URL, "thread": thread}, outside.http()))
    assert caught.value.field == "thread"


def test_the_username_can_be_overridden(outside, fake):
    publish(Discord({"webhook_url": URL, "username": "Tree blog"}, outside.http()))
    (message,) = fake.messages.values()
    assert message["username"] == "Tree blog"


@pytest.mark.parametrize("name", ["My Discord", "clydesdale", "x" * 81])
def test_usernames_that_discord_rejects_are_reported_when_connecting(outside, name):
    with pytest.raises(Misconfigured) as caught:
        Discord({"webhook_url": URL, "username": name}, outside.http()).verify()
    assert caught.value.field == "username"
    assert outside.requests == []


def test_a_link_that_a_person_entered_is_not_the_id_of_a_message(discord, fake):
    link = publish(discord).url
    with pytest.raises(Unsupported, match="can't tell which message"):
        discord.delete({}, Receipt(link, link))
    assert "1500" in fake.messages


@pytest.mark.parametrize(("is_forum", "thread"), [(True, "771500"), (False, THREAD)])
def test_the_url_of_a_copy_in_a_forum_or_thread_contains_the_thread(outside, is_forum, thread):
    fake = FakeDiscord(outside, is_forum)
    settings = {"webhook_url": URL, "forum": "yes" if is_forum else "no", "thread": "" if is_forum else THREAD}
    discord = Discord(settings, outside.http(), FACTS)
    receipt = publish(discord)
    assert receipt.url == f"https://discord.com/channels/{GUILD}/{thread}/1500"
    found = discord.update(discord.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {}, receipt)
    assert "Of bushes" in fake.messages["1500"]["content"]
    discord.delete({}, found)
    assert fake.messages == {}
    assert {seen.url for seen in outside.requests[1:]} == {f"{HOOK}/messages/1500?thread_id={thread}"}


def test_a_copy_without_a_url_cannot_be_deleted(discord):
    with pytest.raises(Unsupported, match="can't tell which message"):
        discord.delete({}, Receipt("01JD0000000000000000000001"))


def test_an_update_whose_response_was_lost_is_no_conflict(discord, outside):
    receipt = publish(discord)
    changed = discord.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    outside.lose_next(lambda seen: seen.method == "PATCH")
    with pytest.raises(Unavailable):
        discord.update(changed, {}, receipt)
    assert discord.update(changed, {}, receipt).version != receipt.version


def test_a_copy_in_a_deleted_thread_is_gone(discord, outside):
    receipt = publish(discord)
    outside.always(status=404, json={"code": 10003, "message": "Unknown Channel"})
    with pytest.raises(Gone):
        discord.delete({}, receipt)


def test_the_conflict_message_says_that_a_retry_overwrites(discord):
    receipt = replace(publish(discord), version="2026-01-01T00:00:00+00:00")
    with pytest.raises(Conflict, match="etry to overwrite the changes"):
        discord.update(discord.compose(replace(AN_ARTICLE, title="Of bushes"), {}), {}, receipt)


@pytest.mark.parametrize(
    ("reply", "error", "field", "words"),
    [
        (refused(404, 10015, "Unknown Webhook"), Disconnected, "webhook_url", "Create a new one"),
        (refused(401, 50027, "Invalid Webhook Token"), Disconnected, "webhook_url", "Create a new one"),
        (refused(404, 10008, "Unknown Message"), Gone, None, "no longer exists on Discord"),
        (refused(400, 50006, "Cannot send an empty message"), Rejected, None, "empty message"),
        (invalid("embeds.0.title", "Must be 256 or fewer in length."), Rejected, None, "embeds.0.title: Must be 256"),
        (Reply(400, json={"code": 50035, "errors": {"content": "odd"}}), Rejected, None, "change the post and retry"),
        (refused(400, 30046, "Maximum number of edits"), Unavailable, None, "later"),
        (
            Reply(429, json={"message": "slow", "retry_after": 0.65, "global": False}),
            RateLimited,
            None,
            "rate limit reached",
        ),
        (Reply(500, json=["?"]), Uncertain, None, "may have succeeded"),
    ],
)
def test_each_error_says_what_to_do(discord, outside, reply, error, field, words):
    outside.always(status=reply.status, json=reply.json)
    with pytest.raises(error, match=words) as caught:
        publish(discord)
    assert caught.value.field == field
    if error is RateLimited:
        assert caught.value.retry_after == 0.65


def test_errors_contain_neither_the_url_nor_its_token(outside, discord):
    outside.always(status=400, json={"code": 50035, "errors": {"x": {"_errors": [{"message": f"{URL} and {SECRET}"}]}}})
    with pytest.raises(ConnectorError) as caught:
        publish(discord)
    assert (
        SECRET not in f"{caught.value} {caught.value!r} {discord!r} {json.dumps(discord.compose(AN_ARTICLE, {}).body)}"
    )
