"""The Nostr connector with a real relay: the contract of the fake, and what only a real one can show."""

from __future__ import annotations

import json
import secrets
import time
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread

import pytest
from websockets.sync.client import connect
from websockets.sync.server import serve

from blogsvc.connectors.base import CopyFound, CopyNotFound, Disconnected, Figures, Gone, Rejected, Unavailable
from blogsvc.connectors.nostr.connector import Nostr
from blogsvc.connectors.nostr.identity import Identity, values
from blogsvc.lib.ids import new_id
from blogsvc.lib.net.http import HttpClient
from tests.connectors.contract import AN_ARTICLE
from tests.connectors.fake_relay import react
from tests.real.contract import RealContract
from tests.real.relay import relay
from tests.receiver import free_port

CHANGED = replace(AN_ARTICLE, title="Of bushes")


@pytest.fixture(scope="module")
def there(tmp_path_factory):
    with relay(tmp_path_factory.mktemp("relay")) as there:
        yield there


@pytest.fixture
def me():
    """Relays have no accounts: a key is an identity."""
    return Identity(secrets.token_bytes(32))


def account(me, *urls):
    return Nostr({"secret_key": me.secret.hex(), "relays": "\n".join(urls)}, HttpClient(allow_private=True))


def keys(nostr, article=AN_ARTICLE):
    return {**nostr.mint(article), "operation": new_id("op")}


def again(chosen):
    return {**chosen, "operation": new_id("op")}


class TestContract(RealContract):
    too_long = replace(AN_ARTICLE, markdown="word " * 20_000)

    @pytest.fixture(autouse=True)
    def connect(self, there, me):
        self.there, self.me = there, me

    def connected(self, http):
        return Nostr({"secret_key": self.me.secret.hex(), "relays": self.there.url}, http)

    def nobody(self, http):
        """Any key is valid for somebody; an invalid key is a wrong credential."""
        return Nostr({"secret_key": self.me.secret.hex()[:-1], "relays": self.there.url}, http)

    def nowhere(self, http):
        return Nostr({"secret_key": self.me.secret.hex(), "relays": f"ws://127.0.0.1:{free_port()}"}, http)

    def copies(self, outside):
        return len({values(event, "d")[0] for event in self.there.articles(self.me.public_key)})

    def edit_on_platform(self, outside):
        (article,) = self.there.articles(self.me.public_key)
        event = self.me.sign(30023, article["created_at"] + 1, article["tags"], "Mine")
        assert self.there.keep(event) == ["OK", event["id"], True, ""]

    def add_readers(self, outside):
        react([self.there], self.there.articles(self.me.public_key)[0], int(time.time()))
        return Figures(likes=2, comments=3, shares=1)


@contextmanager
def holding(url):
    """Run a proxy that keeps each event instead of sending it, and closes the connection."""
    held = []

    def keep(connection):
        for message in connection:
            if json.loads(message)[0] == "EVENT":
                held.append(message)
                connection.socket.close()
                return
            with connect(url, proxy=None) as onward:
                onward.send(message)
                for answer in onward:
                    connection.send(answer)
                    if json.loads(answer)[0] in ("EOSE", "CLOSED"):
                        break

    with serve(keep, "127.0.0.1", 0, close_timeout=0.5) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}", held


@contextmanager
def losing(url):
    """Run a proxy that closes the connection when the relay accepts an event, as often as requested."""
    lose = []

    def pass_on(connection):
        with connect(url, proxy=None) as onward:
            for message in connection:
                onward.send(message)
                for answer in onward:
                    verb = json.loads(answer)[0]
                    if verb == "OK" and lose:
                        lose.pop()
                        connection.socket.close()
                    else:
                        connection.send(answer)
                    if verb in ("OK", "EOSE"):
                        break

    with serve(pass_on, "127.0.0.1", 0, close_timeout=0.5) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}", lose


def test_a_response_lost_after_the_commit_creates_no_second_copy(there, me):
    with losing(there.url) as (url, lose):
        nostr = account(me, url)
        payload, chosen = nostr.compose(AN_ARTICLE, {}), keys(nostr)
        lose.append(True)
        with pytest.raises(Unavailable):
            nostr.publish(payload, chosen)
        assert len(there.articles(me.public_key)) == 1
        receipt = nostr.publish(payload, chosen)
        assert [event["id"] for event in there.articles(me.public_key)] == [receipt.version]


def test_an_event_that_arrives_after_it_was_sent_again_is_no_second_copy(there, me):
    with holding(there.url) as (url, held):
        nostr = account(me, url)
        payload, chosen = nostr.compose(AN_ARTICLE, {}), keys(nostr)
        with pytest.raises(Unavailable):
            nostr.publish(payload, chosen)
        assert (len(held), there.articles(me.public_key)) == (1, [])
        account(me, there.url).publish(payload, chosen)
        there.keep(json.loads(held[0])[1])
        assert len(there.articles(me.public_key)) == 1


def test_a_lost_response_to_an_update_or_deletion_is_repeated_safely(there, me):
    with losing(there.url) as (url, lose):
        nostr = account(me, url)
        chosen = keys(nostr)
        first = nostr.publish(nostr.compose(AN_ARTICLE, {}), chosen)
        changed, chosen = nostr.compose(CHANGED, {}), again(chosen)
        lose.append(True)
        with pytest.raises(Unavailable):
            nostr.update(changed, chosen, first)
        second = nostr.update(changed, chosen, first)
        assert [event["id"] for event in there.articles(me.public_key)] == [second.version]
        lose.append(True)
        with pytest.raises(Unavailable):
            nostr.delete(again(chosen), second)
        assert there.articles(me.public_key) == []
        assert isinstance(nostr.find(chosen), CopyNotFound)


def test_a_post_can_be_published_updated_withdrawn_and_published_again_within_a_second(there, me):
    nostr = account(me, there.url)
    payload, chosen = nostr.compose(AN_ARTICLE, {}), keys(nostr)
    for _ in range(3):
        receipt = nostr.publish(payload, chosen)
        receipt = nostr.update(nostr.compose(CHANGED, {}), again(chosen), receipt)
        assert nostr.fetch_version(chosen, receipt).version == receipt.version
        nostr.delete(again(chosen), receipt)
        with pytest.raises(Gone):
            nostr.fetch_version(chosen, receipt)


def test_a_deletion_that_names_only_the_address_is_respected_even_if_the_relay_ignores_it(there, me):
    """The relay ignores it, but our connector does not: the author wants the copy removed."""
    nostr = account(me, there.url)
    chosen = keys(nostr)
    receipt = nostr.publish(nostr.compose(AN_ARTICLE, {}), chosen)
    there.keep(me.sign(5, int(time.time()) + 1, [["a", receipt.remote_id]], ""))
    assert len(there.articles(me.public_key)) == 1
    assert isinstance(nostr.find(chosen), CopyNotFound)


def test_of_versions_in_one_second_the_lowest_id_counts(there, me):
    nostr = account(me, there.url)
    chosen = keys(nostr)
    receipt = nostr.publish(nostr.compose(AN_ARTICLE, {}), chosen)
    (article,) = there.articles(me.public_key)
    for n in range(4):
        there.keep(me.sign(30023, article["created_at"], article["tags"], f"Mine {n}"))
    kept = [event["id"] for event in there.articles(me.public_key)]
    assert len(kept) == 5
    assert nostr.fetch_version(chosen, receipt).version == min(kept)
    nostr.delete(again(chosen), receipt)
    assert there.articles(me.public_key) == []


def test_a_too_long_article_is_rejected_with_the_message_of_the_relay(there, me):
    nostr = replace(account(me, there.url), facts={f"most {there.url}": 1_000_000})
    with pytest.raises(Rejected, match="enough for anybody"):
        nostr.publish(nostr.compose(replace(AN_ARTICLE, markdown="x" * 150_000), {}), keys(nostr))
    assert there.articles(me.public_key) == []


def test_the_longest_article_is_stored_whole(there, me):
    nostr = account(me, there.url)
    text = "🌳 " * 12_500
    nostr.publish(nostr.compose(replace(AN_ARTICLE, markdown=text), {}), keys(nostr))
    (article,) = there.articles(me.public_key)
    assert article["content"].startswith(text.strip())


def test_one_of_two_relays_is_enough_and_the_other_gets_the_next_update(there, me, tmp_path):
    nostr = account(me, there.url, f"ws://127.0.0.1:{free_port()}")
    chosen = keys(nostr)
    receipt = nostr.publish(nostr.compose(AN_ARTICLE, {}), chosen)
    assert receipt.extra["missing"].startswith("127.0.0.1:")
    with relay(tmp_path) as second:
        nostr = account(me, there.url, second.url)
        receipt = nostr.update(nostr.compose(CHANGED, {}), again(chosen), receipt)
        for one in (there, second):
            assert [event["id"] for event in one.articles(me.public_key)] == [receipt.version]
        nostr.delete(again(chosen), receipt)
        assert there.articles(me.public_key) == second.articles(me.public_key) == []


def test_a_relay_for_members_only_requires_membership(me, tmp_path):
    port = free_port()
    rules = {"enabled": True, "relay_urls": [f"ws://127.0.0.1:{port}"], "actions": {"save": "w", "query": "a"}}
    with relay(tmp_path, port, authentication=rules) as closed:
        nostr = account(me, closed.url)
        payload, chosen = nostr.compose(AN_ARTICLE, {}), keys(nostr)
        with pytest.raises(Disconnected, match="doesn't allow this key to publish"):
            nostr.publish(payload, chosen)
        closed.command("role", "set", "-p", me.public_key, "-r", "rw")
        nostr.publish(payload, chosen)
        assert isinstance(nostr.find(chosen), CopyFound)
