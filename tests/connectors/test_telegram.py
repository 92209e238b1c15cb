"""Telegram, with a fake Bot API that stores messages and counts and fails as Telegram does."""

from __future__ import annotations

import html
import json
import logging
import re
from dataclasses import replace

import pytest

from blogsvc.connections import manage
from blogsvc.connectors.base import (
    ConnectorError,
    CopyUnknown,
    Disconnected,
    Gone,
    Misconfigured,
    RateLimited,
    Receipt,
    Rejected,
    Uncertain,
    Unsupported,
)
from blogsvc.connectors.telegram import BOT_API, TOMBSTONE, Telegram
from blogsvc.errors import Invalid
from blogsvc.models import Connection, transaction
from tests.connectors.contract import AN_ARTICLE, FAMILY, HTTPContract, with_own_text
from tests.outside import Reply

OWN_SERVER = "https://bots.example:8081"
TOKEN = "123456:AAHs3cret-t0ken_xyz"
CHANNEL = {"id": -1001234567890, "type": "channel", "title": "Trees daily", "username": "trees_daily"}
HOSTILE = "*_[]()<@everyone>& `#1` | ~2~"
RIGHT_TO_LEFT = "שלום \u202eעולם\u202c مرحبا"
METHODS = "getMe getChat getChatMember sendMessage sendRichMessage editMessageText deleteMessage".split()


class FakeTelegram:
    """The methods of the Bot API that a blog needs, for one bot and one channel."""

    def __init__(self, outside, token=TOKEN, channel=CHANNEL, url=BOT_API):
        self.channel = channel
        self.member = {"status": "administrator", "can_post_messages": True}
        self.messages = {}
        self.too_old = False
        self.count = 0
        for method in METHODS:
            outside.teach("POST", f"{url}/bot{token}/{method}", self.answering(getattr(self, method)))

    def answering(self, method):
        def answer(seen):
            body = seen.json()
            chat = body.get("chat_id", self.channel["id"])
            if str(chat) not in (str(self.channel["id"]), f"@{self.channel.get('username')}"):
                return refused("chat not found")
            return method(body)

        return answer

    def getMe(self, body):
        return taken({"id": 123456, "is_bot": True, "username": "tree_bot"})

    def getChat(self, body):
        return taken(self.channel)

    def getChatMember(self, body):
        assert body["user_id"] == 123456
        return taken(self.member)

    def sendMessage(self, body):
        assert "rich_message" not in body
        return self.keep(body) if fits(body) else refused("message is too long")

    def sendRichMessage(self, body):
        assert len(body["rich_message"]["markdown"]) <= 32_768
        return self.keep(body)

    def keep(self, body):
        self.count += 1
        self.messages[self.count] = said_by(body)
        return taken({"message_id": self.count, "chat": self.channel})

    def editMessageText(self, body):
        if body["message_id"] not in self.messages:
            return refused("message to edit not found")
        if self.messages[body["message_id"]] == said_by(body):
            return refused(
                "message is not modified: specified new message content and reply markup are exactly the same"
            )
        self.messages[body["message_id"]] = said_by(body)
        return taken({"message_id": body["message_id"], "chat": self.channel})

    def deleteMessage(self, body):
        if body["message_id"] not in self.messages:
            return refused("message to delete not found")
        if self.too_old:
            return refused("message can't be deleted")
        del self.messages[body["message_id"]]
        return taken(True)


def said_by(body):
    return {name: body[name] for name in ("text", "rich_message", "link_preview_options") if name in body}


def fits(body):
    """Length is counted after parsing the markup, in UTF-16 units. Only a few tags are known."""
    tags = set(re.findall(r"</?(\w+)", body["text"]))
    assert tags <= {"a", "b"}, f"can't parse entities: {tags}"
    read = html.unescape(re.sub(r"<[^>]*>", "", body["text"]))
    return 0 < len(read.encode("utf-16-le")) // 2 <= 4096


def taken(result):
    return Reply(json={"ok": True, "result": result})


def refused(description, status=400, **parameters):
    body = {"ok": False, "error_code": status, "description": f"Bad Request: {description}"}
    return Reply(status, json={**body, **({"parameters": parameters} if parameters else {})})


def own_words(text):
    return with_own_text(AN_ARTICLE, text)


class TestContract(HTTPContract):
    too_long = own_words("word " * 900)

    def make(self, outside):
        self.fake = FakeTelegram(outside)
        return Telegram({"token": TOKEN, "chat": "@trees_daily"}, outside.http())

    def copies(self, outside):
        return len(self.fake.messages)


class TestContractOfAnOwnServer(TestContract):
    def make(self, outside):
        self.fake = FakeTelegram(outside, url=OWN_SERVER)
        return Telegram({"token": TOKEN, "chat": "@trees_daily", "url": f"{OWN_SERVER}/"}, outside.http())


class TestOwnServer:
    def test_the_token_is_bound_to_it(self, outside):
        own = Telegram({"token": TOKEN, "chat": "@trees_daily", "url": OWN_SERVER}, outside.http())
        assert set(own.origins()) == {"https://bots.example:8081"}
        usual = Telegram({"token": TOKEN, "chat": "@trees_daily"}, outside.http())
        assert set(usual.origins()) == {BOT_API}

    def test_another_website_is_no_bot_api_server(self, outside):
        outside.always(status=404, body=b"<p>Not found", headers={"Content-Type": "text/html"})
        with pytest.raises(Misconfigured, match="Bot API server") as caught:
            Telegram({"token": TOKEN, "chat": "@trees_daily", "url": OWN_SERVER}, outside.http()).verify()
        assert caught.value.field == "url"

    def test_a_connection_keeps_its_token_if_the_connector_gets_a_field_for_the_server(self, app, outside, tools):
        FakeTelegram(outside)
        manage.connect("telegram", "telegram", {"token": TOKEN, "chat": "@trees_daily"}, tools)
        with transaction():
            connection = Connection.named("telegram")
            connection.settings = {"chat": "@trees_daily"}
        manage.change(connection, None, {"chat": str(CHANNEL["id"])}, tools)
        assert Connection.named("telegram").settings["url"] == BOT_API

    def test_the_token_is_asked_again_for_another_server(self, app, outside, tools):
        FakeTelegram(outside)
        manage.connect("telegram", "telegram", {"token": TOKEN, "chat": "@trees_daily"}, tools)
        outside.requests.clear()
        with pytest.raises(Invalid, match="again"):
            manage.change(Connection.named("telegram"), None, {"url": OWN_SERVER}, tools)
        assert outside.requests == []


@pytest.fixture
def fake(outside):
    return FakeTelegram(outside)


@pytest.fixture
def telegram(outside, fake):
    return Telegram({"token": TOKEN, "chat": "-1001234567890"}, outside.http())


def publish(telegram, article=AN_ARTICLE, **options):
    return telegram.publish(telegram.compose(article, options), {"operation": "op-1"})


def test_an_announcement_has_a_bold_title_the_link_and_hashtags(telegram):
    payload = telegram.compose(AN_ARTICLE, {})
    home = "https://blog.example/posts/of-trees"
    assert payload.body == {
        "text": f'<b>Of trees</b>\n\nAbout trees.\n\n<a href="{home}">{home}</a>\n\n#nature #trees',
        "parse_mode": "HTML",
        "link_preview_options": {"url": home, "prefer_large_media": True},
    }


def test_markup_in_an_announcement_is_escaped(telegram, fake):
    publish(telegram, replace(AN_ARTICLE, title=HOSTILE, summary=f"{RIGHT_TO_LEFT} <b>no</b>"))
    assert fake.messages[1]["text"].startswith(
        f"<b>*_[]()&lt;@\u2060everyone&gt;&amp; `#1` | ~2~</b>\n\n{RIGHT_TO_LEFT} &lt;b&gt;no&lt;/b&gt;"
    )


def test_a_link_with_quotes_and_ampersands_stays_one_link(telegram, fake):
    publish(telegram, replace(AN_ARTICLE, canonical_url='https://blog.example/?a=1&b="2"'))
    assert '<a href="https://blog.example/?a=1&amp;b=&quot;2&quot;">' in fake.messages[1]["text"]


def test_the_link_preview_can_be_small_or_disabled(telegram):
    small, none = (telegram.compose(AN_ARTICLE, {"preview": size}).body for size in ("small", "none"))
    assert small["link_preview_options"] == {"url": AN_ARTICLE.canonical_url, "prefer_small_media": True}
    assert none["link_preview_options"] == {"is_disabled": True}


def test_silent_applies_only_to_the_first_message(telegram, outside):
    receipt = publish(telegram, silent="yes")
    telegram.update(telegram.compose(replace(AN_ARTICLE, title="Of bushes"), {"silent": "yes"}), {}, receipt)
    sent, edited = (seen.json() for seen in outside.requests)
    assert sent["disable_notification"] is True
    assert "disable_notification" not in edited


def test_custom_text_may_fill_4096_utf16_units_with_the_link(telegram, fake):
    link = f"https://blog.example/{'p' * 500}"
    room = 4096 - len(link) - 2
    families = FAMILY * (room // 11)  # an emoji sequence of seven code points is eleven units
    fill = "x" * (room % 11)
    article = replace(own_words(families + fill), canonical_url=link)
    publish(telegram, article)
    assert link in fake.messages[1]["text"]
    with pytest.raises(Rejected, match="1 over the limit"):
        telegram.compose(replace(own_words(families + fill + "x"), canonical_url=link), {})


def test_escaped_characters_count_as_one(telegram, fake):
    room = 4096 - len(AN_ARTICLE.canonical_url) - 2
    publish(telegram, own_words("&" * room))
    assert "&amp;" * room in fake.messages[1]["text"]


def test_a_public_channel_is_linked_by_name(telegram):
    assert publish(telegram) == Receipt("-1001234567890/1", "https://t.me/trees_daily/1")


def test_a_private_channel_is_linked_by_id(outside):
    FakeTelegram(outside, channel={"id": -1001234567890, "type": "channel", "title": "Secret trees"})
    telegram = Telegram({"token": TOKEN, "chat": "-1001234567890"}, outside.http())
    assert publish(telegram).url == "https://t.me/c/1234567890/1"


def test_a_small_group_has_no_links(outside):
    FakeTelegram(outside, channel={"id": -77, "type": "group", "title": "Friends"})
    telegram = Telegram({"token": TOKEN, "chat": "-77"}, outside.http())
    assert publish(telegram) == Receipt("-77/1", None)


@pytest.mark.parametrize("chat", ["@trees_daily", "trees_daily", "https://t.me/trees_daily", " -1001234567890 "])
def test_a_chat_can_be_given_in_many_ways(outside, fake, chat):
    account = Telegram({"token": TOKEN, "chat": chat}, outside.http()).verify()
    assert (account.name, account.url) == ("Trees daily", "https://t.me/trees_daily")
    assert account.facts == {"chat_id": "-1001234567890", "username": "trees_daily", "bot": "tree_bot"}


@pytest.mark.parametrize("chat", ["", "trees daily", "https://example.com/trees", "@x"])
def test_an_invalid_chat_is_rejected_before_sending(outside, chat):
    with pytest.raises(Misconfigured) as caught:
        publish(Telegram({"token": TOKEN, "chat": chat}, outside.http()))
    assert caught.value.field == "chat"
    assert outside.requests == []


@pytest.mark.parametrize("token", ["", "AAH", "123456:AAH/../x", "123456:AA H"])
def test_an_invalid_token_is_rejected_before_sending(outside, token):
    with pytest.raises(Misconfigured, match="token") as caught:
        Telegram({"token": token, "chat": "@trees_daily"}, outside.http()).verify()
    assert caught.value.field == "token"
    assert outside.requests == []


@pytest.mark.parametrize(
    "member", [{"status": "left"}, {"status": "administrator", "can_post_messages": False}, {"status": "member"}]
)
def test_a_bot_without_posting_rights_cannot_be_connected(telegram, fake, member):
    fake.member = member
    with pytest.raises(Disconnected, match="administrator") as caught:
        telegram.verify()
    assert caught.value.field == "chat"


def test_a_group_member_may_post(outside):
    fake = FakeTelegram(outside, channel={"id": -77, "type": "supergroup", "title": "Friends"})
    fake.member = {"status": "member"}
    assert Telegram({"token": TOKEN, "chat": "-77"}, outside.http()).verify().name == "Friends"


def test_the_token_appears_in_no_error_and_no_log(outside, fake, caplog):
    caplog.set_level(logging.DEBUG)
    telegram = Telegram({"token": f" {TOKEN} ", "chat": "@trees_daily"}, outside.http())
    told = [repr(telegram)]
    for reply in ({"failure": "lost"}, {"failure": "refused"}, {"status": 404}, {"status": 302}, {"status": 500}):
        outside.always(
            **reply, **({} if "failure" in reply else {"json": {"description": f"bot{TOKEN} or {TOKEN[7:]}"}})
        )
        with pytest.raises(ConnectorError) as caught:
            publish(telegram)
        told += [repr(caught.value), str(caught.value), str(caught.value.__cause__)]
    assert not any("AAHs3cret" in text for text in [*told, caplog.text])


def test_an_update_without_a_change_succeeds(telegram):
    receipt = publish(telegram)
    assert telegram.update(telegram.compose(AN_ARTICLE, {}), {}, receipt) == receipt


def test_a_message_too_old_to_delete_is_replaced_with_a_notice(telegram, fake):
    receipt = publish(telegram)
    fake.too_old = True
    for _ in range(2):
        telegram.delete({}, receipt)
    assert fake.messages == {1: {"text": TOMBSTONE, "link_preview_options": {"is_disabled": True}}}


def test_updating_a_deleted_message_raises_gone(telegram, fake):
    receipt = publish(telegram)
    fake.messages.clear()
    with pytest.raises(Gone):
        telegram.update(telegram.compose(AN_ARTICLE, {}), {}, receipt)


@pytest.mark.parametrize("link", ["https://t.me/trees_daily/1", "https://t.me/c/1234567890/1"])
def test_a_link_that_a_person_entered_is_not_the_id_of_a_message(telegram, fake, link):
    publish(telegram)
    with pytest.raises(Unsupported, match="can't tell which message"):
        telegram.delete({}, Receipt(link, link))
    assert 1 in fake.messages


def test_a_copy_without_a_url_cannot_be_deleted(telegram, outside):
    with pytest.raises(Unsupported, match="can't tell which message"):
        telegram.delete({}, Receipt("01JD0000000000000000000001"))
    assert outside.requests == []


@pytest.mark.parametrize(
    ("reply", "error", "field", "words"),
    [
        (refused("Unauthorized", 401), Disconnected, "token", "token"),
        (refused("Not Found", 404), Disconnected, "token", "token"),
        (refused("bot was kicked from the channel chat", 403), Disconnected, "chat", "administrator"),
        (refused("need administrator rights in the channel chat"), Disconnected, "chat", "administrator"),
        (refused("chat not found"), Misconfigured, "chat", "add the bot"),
        (refused("group chat was upgraded", migrate_to_chat_id=-100999), Misconfigured, "chat", "-100999"),
        (refused("can't parse entities: unsupported start tag"), Rejected, None, "unsupported start tag"),
        (refused("message is too long"), Rejected, None, "too long"),
        (refused("Too Many Requests: retry after 14", 429, retry_after=14), RateLimited, None, "rate limit reached"),
        (refused("Bad Gateway", 502), Uncertain, None, "may have succeeded"),
    ],
)
def test_each_error_says_what_to_do(telegram, outside, reply, error, field, words):
    outside.always(status=reply.status, json=reply.json)
    with pytest.raises(error, match=words) as caught:
        publish(telegram)
    assert caught.value.field == field
    if error is RateLimited:
        assert caught.value.retry_after == 14


def test_a_lost_message_cannot_be_found(telegram):
    assert not Telegram.can("find")
    assert isinstance(telegram.find({}), CopyUnknown)


def test_an_unexpected_response_is_no_success(telegram, outside):
    for answer in ({"ok": True, "result": []}, {"ok": True, "result": {}}, ["ok"], {"ok": False}):
        outside.always(json=answer)
        with pytest.raises(Uncertain):
            publish(telegram)


class TestTheWholeText:
    def test_the_whole_text_is_sent_as_rich_markdown_with_its_url(self, telegram, fake):
        receipt = publish(telegram, form="whole")
        assert fake.messages[1] == {
            "rich_message": {"markdown": f"# Of trees\n\n{AN_ARTICLE.markdown.strip()}\n\n{AN_ARTICLE.canonical_url}"}
        }
        changed = telegram.compose(replace(AN_ARTICLE, title="Of bushes"), {"form": "whole"})
        telegram.update(changed, {}, receipt)
        assert "# Of bushes" in json.dumps(fake.messages[1])

    def test_the_title_of_the_whole_text_is_escaped(self, telegram):
        body = telegram.compose(replace(AN_ARTICLE, title=HOSTILE), {"form": "whole"}).body
        first = body["rich_message"]["markdown"].splitlines()[0]
        assert first == r"# \*\_\[\]\(\)\<@everyone\>& \`\#1\` \| \~2\~"

    def test_the_whole_text_may_have_32768_characters(self, telegram):
        rest = len("# Of trees\n\n\n\n" + AN_ARTICLE.canonical_url)
        fits = replace(AN_ARTICLE, markdown="x" * (32_768 - rest))
        assert telegram.compose(fits, {"form": "whole"})
        with pytest.raises(Rejected, match="announcement"):
            telegram.compose(replace(fits, markdown=fits.markdown + "x"), {"form": "whole"})
