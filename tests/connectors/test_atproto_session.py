"""AT Protocol accounts: resolving handles and keeping sessions, tested with Bluesky."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import pytest

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors.base import Disconnected, Misconfigured, OriginChanged, Origins, Unavailable
from blogsvc.connectors.bluesky.connector import Bluesky
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE
from tests.connectors.fake_pds import DID, HANDLE, SETTINGS, URL, FakePDS

KEYS = {"rkey": "3n2u7u6bfbkty", "operation": "op-1"}


@pytest.fixture
def fake(outside):
    return FakePDS(outside)


@pytest.fixture
def bluesky(outside, fake):
    return Bluesky(SETTINGS, outside.http())


def confirmed(outside):
    """Return a client for an account whose server was confirmed."""
    return outside.http().only_to(Origins.of([HANDLE, URL]))


def publish(bluesky, article=AN_ARTICLE, keys=KEYS):
    return bluesky.publish(bluesky.compose(article, {}), keys)


class TestSession:
    def test_one_sign_in_is_used_for_several_deliveries(self, bluesky, fake, outside):
        publish(bluesky)
        later = Bluesky(SETTINGS, outside.http(), session=dict(bluesky.session))
        publish(later, keys={"rkey": atproto_tid.mint()})
        assert (fake.sign_ins, fake.renewals) == (1, 0)

    def test_an_expired_token_is_refreshed_without_the_password(self, bluesky, fake):
        publish(bluesky)
        fake.expire()
        publish(bluesky, keys={"rkey": atproto_tid.mint()})
        assert (fake.sign_ins, fake.renewals) == (1, 1)

    def test_a_token_that_cannot_be_refreshed_is_replaced_with_the_password(self, bluesky, fake):
        publish(bluesky)
        fake.expire()
        fake.refresh.clear()
        publish(bluesky, keys={"rkey": atproto_tid.mint()})
        assert (fake.sign_ins, fake.renewals) == (2, 0)

    @pytest.mark.parametrize("word", ["ExpiredToken", "InvalidToken"])
    def test_a_request_refreshes_the_token_at_most_once(self, bluesky, fake, outside, word):
        publish(bluesky)
        outside.always(lambda seen: seen.url.endswith("putRecord"), status=400, json={"error": word})
        before = len(outside.requests)
        with pytest.raises(Disconnected, match="Reconnect"):
            publish(bluesky)
        names = [seen.url.rpartition(".")[2] for seen in outside.requests[before:]]
        assert names.count("putRecord") == 2
        assert (fake.sign_ins, fake.renewals) == (1, 1)

    def test_a_new_token_that_is_rejected_is_not_requested_again(self, bluesky, fake, outside):
        outside.always(lambda seen: seen.url.endswith("uploadBlob"), status=400, json={"error": "InvalidToken"})
        with pytest.raises(Disconnected):
            publish(bluesky)
        assert (fake.sign_ins, fake.renewals) == (1, 0)

    @pytest.mark.parametrize("changed", [{"handle": "bob.example"}, {"url": "https://other.example"}])
    def test_a_token_is_not_sent_to_another_server_or_used_for_another_account(self, bluesky, fake, outside, changed):
        publish(bluesky)
        token = bluesky.session["access"]
        other = Bluesky({**SETTINGS, **changed}, outside.http(), session=dict(bluesky.session))
        outside.always(status=401, json={"error": "AuthenticationRequired"})
        before = len(outside.requests)
        with pytest.raises(Disconnected):
            publish(other)
        assert not any(token in seen.headers.get("authorization", "") for seen in outside.requests[before:])

    def test_tokens_are_secrets(self, bluesky):
        publish(bluesky)
        assert {bluesky.session["access"], bluesky.session["refresh"]} <= set(bluesky.secrets())
        assert bluesky.session["access"] not in repr(bluesky)


class TestAccount:
    def test_a_handle_resolves_to_its_server(self, fake, outside):
        for handle in (HANDLE, f"@{HANDLE}", DID):
            account = Bluesky({**SETTINGS, "handle": handle, "url": ""}, confirmed(outside)).verify()
            assert (account.name, account.url) == (HANDLE, f"https://bsky.app/profile/{HANDLE}")
            assert account.facts == {"pds": URL, "did": DID, "handle": HANDLE}

    def test_an_unresolvable_handle_gets_no_password_sent_anywhere(self, fake, outside):
        with pytest.raises(Misconfigured, match="Check the handle, or enter the PDS URL") as caught:
            Bluesky({**SETTINGS, "handle": "nobody.example", "url": ""}, outside.http()).verify()
        assert caught.value.field == "handle"
        assert [seen.method for seen in outside.requests] == ["GET"]

    @pytest.mark.parametrize("server", ["public.api.bsky.app", "plc.directory"])
    def test_the_password_is_sent_nowhere_while_a_directory_is_down(self, fake, outside, server):
        outside.always(lambda seen: server in seen.url, status=503)
        with pytest.raises(Unavailable):
            Bluesky({**SETTINGS, "url": ""}, outside.http()).verify()
        assert {seen.method for seen in outside.requests} == {"GET"}

    def test_a_directory_over_plain_http_is_not_asked(self, fake, outside):
        where = {"Location": f"http://plc.directory/{DID}"}
        outside.always(lambda seen: seen.url.startswith("https://plc.directory/"), status=302, headers=where)
        with pytest.raises(Misconfigured, match="redirects from https:// to http://"):
            Bluesky({**SETTINGS, "url": ""}, outside.http()).verify()
        assert fake.sign_ins == 0

    def test_a_server_that_nobody_entered_gets_the_password_only_if_it_is_confirmed(self, fake, outside):
        with pytest.raises(OriginChanged) as caught:
            Bluesky({**SETTINGS, "url": ""}, outside.http()).verify()
        assert caught.value.origin == URL
        assert fake.sign_ins == 0

    @pytest.mark.parametrize(
        ("pds", "is_of_bluesky"),
        [
            ("https://morel.us-east.host.bsky.network", True),
            ("https://bsky.social", True),
            ("https://bsky.network.thief.example", False),
            ("https://thiefbsky.network", False),
            ("https://morel.us-east.host.bsky.network:8443", False),
        ],
    )
    def test_an_account_on_a_server_of_bluesky_needs_no_confirmation(self, fake, outside, pds, is_of_bluesky):
        service = [{"id": "#atproto_pds", "serviceEndpoint": pds}]
        outside.always(lambda seen: "plc.directory" in seen.url, json={"service": service})
        outside.teach("POST", f"{pds}/xrpc/com.atproto.server.createSession", fake.guarded(fake.create_session))
        with nullcontext() if is_of_bluesky else pytest.raises(OriginChanged):
            Bluesky({**SETTINGS, "url": ""}, outside.http()).verify()
        assert fake.sign_ins == is_of_bluesky

    def test_a_known_server_stays_while_the_directory_is_down(self, fake, outside):
        settings = {**SETTINGS, "url": ""}
        known = Bluesky(settings, outside.http(), facts=Bluesky(settings, confirmed(outside)).verify().facts)
        outside.always(lambda seen: "plc.directory" in seen.url, status=503)
        bound = replace(known, http=outside.http().only_to(known.origins()))
        assert bound.verify().facts["pds"] == URL

    @pytest.mark.parametrize("endpoint", ["http://pds.example", 7, None, "ftp://pds.example"])
    def test_the_password_is_sent_only_over_tls(self, fake, outside, endpoint):
        where = "https://alice.example/.well-known/did.json"
        outside.teach("GET", where, json={"service": [{"id": "#atproto_pds", "serviceEndpoint": endpoint}, 7]})
        with pytest.raises(Misconfigured, match="names no PDS with https://"):
            Bluesky({**SETTINGS, "handle": "did:web:alice.example", "url": ""}, outside.http()).verify()
        assert [seen.method for seen in outside.requests] == ["GET"]

    def test_resolved_accounts_are_not_resolved_again(self, fake, outside):
        facts = Bluesky({**SETTINGS, "url": ""}, confirmed(outside)).verify().facts
        before = len(outside.requests)
        publish(Bluesky({**SETTINGS, "url": ""}, outside.http(), facts=facts))
        assert all(seen.url.startswith((URL, AN_IMAGE)) for seen in outside.requests[before:])

    @pytest.mark.parametrize(
        ("word", "status", "error", "sentence"),
        [
            ("AuthenticationRequired", 401, Disconnected, "Create a new app password"),
            ("AuthFactorTokenRequired", 401, Disconnected, "Create an app password"),
            ("AccountTakedown", 401, Disconnected, "suspended"),
            ("AccountDeactivated", 403, Disconnected, "activate it"),
            ("UpstreamFailure", 502, Unavailable, "server error"),
        ],
    )
    def test_each_error_says_what_to_do(self, bluesky, outside, word, status, error, sentence):
        outside.always(status=status, json={"error": word, "message": "No."})
        with pytest.raises(error, match=sentence):
            bluesky.verify()

    @pytest.mark.parametrize(
        "said", [{"accessJwt": "x"}, {"accessJwt": "x", "did": 7}, {"accessJwt": "x", "did": "did:plc:a/b"}]
    )
    def test_a_server_that_is_no_pds_is_reported(self, bluesky, outside, said):
        outside.always(json=said)
        with pytest.raises(Misconfigured) as caught:
            bluesky.verify()
        assert caught.value.field == "url"

    @pytest.mark.parametrize("status", [404, 410])
    def test_a_server_without_sessions_is_reported_as_no_pds(self, bluesky, outside, status):
        outside.always(status=status, json={"error": "NotFound"})
        with pytest.raises(Misconfigured, match="No PDS"):
            bluesky.verify()
