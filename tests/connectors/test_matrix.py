"""Matrix, with a fake homeserver that stores the events of one room and accepts each transaction id once."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from blogsvc.connectors.base import (
    Conflict,
    Disconnected,
    Figures,
    Gone,
    Misconfigured,
    OriginChanged,
    Origins,
    RateLimited,
    Receipt,
    Rejected,
    Unavailable,
    Unsupported,
)
from blogsvc.connectors.matrix import Matrix
from tests.connectors.contract import AN_ARTICLE, FAMILY, HTTPContract, with_own_text
from tests.outside import Reply

TOKEN = "syt_s3cret_token"
HOME = "https://matrix.trees.example"
CLIENT = f"{HOME}/_matrix/client"
ROOM, ALIAS, USER = "!forest:trees.example", "#blog:trees.example", "@blog:trees.example"
SETTINGS = {"homeserver": HOME, "token": TOKEN, "room": ROOM}
LINK = AN_ARTICLE.canonical_url
HOSTILE = "*_[]()<@everyone>& @room"
RIGHT_TO_LEFT = "שלום \u202eעולם\u202c مرحبا"


class FakeMatrix:
    """One homeserver with one room."""

    def __init__(self, outside):
        self.outside = outside
        self.events = {}
        self.transactions = {}
        self.is_encrypted = False
        room = f"{CLIENT}/v3/rooms/{ROOM}"
        self.teach("GET", f"{CLIENT}/v3/account/whoami", lambda seen: Reply(json={"user_id": USER}))
        self.teach("GET", f"{room}/state/m.room.encryption", self.encryption)
        for name in (ROOM, ALIAS.replace("#", "%23")):
            self.teach("POST", f"{CLIENT}/v3/join/{name}", lambda seen: Reply(json={"room_id": ROOM}))
            self.teach("GET", f"{CLIENT}/v3/directory/room/{name}", lambda seen: Reply(json={"room_id": ROOM}))
        self.teach("PUT", f"{room}/send/m.room.message/*", self.once(self.send))

    def teach(self, method, url, answer):
        def checked(seen):
            if seen.headers.get("Authorization") != f"Bearer {TOKEN}":
                return refused(401, "M_UNKNOWN_TOKEN", "Unknown access token")
            return answer(seen)

        self.outside.teach(method, url, checked)

    def once(self, answer):
        """A transaction id returns the same event in a room, whatever is sent with it."""

        def remembered(seen):
            transaction = seen.url.rpartition("/")[2]
            if transaction not in self.transactions:
                self.transactions[transaction] = answer(seen)
            return self.transactions[transaction]

        return remembered

    def encryption(self, seen):
        if self.is_encrypted:
            return Reply(json={"algorithm": "m.megolm.v1.aes-sha2"})
        return refused(404, "M_NOT_FOUND", "Event not found.")

    def send(self, seen):
        if len(seen.body) > 65_000:
            return refused(413, "M_TOO_LARGE", "event too large")
        content = seen.json()
        event_id = f"$event{len(self.events)}"
        self.events[event_id] = {"event_id": event_id, "content": content, "sender": USER, "reactions": []}
        if "m.relates_to" not in content:
            url = f"{CLIENT}/v3/rooms/{ROOM}/event/{event_id}"
            self.teach("GET", url, lambda seen: self.event(event_id))
            related = f"{CLIENT}/v1/rooms/{ROOM}/relations/{event_id}"
            self.teach("GET", f"{related}/m.annotation", lambda seen: self.reactions(event_id))
            self.teach("GET", f"{related}/m.replace", lambda seen: Reply(json={"chunk": self.edits(event_id)}))
        redact = f"{CLIENT}/v3/rooms/{ROOM}/redact/{event_id}/*"
        self.teach("PUT", redact, self.once(lambda seen: self.redact(event_id)))
        return Reply(json={"event_id": event_id})

    def redact(self, event_id):
        self.events[event_id]["content"] = {}
        return Reply(json={"event_id": "$redaction"})

    def event(self, event_id):
        event = dict(self.events[event_id])
        edits = self.edits(event_id)
        if not event["content"]:
            event["unsigned"] = {"redacted_because": {"type": "m.room.redaction"}}
        elif edits:
            event["unsigned"] = {"m.relations": {"m.replace": edits[-1]}}
        return Reply(json=event)

    def edits(self, event_id):
        return [one for one in self.events.values() if replaced_by(one) == event_id]

    def reactions(self, event_id):
        return Reply(json={"chunk": self.events[event_id]["reactions"]})

    def copies(self):
        return [one for one in self.events.values() if one["content"] and replaced_by(one) is None]

    def edit_on_platform(self):
        (copy,) = self.copies()
        relation = {"rel_type": "m.replace", "event_id": copy["event_id"]}
        content = {"body": "* ours", "m.new_content": {"body": "ours"}, "m.relates_to": relation}
        self.events["$theirs"] = {"event_id": "$theirs", "content": content}


def replaced_by(event):
    return event["content"].get("m.relates_to", {}).get("event_id")


def refused(status, errcode, error):
    return Reply(status, json={"errcode": errcode, "error": error})


def own_words(text):
    return with_own_text(AN_ARTICLE, text)


class TestContract(HTTPContract):
    too_long = own_words("word " * 4000)

    def make(self, outside):
        self.fake = FakeMatrix(outside)
        return Matrix(SETTINGS, outside.http())

    def first_settings(self, connector):
        return {**SETTINGS, "homeserver": "trees.example"}

    def copies(self, outside):
        return len(self.fake.copies())

    def edit_on_platform(self, outside):
        self.fake.edit_on_platform()

    def add_readers(self, outside):
        self.fake.copies()[0]["reactions"] = [{"event_id": "$r1"}, {"event_id": "$r2"}]
        return Figures(likes=2)


@pytest.fixture
def fake(outside):
    return FakeMatrix(outside)


@pytest.fixture
def matrix(outside, fake):
    return Matrix(SETTINGS, outside.http())


def publish(matrix, article=AN_ARTICLE, operation="op-1"):
    return matrix.publish(matrix.compose(article, {}), {"operation": operation})


def test_an_announcement_is_plain_text_and_html_without_mentions(matrix, fake):
    publish(matrix)
    assert fake.copies()[0]["content"] == {
        "msgtype": "m.text",
        "body": f"Of trees\n\nAbout trees.\n\n{LINK}",
        "format": "org.matrix.custom.html",
        "formatted_body": f'<strong>Of trees</strong><br><br>About trees.<br><br><a href="{LINK}">{LINK}</a>',
        "m.mentions": {},
        "blogsvc.operation": "op-1",
    }


def test_markup_in_an_announcement_is_escaped(matrix):
    body = matrix.compose(replace(AN_ARTICLE, title=HOSTILE, summary=RIGHT_TO_LEFT), {}).body
    assert body["body"].startswith(f"{HOSTILE}\n\n{RIGHT_TO_LEFT}")
    told = "*_[]()&lt;@everyone&gt;&amp; @room"
    assert body["formatted_body"].startswith(f"<strong>{told}</strong><br><br>{RIGHT_TO_LEFT}")


def test_a_notice_is_sent_as_m_notice(matrix):
    assert matrix.compose(AN_ARTICLE, {"sort": "notice"}).body["msgtype"] == "m.notice"


def test_an_update_replaces_the_event_with_a_fallback_text(matrix, fake):
    receipt = publish(matrix)
    changed = matrix.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    after = matrix.update(changed, {"operation": "op-2"}, receipt)
    content = fake.events["$event1"]["content"]
    assert content["body"].startswith("* Of bushes")
    assert content["m.new_content"] == changed.body
    assert content["m.relates_to"] == {"rel_type": "m.replace", "event_id": "$event0"}
    assert (after.remote_id, after.version) == (f"{ROOM}/$event0", "$event1")


def test_custom_text_is_counted_in_bytes_with_the_link_and_still_fits_when_edited(matrix, fake):
    link = f"https://blog.example/{'p' * 500}"
    room = 14_000 - len(link) - 2
    words = FAMILY * (room // 25) + "x" * (room % 25)  # an emoji sequence is 25 bytes
    receipt = publish(matrix, replace(own_words(words), canonical_url=link))
    changed = matrix.compose(replace(own_words(words[:-1] + "y"), canonical_url=link), {})
    matrix.update(changed, {"operation": "op-2"}, receipt)
    assert words in fake.copies()[0]["content"]["body"]
    with pytest.raises(Rejected, match="1 over the limit"):
        matrix.compose(replace(own_words(words + "x"), canonical_url=link), {})


def test_text_that_grows_in_html_is_rejected_before_sending(matrix):
    with pytest.raises(Rejected, match="Shorten"):
        matrix.compose(own_words("&amp;" * 12_000), {})


class TestConnecting:
    def test_a_server_is_discovered_by_name_and_only_it_gets_the_token(self, outside, fake):
        wellknown = "https://trees.example/.well-known/matrix/client"
        outside.teach("GET", wellknown, body=json.dumps({"m.homeserver": {"base_url": f"{HOME}/"}}).encode())
        settings = {**SETTINGS, "homeserver": "trees.example", "room": ALIAS}
        with pytest.raises(OriginChanged) as caught:
            Matrix(settings, outside.http()).verify()
        assert caught.value.origin == HOME
        account = Matrix(settings, outside.http().only_to(Origins.of(["trees.example", HOME]))).verify()
        assert account.name == f"{ALIAS} as {USER}"
        assert account.url == "https://matrix.to/#/%23blog:trees.example"
        assert account.facts == {"base_url": HOME, "room_id": ROOM, "user_id": USER}
        assert not [seen for seen in outside.requests if seen.url == wellknown and "Authorization" in seen.headers]

    def test_a_well_known_response_over_plain_http_is_not_followed(self, outside, fake):
        wellknown = "trees.example/.well-known/matrix/client"
        outside.teach("GET", f"https://{wellknown}", status=302, headers={"Location": f"http://{wellknown}"})
        with pytest.raises(Misconfigured, match="redirects from https:// to http://"):
            Matrix({**SETTINGS, "homeserver": "trees.example"}, outside.http()).verify()
        assert len(outside.requests) == 1

    def test_a_server_without_well_known_is_used_directly(self, outside):
        outside.teach("GET", "https://trees.example/.well-known/matrix/client", status=404)
        outside.teach("GET", "https://trees.example/_matrix/client/v3/account/whoami", status=401, json={})
        with pytest.raises(Disconnected):
            Matrix({**SETTINGS, "homeserver": "trees.example"}, outside.http()).verify()

    @pytest.mark.parametrize("told", [b"<html>", b"[]", b'{"m.homeserver": {"base_url": "http://plain.example"}}'])
    def test_an_invalid_well_known_response_is_misconfigured(self, outside, told):
        outside.teach("GET", "https://trees.example/.well-known/matrix/client", body=told)
        with pytest.raises(Misconfigured) as caught:
            Matrix({**SETTINGS, "homeserver": "trees.example"}, outside.http()).verify()
        assert caught.value.field == "homeserver"

    def test_discovered_servers_are_not_discovered_again(self, outside, fake):
        facts = {"base_url": HOME, "room_id": ROOM, "user_id": USER}
        matrix = Matrix({**SETTINGS, "homeserver": "trees.example", "room": ALIAS}, outside.http(), facts)
        publish(matrix)
        assert len(outside.requests) == 1

    def test_an_encrypted_room_is_rejected(self, matrix, fake):
        fake.is_encrypted = True
        with pytest.raises(Misconfigured, match="encrypted") as caught:
            matrix.verify()
        assert caught.value.field == "room"

    def test_an_unknown_room_is_reported(self, matrix, outside):
        outside.always(lambda seen: "/join/" in seen.url, status=404, json={"errcode": "M_NOT_FOUND"})
        with pytest.raises(Misconfigured) as caught:
            matrix.verify()
        assert caught.value.field == "room"

    @pytest.mark.parametrize(
        ("settings", "field"),
        [({"homeserver": ""}, "homeserver"), ({"homeserver": "a b"}, "homeserver"), ({"room": "blog"}, "room")],
    )
    def test_invalid_settings_are_rejected_before_sending(self, outside, settings, field):
        with pytest.raises(Misconfigured) as caught:
            publish(Matrix({**SETTINGS, **settings}, outside.http()))
        assert caught.value.field == field
        assert outside.requests == []


class TestLinks:
    def test_a_room_without_an_alias_is_linked_with_its_server(self, outside, fake):
        matrix = Matrix(SETTINGS, outside.http(), {"user_id": USER})
        assert publish(matrix).url == f"https://matrix.to/#/{ROOM}/$event0?via=trees.example"

    def test_a_room_with_an_alias_is_linked_by_it(self, outside, fake):
        matrix = Matrix({**SETTINGS, "room": ALIAS}, outside.http(), {"user_id": USER})
        assert publish(matrix) == Receipt(
            f"{ROOM}/$event0", "https://matrix.to/#/%23blog:trees.example/$event0", "$event0"
        )

    @pytest.mark.parametrize("room", [ROOM, ALIAS, "%23blog%3Atrees.example"])
    def test_a_link_that_a_person_entered_is_not_the_id_of_an_event(self, outside, fake, room):
        matrix = Matrix({**SETTINGS, "room": ALIAS}, outside.http())
        publish(matrix)
        link = f"https://matrix.to/#/{room}/%24event0?via=trees.example"
        with pytest.raises(Unsupported, match="can't tell which message"):
            matrix.delete({"operation": "op-2"}, Receipt(link, link))
        assert len(fake.copies()) == 1

    def test_a_copy_without_a_url_cannot_be_deleted(self, matrix):
        with pytest.raises(Unsupported, match="can't tell which message"):
            matrix.delete({"operation": "op-2"}, Receipt("01JD0000000000000000000001"))


class TestChanging:
    def test_an_update_whose_response_was_lost_is_no_conflict(self, matrix, outside, fake):
        receipt = publish(matrix)
        changed = matrix.compose(replace(AN_ARTICLE, title="Of bushes"), {})
        outside.lose_next(lambda seen: "/send/" in seen.url)
        with pytest.raises(Unavailable):
            matrix.update(changed, {"operation": "op-2"}, receipt)
        assert matrix.update(changed, {"operation": "op-2"}, receipt).version == "$event1"
        assert len(fake.events) == 2

    def test_the_conflict_message_says_that_a_retry_overwrites(self, matrix, fake):
        receipt = publish(matrix)
        fake.edit_on_platform()
        with pytest.raises(Conflict, match="etry to overwrite the changes"):
            matrix.update(matrix.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)

    def test_deleting_redacts_every_edit(self, matrix, fake):
        receipt = publish(matrix)
        changed = matrix.update(matrix.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)
        for _ in range(2):
            matrix.delete({"operation": "op-3"}, changed)
        assert [event["content"] for event in fake.events.values()] == [{}, {}]

    def test_a_redacted_copy_is_gone(self, matrix, fake):
        receipt = publish(matrix)
        fake.redact("$event0")
        with pytest.raises(Gone):
            matrix.update(matrix.compose(AN_ARTICLE, {}), {"operation": "op-2"}, receipt)


@pytest.mark.parametrize(
    ("reply", "error", "field", "words"),
    [
        (refused(401, "M_UNKNOWN_TOKEN", "Token expired"), Disconnected, "token", "Token expired"),
        (refused(403, "M_FORBIDDEN", "You don't have permission"), Disconnected, "room", "Invite it"),
        (refused(404, "M_UNRECOGNIZED", "Unrecognized request"), Misconfigured, "homeserver", "No Matrix server"),
        (refused(413, "M_TOO_LARGE", "event too large"), Rejected, None, "event too large"),
        (
            Reply(429, json={"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 1500}),
            RateLimited,
            None,
            "rate limit reached",
        ),
        (refused(500, "M_UNKNOWN", f"Bearer {TOKEN}"), Unavailable, None, "server error"),
        (Reply(json={"event_id": ""}), Unavailable, None, "doesn't include the id"),
        (Reply(json=["$event"]), Unavailable, None, "doesn't include the id"),
    ],
)
def test_each_error_says_what_to_do(matrix, outside, reply, error, field, words):
    outside.always(status=reply.status, json=reply.json)
    with pytest.raises(error, match=words) as caught:
        publish(matrix)
    assert caught.value.field == field
    assert TOKEN not in str(caught.value)
    if error is RateLimited:
        assert caught.value.retry_after == 1.5
