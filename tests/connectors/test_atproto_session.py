"""AT Protocol accounts: resolving handles and keeping sessions, tested with Bluesky."""

from __future__ import annotations

from dataclasses import replace

import pytest

from blogsvc.connectors.base import Disconnected, Misconfigured, Unavailable
from blogsvc.connectors.bluesky.connector import Bluesky
from blogsvc.lib import atproto_tid
from tests.connectors.contract import AN_ARTICLE, AN_IMAGE
from tests.connectors.fake_pds import DID, HANDLE, SETTINGS, URL, FakePDS

KEYS = {"rkey": "3n2u7u6bfbkty", "operation": "op-1"}


@pytest.fixture
def fake(outside):
    return FakePDS(outside)


@pytest.fixture
def bluesky(outside, fake):
    return Bluesky(SETTINGS, outside.door())


def publish(bluesky, article=AN_ARTICLE, keys=KEYS):
    return bluesky.publish(bluesky.compose(article, {}), keys)


class TestSession:
    def test_one_sign_in_is_used_for_several_deliveries(self, bluesky, fake, outside):
        publish(bluesky)
        later = Bluesky(SETTINGS, outside.door(), session=dict(bluesky.session))
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
        other = Bluesky({**SETTINGS, **changed}, outside.door(), session=dict(bluesky.session))
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
            account = Bluesky({**SETTINGS, "handle": handle, "url": ""}, outside.door()).verify()
            assert (account.name, account.url) == (HANDLE, f"https://bsky.app/profile/{HANDLE}")
            assert account.facts == {"pds": URL, "did": DID, "handle": HANDLE}

    def test_an_unresolvable_handle_falls_back_to_bsky_social(self, fake, outside):
        outside.teach("POST", "https://bsky.social/xrpc/com.atproto.server.createSession", status=401, json={})
        with pytest.raises(Disconnected):
            Bluesky({**SETTINGS, "handle": "nobody.example", "url": ""}, outside.door()).verify()

    def test_a_known_server_stays_while_the_directory_is_down(self, fake, outside):
        settings = {**SETTINGS, "url": ""}
        known = Bluesky(settings, outside.door(), facts=Bluesky(settings, outside.door()).verify().facts)
        outside.always(lambda seen: "plc.directory" in seen.url, status=503)
        bound = replace(known, door=outside.door().only_to(known.origins()))
        assert bound.verify().facts["pds"] == URL

    @pytest.mark.parametrize("endpoint", ["http://pds.example", 7, None, "ftp://pds.example"])
    def test_the_password_is_sent_only_over_tls(self, fake, outside, endpoint):
        where = "https://alice.example/.well-known/did.json"
        outside.teach("GET", where, json={"service": [{"id": "#atproto_pds", "serviceEndpoint": endpoint}, 7]})
        outside.teach("POST", "https://bsky.social/xrpc/com.atproto.server.createSession", status=401, json={})
        with pytest.raises(Disconnected):
            Bluesky({**SETTINGS, "handle": "did:web:alice.example", "url": ""}, outside.door()).verify()

    def test_resolved_accounts_are_not_resolved_again(self, fake, outside):
        facts = Bluesky({**SETTINGS, "url": ""}, outside.door()).verify().facts
        before = len(outside.requests)
        publish(Bluesky({**SETTINGS, "url": ""}, outside.door(), facts=facts))
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
