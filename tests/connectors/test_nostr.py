"""Articles on Nostr, with fake relays on loopback that behave like real ones, or fail."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime

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
    Rejected,
    Unavailable,
    Unsupported,
)
from blogsvc.connectors.nostr import bech32
from blogsvc.connectors.nostr.connector import BYTES_MOST, Nostr
from blogsvc.connectors.nostr.identity import Identity, is_genuine, values
from blogsvc.lib.ids import new_id
from blogsvc.lib.net.http import HttpClient, Timeout
from tests.connectors.contract import AN_ARTICLE, FAMILY, Contract
from tests.connectors.fake_relay import FakeRelay, react
from tests.outside import Outside
from tests.receiver import free_port
from tests.tiers import matrix

NSEC = "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe5"
ME = Identity.of(NSEC)
SOMEBODY = Identity.of("1" * 64)
NOW = 1_795_302_000
CHANGED = replace(AN_ARTICLE, title="Of bushes")
IMPATIENT = Timeout(total=3.0)  # half of it for each query


def account(*relays, http=None, **more):
    urls = "\n".join(relay if isinstance(relay, str) else relay.url for relay in relays)
    settings = {"secret_key": NSEC, "relays": urls}
    return Nostr(settings, http or HttpClient(allow_private=True), clock=lambda: NOW, **more)


def impatient_account(*relays):
    return account(*relays, http=HttpClient(allow_private=True, timeout=IMPATIENT))


def keys(nostr, operation="op-1", article=AN_ARTICLE):
    return {**nostr.mint(article), "operation": operation}


def publish(nostr, operation="op-1", article=AN_ARTICLE):
    return nostr.publish(nostr.compose(article, {}), keys(nostr, operation))


def update(nostr, receipt, operation="op-2", article=CHANGED):
    return nostr.update(nostr.compose(article, {}), keys(nostr, operation), receipt)


def title(event):
    return values(event, "title")[0]


def edit(relay, seconds=1, words="Mine", identity=ME):
    """Edit the article with another client that has the key."""
    (article,) = relay.articles()
    event = identity.sign(30023, article["created_at"] + seconds, article["tags"], words)
    assert relay.keep(event)[2]
    return event


@pytest.fixture
def relay():
    with FakeRelay() as relay:
        yield relay


@pytest.fixture
def other():
    with FakeRelay() as relay:
        yield relay


@pytest.fixture
def nobody():
    return f"ws://127.0.0.1:{free_port()}"


class TestContract(Contract):
    finds_by_key = True
    too_long = replace(AN_ARTICLE, markdown="word " * 20_000)

    @pytest.fixture
    def outside(self):
        with ExitStack() as stack:
            self.relays = [stack.enter_context(FakeRelay()) for _ in range(2)]
            yield Outside()

    def make(self, outside):
        return account(*self.relays)

    def copies(self, outside):
        first, second = (len(relay.articles()) for relay in self.relays)
        assert first == second
        return first

    def edit_on_platform(self, outside):
        edit(self.relays[1])

    def add_readers(self, outside):
        react(self.relays, self.relays[0].articles()[0], NOW)
        return Figures(likes=2, comments=3, shares=1)


class TestTheEvent:
    def test_an_article_is_a_nip_23_event(self, relay):
        nostr = account(relay)
        article = replace(AN_ARTICLE, cover_url="https://blog.example/cover.jpg", tags=("Nature", "web development"))
        receipt = nostr.publish(nostr.compose(article, {}), keys(nostr))
        (event,) = relay.articles()
        assert is_genuine(event)
        assert {name: event[name] for name in ("kind", "pubkey", "created_at", "tags", "content")} == {
            "kind": 30023,
            "pubkey": "7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e",
            "created_at": NOW,
            "tags": [
                ["d", "of-trees-1bed5efb"],
                ["title", "Of trees"],
                ["summary", "About trees."],
                ["image", "https://blog.example/cover.jpg"],
                ["published_at", "1795168800"],
                ["r", "https://blog.example/posts/of-trees"],
                ["t", "nature"],
                ["t", "webdevelopment"],
            ],
            "content": "A *tree*.\n\n![A tree](https://blog.example/media/tree.png)\n\n"
            "[Originally published here](https://blog.example/posts/of-trees)",
        }
        assert receipt.remote_id == f"30023:{ME.public_key}:of-trees-1bed5efb"
        assert receipt.version == event["id"]

    def test_the_url_contains_the_article_and_its_relay(self, relay):
        prefix, name = bech32.decode(publish(account(relay)).url.removeprefix("https://njump.me/"))
        parts = b"\x00\x11of-trees-1bed5efb" + bytes([1, len(relay.url)]) + relay.url.encode()
        assert prefix == "naddr"
        assert name == parts + b"\x02\x20" + bytes.fromhex(ME.public_key) + b"\x03\x04\x00\x00\x75\x47"

    def test_the_viewer_url_can_be_changed(self, relay):
        nostr = account(relay)
        nostr.settings["viewer"] = "https://habla.news/a/{naddr}"
        assert publish(nostr).url.startswith("https://habla.news/a/naddr1")

    def test_a_missing_canonical_url_or_date_is_left_out(self, relay):
        nostr = account(relay)
        article = replace(AN_ARTICLE, canonical_url=None, published_at=None, summary="", tags=())
        body = nostr.compose(article, {}).body
        assert body["tags"] == [["title", "Of trees"]]
        assert "Originally" not in body["content"]

    def test_parentheses_in_the_canonical_url_are_escaped(self, relay):
        article = replace(AN_ARTICLE, canonical_url="https://blog.example/a_(b)")
        content = account(relay).compose(article, {}).body["content"]
        assert content.endswith("[Originally published here](https://blog.example/a_%28b%29)")

    def test_posts_that_reuse_a_slug_do_not_replace_the_copy(self, relay):
        nostr = account(relay)
        other = replace(AN_ARTICLE, id="another")
        publish(nostr)
        nostr.publish(nostr.compose(other, {}), keys(nostr, article=other))
        assert len(relay.articles()) == 2

    @pytest.mark.parametrize(("slug", "name"), [("", "1bed5efb"), ("x" * 500, "x" * 80 + "-1bed5efb")])
    def test_any_slug_gives_a_short_identifier(self, relay, slug, name):
        assert account(relay).mint(replace(AN_ARTICLE, slug=slug))["d"] == name

    def test_the_limit_is_counted_in_bytes(self, relay):
        nostr = account(relay)
        room = BYTES_MOST - 1000
        nostr.compose(replace(AN_ARTICLE, markdown="x" * room), {})
        with pytest.raises(Rejected, match="up to 65536"):
            nostr.compose(replace(AN_ARTICLE, markdown=FAMILY * (room // len(FAMILY))), {})


class TestTime:
    """The same operation is the same event, and an update is newer than what it updates."""

    def test_the_event_time_is_that_of_the_operation(self, relay):
        nostr = account(relay)
        operation = new_id("op", datetime(2026, 11, 21, 12, 0, tzinfo=UTC))
        first = publish(nostr, operation)
        nostr.clock = lambda: NOW + 1000
        assert publish(nostr, operation) == first
        assert relay.events[first.version]["created_at"] == 1_795_262_400
        assert len(relay.events) == 1

    def test_an_update_in_the_same_second_is_still_newer(self, relay):
        nostr = account(relay)
        operation = new_id("op", datetime(2026, 11, 21, 12, 0, tzinfo=UTC))
        receipt = update(nostr, publish(nostr, operation), operation)
        assert [title(event) for event in relay.articles()] == ["Of bushes"]
        assert relay.events[receipt.version]["created_at"] == 1_795_262_401

    def test_an_update_of_an_event_from_the_future_is_still_newer(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        theirs = edit(relay, seconds=5000)
        receipt = update(nostr, replace(receipt, version=None))
        assert relay.events[receipt.version]["created_at"] == theirs["created_at"] + 1

    def test_a_republished_event_is_newer_than_its_deletion(self, relay):
        nostr = account(relay)
        operation = new_id("op", datetime(2026, 11, 21, 12, 0, tzinfo=UTC))
        nostr.delete(keys(nostr, operation), publish(nostr, operation))
        receipt = publish(nostr, operation)
        assert nostr.fetch_version(keys(nostr), receipt).version == receipt.version


# The test waits for the timeout of a hanging relay.
INSTANT = ("lose", "rubbish", "error: disk full")
TROUBLES = (*INSTANT, "hang", "hang-after")


class TestLostAnswers:
    @matrix("trouble", TROUBLES, default=lambda trouble: trouble in INSTANT)
    def test_a_publish_without_a_response_is_repeated_with_the_same_event(self, relay, trouble):
        nostr = impatient_account(relay)
        relay.will(trouble)
        with pytest.raises(Unavailable):
            publish(nostr)
        receipt = publish(nostr)
        assert list(relay.events) == [receipt.version]
        assert len({event["id"] for event in relay.told}) == 1

    @matrix("trouble", TROUBLES, default=lambda trouble: trouble in INSTANT)
    def test_an_update_without_a_response_is_repeated_with_the_same_event(self, relay, trouble):
        nostr = impatient_account(relay)
        receipt = publish(nostr)
        relay.will(trouble)
        with pytest.raises(Unavailable):
            update(nostr, receipt)
        changed = update(nostr, receipt)
        assert list(relay.events) == [changed.version]
        assert len({event["id"] for event in relay.told}) == 2
        assert nostr.fetch_version(keys(nostr), changed) == changed

    def test_a_forced_update_without_a_response_is_repeated_with_the_same_event(self, relay):
        nostr = account(relay)
        receipt = replace(publish(nostr), version=None)
        edit(relay)
        relay.will("lose")
        with pytest.raises(Unavailable):
            update(nostr, receipt)
        assert list(relay.events) == [update(nostr, receipt).version]

    @matrix("trouble", ["lose", "hang-after"])
    def test_a_deletion_without_a_response_is_repeated(self, relay, trouble):
        nostr = impatient_account(relay)
        receipt = publish(nostr)
        relay.will(trouble)
        with pytest.raises(Unavailable):
            nostr.delete(keys(nostr, "op-2"), receipt)
        with pytest.raises(Gone):
            nostr.delete(keys(nostr, "op-2"), receipt)
        assert relay.articles() == []


class TestSeveralRelays:
    def test_a_relay_that_is_down_does_not_block_the_others(self, relay, nobody):
        receipt = publish(account(nobody, relay))
        assert len(relay.articles()) == 1
        assert receipt.extra["missing"] == nobody.removeprefix("ws://")

    def test_a_relay_that_missed_an_event_gets_the_next_update(self, relay, other):
        nostr = account(relay, other)
        other.will("error: disk full")
        receipt = publish(nostr)
        assert receipt.extra["missing"] == other.host
        assert "missing" not in update(nostr, receipt).extra
        assert [title(event) for event in other.articles()] == ["Of bushes"]

    def test_an_update_that_reached_one_relay_is_the_same_for_the_others(self, relay, other):
        receipt = publish(account(relay, other))
        first = update(account(relay), receipt)
        assert update(account(relay, other), receipt).version == first.version
        assert list(relay.events) == list(other.events) == [first.version]

    def test_if_all_relays_fail_each_is_named_and_temporary_errors_win(self, relay, nobody):
        relay.will("invalid: too dull")
        with pytest.raises(Unavailable) as caught:
            publish(account(relay, nobody))
        assert relay.host in str(caught.value)
        assert "too dull" in str(caught.value)
        assert (caught.value.code, caught.value.field) == ("unreachable", "relays")
        assert "127.0.0.1 could not be reached" in str(caught.value)

    def test_if_all_relays_reject_the_error_is_rejected(self, relay, other):
        relay.will("invalid: too dull")
        other.will("pow: 20 bits")
        with pytest.raises(Rejected):
            publish(account(relay, other))

    def test_a_hanging_relay_does_not_block_the_others(self, relay, other):
        other.will("hang")
        assert publish(impatient_account(relay, other)).extra["missing"] == other.host

    def test_the_newest_version_on_any_relay_counts(self, relay, other):
        nostr = account(relay, other)
        receipt = publish(nostr)
        theirs = edit(other)
        assert nostr.fetch_version(keys(nostr), receipt).version == theirs["id"]
        with pytest.raises(Conflict, match="21 November 2026 at 23:00 UTC"):
            update(nostr, receipt)
        assert len(other.told) == 1

    def test_an_old_version_on_one_relay_is_no_edit(self, relay, other):
        nostr = account(relay, other)
        first = publish(nostr)
        other.will("error: disk full")
        second = update(nostr, first)
        relay.will_answer("error: busy")
        third = update(nostr, second, "op-3", replace(AN_ARTICLE, title="Of grass"))
        assert [title(event) for one in (relay, other) for event in one.articles()] == ["Of grass"] * 2
        assert third.extra["ids"].split() == [first.version, second.version, third.version]


class TestFinding:
    def test_of_two_events_in_one_second_the_lower_id_counts(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        ids = [receipt.version, *(edit(relay, seconds=0, words=f"Mine {n}")["id"] for n in range(5))]
        assert len(relay.events) == 6  # all are kept
        assert nostr.fetch_version(keys(nostr), receipt).version == min(ids)

    def test_older_versions_on_a_relay_do_not_matter(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        edit(relay, seconds=-10)
        assert len(relay.events) == 2
        assert nostr.find(keys(nostr)).receipt.version == receipt.version

    def test_events_signed_by_others_are_ignored(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        forged = {**relay.events[receipt.version], "content": "Buy!", "created_at": NOW + 9}
        relay.events["forged"] = forged
        theirs = SOMEBODY.sign(30023, NOW + 9, forged["tags"], "Buy!")
        relay.keep(theirs)
        relay.events["unsigned"] = {**forged, "sig": theirs["sig"]}
        assert nostr.fetch_version(keys(nostr), receipt).version == receipt.version

    def test_a_deletion_signed_by_others_is_ignored(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        relay.keep(SOMEBODY.sign(5, NOW + 9, [["a", receipt.remote_id], ["e", receipt.version]], ""))
        assert nostr.fetch_version(keys(nostr), receipt).version == receipt.version

    def test_a_copy_deleted_with_another_client_is_gone_even_if_a_relay_still_has_it(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        relay.keep(ME.sign(5, NOW + 9, [["a", receipt.remote_id]], ""))
        assert len(relay.articles()) == 1
        with pytest.raises(Gone):
            nostr.fetch_version(keys(nostr), receipt)
        with pytest.raises(Gone):
            update(nostr, receipt)
        assert isinstance(nostr.find(keys(nostr)), CopyNotFound)

    def test_a_relay_that_does_not_respond_gives_an_unknown_result(self, relay, nobody):
        nostr = account(relay, nobody)
        assert isinstance(nostr.find(keys(nostr)), CopyUnknown)
        receipt = publish(account(relay))
        assert isinstance(nostr.find(keys(nostr)), CopyFound)
        relay.events.clear()
        for ask in (lambda: nostr.fetch_version(keys(nostr), receipt), lambda: update(nostr, receipt)):
            with pytest.raises(Unavailable):
                ask()

    @pytest.mark.parametrize("trouble", ["hang", "rubbish", "error: busy"])
    def test_if_no_relay_responds_find_raises_unavailable(self, relay, trouble):
        relay.will_answer(trouble)
        with pytest.raises(Unavailable):
            impatient_account(relay).find(keys(account(relay)))


class TestDeleting:
    def test_a_deletion_names_every_known_version(self, relay):
        nostr = account(relay)
        first = publish(nostr)
        second = update(nostr, first)
        theirs = edit(relay, seconds=0)
        nostr.delete(keys(nostr, "op-3"), second)
        request = relay.told[-1]
        assert request["kind"] == 5
        assert request["tags"][0] == ["a", second.remote_id]
        assert {*values(request, "e")} == {first.version, second.version, theirs["id"]}
        assert request["tags"][-1] == ["k", "30023"]
        assert request["created_at"] >= theirs["created_at"]
        assert relay.articles() == []

    def test_a_deletion_is_incomplete_until_every_relay_with_a_copy_has_it(self, relay, other):
        nostr = account(relay, other)
        receipt = publish(nostr)
        other.will("error: disk full")
        with pytest.raises(Unavailable):
            nostr.delete(keys(nostr, "op-2"), receipt)
        assert [len(one.articles()) for one in (relay, other)] == [0, 1]
        nostr.delete(keys(nostr, "op-2"), receipt)
        assert other.articles() == []
        with pytest.raises(Gone):
            nostr.delete(keys(nostr, "op-2"), receipt)

    def test_a_deletion_is_retried_for_a_relay_that_is_down(self, relay, nobody):
        receipt = publish(account(relay, nobody))
        with pytest.raises(Unavailable, match="could not be reached"):
            account(relay, nobody).delete(keys(account(relay), "op-2"), receipt)
        assert relay.articles() == []

    def test_a_relay_that_never_had_the_copy_may_reject_the_deletion(self, relay, other):
        receipt = publish(account(relay))
        other.will("blocked: no deletions")
        nostr = account(relay, other)
        nostr.delete(keys(nostr, "op-2"), receipt)
        assert relay.articles() == []

    def test_a_relay_with_a_copy_that_rejects_the_deletion_is_an_error(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        relay.will("invalid: nothing is ever deleted here")
        with pytest.raises(Rejected, match="nothing is ever deleted here"):
            nostr.delete(keys(nostr, "op-2"), receipt)

    def test_fifty_versions_are_remembered(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        receipt = replace(receipt, extra={**receipt.extra, "ids": " ".join(f"{n:064x}" for n in range(60))})
        receipt = update(nostr, receipt)
        assert len(receipt.extra["ids"].split()) == 50
        assert receipt.extra["ids"].endswith(receipt.version)


class TestRefusals:
    @pytest.mark.parametrize(
        ("words", "kind", "advice"),
        [
            ("pow: difficulty 25", Misconfigured, "another relay"),
            ("blocked: you are banned", Disconnected, "another relay"),
            ("restricted: members only", Disconnected, "operator"),
            ("auth-required: who are you", Disconnected, "operator"),
            ("invalid: event too dull", Rejected, "event too dull"),
            ("something new", Rejected, "something new"),
            ("rate-limited: slow down", RateLimited, "slow down"),
            ("error: could not connect to the database", Unavailable, "database"),
            ("replaced: have newer event", Conflict, "newer"),
            ("silent-refusal", Rejected, "Bad JSON"),
        ],
    )
    def test_each_error_prefix_of_a_relay_is_mapped(self, relay, words, kind, advice):
        relay.will(words)
        with pytest.raises(kind, match=advice) as caught:
            publish(account(relay))
        assert caught.value.field == ("relays" if kind in (Misconfigured, Disconnected) else None)
        assert relay.host in str(caught.value)

    def test_a_restricting_notice_is_an_error_and_other_notices_are_ignored(self, relay):
        nostr = account(relay)
        relay.notices = ["Welcome!", "restricted: REQ not allowed"]
        with pytest.raises(Disconnected, match="not allowed"):
            nostr.find(keys(nostr))
        relay.notices = ["Welcome!", "Support us: buy a shirt"]
        assert isinstance(nostr.find(keys(nostr)), CopyNotFound)

    def test_long_relay_messages_are_truncated(self, relay):
        relay.will("invalid: " + "\n x" * 5000)
        with pytest.raises(Rejected) as caught:
            publish(account(relay))
        assert len(str(caught.value)) < 400

    def test_a_repeated_event_rejected_as_duplicate_counts_as_published(self, relay):
        nostr = account(relay)
        assert publish(nostr) == publish(nostr)  # the relay returns false for the second: "duplicate: exists"
        assert len(relay.told) == 2

    @pytest.mark.parametrize(
        ("status", "kind"),
        [(301, Misconfigured), (404, Misconfigured), (403, Disconnected), (429, RateLimited), (503, Unavailable)],
    )
    def test_a_server_that_opens_no_websocket_is_explained(self, status, kind):
        with FakeRelay(status=status) as relay, pytest.raises(kind) as caught:
            account(relay).verify()
        assert caught.value.field == ("relays" if kind in (Misconfigured, Disconnected) else None)

    def test_no_error_contains_the_key(self, relay):
        told = [*ME.spellings, NSEC]
        for words in (f"{kind}: {NSEC}" for kind in ("invalid", "blocked", "error", "pow")):
            relay.will(words)
            with pytest.raises((Rejected, Disconnected, Unavailable, Misconfigured)) as caught:
                publish(account(relay))
            assert not any(secret in f"{caught.value} {caught.value!r}" for secret in told)

    def test_the_key_is_a_secret_in_every_notation(self, relay):
        assert set(account(relay).secrets()) == set(ME.spellings)


class TestLengths:
    def test_the_size_limit_of_a_relay_is_used(self):
        with FakeRelay(most=200_000) as relay:
            facts = account(relay).verify().facts
            nostr = account(relay, facts=facts)
            assert nostr.limits_here()[0].most == 200_000
            article = replace(AN_ARTICLE, markdown="x" * 190_000)
            assert nostr.publish(nostr.compose(article, {}), keys(nostr))
            with pytest.raises(Rejected, match="up to 200000"):
                nostr.compose(replace(AN_ARTICLE, markdown="x" * 200_000), {})

    def test_the_longest_composed_article_is_accepted_by_the_relay(self):
        with FakeRelay(most=10_000) as relay:
            nostr = account(relay, facts={f"most {relay.url}": 10_000})
            article = replace(AN_ARTICLE, slug="x" * 200, markdown="x")
            room = 10_000
            while room:
                try:
                    payload = nostr.compose(replace(article, markdown="🌳" * (room // 4)), {})
                    break
                except Rejected:
                    room -= 4
            assert nostr.publish(payload, keys(nostr, article=article)).remote_id

    def test_a_relay_with_a_too_small_limit_is_warned_about_and_skipped(self, other):
        with FakeRelay(most=2_000) as relay:
            facts = account(relay, other).verify().facts
            nostr = account(relay, other, facts=facts)
            payload = nostr.compose(replace(AN_ARTICLE, markdown="x" * 3000), {})
            assert payload.warnings == (f"The article is too long for {relay.host} and won't be published there.",)
            assert nostr.publish(payload, keys(nostr)).extra["missing"] == relay.host
            assert relay.told == []

    def test_a_relay_that_does_not_respond_is_no_success(self):
        with FakeRelay(most=2_000) as relay, pytest.raises(Unavailable, match="did not answer in time"):
            publish(impatient_account(relay), article=replace(AN_ARTICLE, markdown="x" * 3000))

    @pytest.mark.parametrize("most", [None, "many", -1, True, [], 1.5])
    def test_an_invalid_size_limit_is_ignored(self, most):
        with FakeRelay(most=None) as relay:
            relay.most = most
            relay._hear = lambda connection, text: connection.send('["EOSE","blogsvc"]')
            assert account(relay).verify().facts == {}


class TestTheAccount:
    def test_the_account_is_named_after_its_profile(self, relay, other):
        relay.keep(ME.sign(0, NOW, [], json.dumps({"name": "old"})))
        other.keep(ME.sign(0, NOW + 1, [], json.dumps({"name": "ada", "display_name": "Ada"})))
        other.keep(SOMEBODY.sign(0, NOW + 2, [], json.dumps({"name": "mallory"})))
        assert account(relay, other).verify().name == "Ada"

    @pytest.mark.parametrize("content", ["", "{", "[]", "7", '{"name": 7}', '{"name": " "}', "[" * 100_000])
    def test_without_a_readable_profile_the_account_is_named_after_its_key(self, relay, content):
        relay.keep(ME.sign(0, NOW, [], content))
        found = account(relay).verify()
        assert found.name == "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg"
        assert found.url == f"https://njump.me/{found.name}"

    @pytest.mark.parametrize(
        "key", ["", "hunter2", NSEC[:-1], "npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dm"]
    )
    def test_an_invalid_secret_key_is_rejected(self, relay, key):
        nostr = Nostr({"secret_key": key, "relays": relay.url}, HttpClient(allow_private=True))
        with pytest.raises(Disconnected) as caught:
            nostr.verify()
        assert caught.value.field == "secret_key"
        assert not key or key not in str(caught.value)
        assert NSEC[:-1] not in repr(nostr)

    @pytest.mark.parametrize(
        "relays", ["", " \n", "relay.example", "https://relay.example", "wss://", "wss://me:pw@r.example"]
    )
    def test_an_invalid_relay_url_is_rejected(self, relays):
        with pytest.raises(Misconfigured) as caught:
            account(relays).verify()
        assert caught.value.field == "relays"

    def test_more_than_ten_relays_are_rejected(self):
        with pytest.raises(Misconfigured, match="1 to 10"):
            account(*(f"wss://r{n}.example" for n in range(11))).verify()

    def test_duplicate_relays_are_used_once(self, relay):
        publish(account(relay, f"{relay.url}/, {relay.url}"))
        assert len(relay.told) == 1

    def test_a_relay_in_the_private_network_requires_the_setting(self, relay):
        with pytest.raises(Misconfigured, match="BLOGSVC_ALLOW_PRIVATE_ADDRESSES") as caught:
            account(relay, http=HttpClient()).verify()
        assert caught.value.field == "relays"

    def test_verify_needs_only_one_relay_that_responds(self, relay, nobody):
        assert account(relay, nobody).verify().name.startswith("npub1")
        with pytest.raises(Unavailable):
            account(nobody).verify()

    def test_a_server_that_is_no_relay_is_an_error(self, relay):
        with FakeRelay(status=404) as page, pytest.raises(Misconfigured, match="No relay found"):
            account(relay, page).verify()

    def test_a_relay_that_requires_authentication_gets_it(self):
        with FakeRelay(members={ME.public_key}) as relay:
            assert publish(account(relay)).remote_id
            assert len(relay.articles()) == 1

    def test_a_relay_for_members_only_is_reported(self):
        with FakeRelay(members={SOMEBODY.public_key}) as relay, pytest.raises(Disconnected, match="members"):
            publish(account(relay))

    def test_a_copy_signed_with_another_key_is_left_alone(self, relay):
        receipt = publish(account(relay))
        nostr = account(relay)
        nostr.settings["secret_key"] = "1" * 64
        for change in (lambda: update(nostr, receipt), lambda: nostr.delete(keys(nostr), receipt)):
            with pytest.raises(Rejected, match="another key"):
                change()
        assert len(relay.told) == 1


class TestFigures:
    def test_reactions_on_several_relays_are_counted_once(self, relay, other):
        nostr = account(relay, other)
        receipt = publish(nostr)
        react([relay, other], relay.articles()[0], NOW)
        assert nostr.stats(receipt) == Figures(likes=2, comments=3, shares=1)

    def test_reactions_to_other_events_are_not_counted(self, relay):
        nostr = account(relay)
        receipt = publish(nostr)
        relay.keep(SOMEBODY.sign(7, NOW, [["a", "30023:somebody:else"]], "+"))
        assert nostr.stats(receipt) == Figures(likes=0, comments=0, shares=0)

    def test_stats_need_only_one_relay_that_responds(self, relay, nobody):
        receipt = publish(account(relay))
        assert account(relay, nobody).stats(receipt) == Figures(likes=0, comments=0, shares=0)
        with pytest.raises(Unavailable):
            account(nobody).stats(receipt)

    def test_a_copy_with_an_unknown_address_has_no_stats(self, relay):
        receipt = publish(account(relay))
        with pytest.raises(Unsupported):
            account(relay).stats(replace(receipt, remote_id="https://njump.me/somewhere"))
        assert account(relay).fetch_version(keys(account(relay)), replace(receipt, remote_id="dlv_1")).remote_id
