"""Bluesky with a real PDS. It has no AppView, which counts readers: those are tested with the fake."""

from __future__ import annotations

import time
from dataclasses import replace
from urllib.parse import quote

import jwt
import pytest

from blogsvc.connectors._kit import atproto_tid
from blogsvc.connectors.base import Conflict, CopyFound, CopyNotFound, Disconnected, Gone, Rejected, Unavailable
from blogsvc.connectors.bluesky.connector import Bluesky
from blogsvc.connectors.bluesky.rich_text import facets
from blogsvc.lib.net.http import HttpClient
from tests.connectors.contract import AN_ARTICLE, FAMILY, with_own_text
from tests.images import png
from tests.real.contract import AN_IMAGE, RealContract
from tests.real.pds.recording import Recording
from tests.real.pds.server import PASSWORD, pds
from tests.receiver import free_port

__all__ = ["pds"]
POSTS = "app.bsky.feed.post"


class TestContract(RealContract):
    too_long = with_own_text(AN_ARTICLE, "a" * 301)

    @pytest.fixture(autouse=True)
    def there(self, pds):
        self.pds = pds

    def connected(self, http):
        self.account = self.pds.account()
        return Bluesky(self.account, http)

    def nobody(self, http):
        return Bluesky({**self.pds.account(), "password": "wrong-wrong-wrong"}, http)

    def nowhere(self, http):
        return Bluesky({**self.account, "url": f"http://localhost:{free_port()}"}, http)

    def copies(self, outside):
        return len(self.pds.records(self.account, POSTS))

    def edit_on_platform(self, outside):
        [record] = self.pds.records(self.account, POSTS)
        self.pds.edit(self.account, record, text="Changed by another app")

    def test_stats_return_the_figures_of_the_platform(self):
        pytest.skip("a PDS has no statistics")


@pytest.fixture
def recording():
    return Recording()


@pytest.fixture
def account(pds):
    return pds.account()


@pytest.fixture
def bluesky(account, recording):
    return Bluesky(account, HttpClient(allow_private=True, transport=recording))


def publish(bluesky, article=AN_ARTICLE):
    keys = {**bluesky.mint(article), "operation": "op-1"}
    return keys, bluesky.publish(bluesky.compose(article, {}), keys)


def expire(bluesky):
    """Return the access token as it is two hours later, signed with the secret of the test server."""
    claims = jwt.decode(bluesky.session["access"], options={"verify_signature": False})
    old = {**claims, "iat": int(time.time()) - 9000, "exp": int(time.time()) - 60}
    with pytest.warns(jwt.InsecureKeyLengthWarning):
        bluesky.session["access"] = jwt.encode(old, "jwt-secret", algorithm="HS256", headers={"typ": "at+jwt"})


def test_the_server_counts_graphemes_as_we_do(bluesky, pds, account):
    """Eight that are each one to a reader, of 1 to 7 code points; one more of them is rejected on both sides."""
    words = "".join((FAMILY, "é", "🇩🇪", "한", "नि", "e\u0301", "👍🏽", "a")) * 37 + "abcd"
    bluesky.put(atproto_tid.mint(), a_record(words))
    with pytest.raises(Rejected, match="got 301"):
        bluesky.put(atproto_tid.mint(), a_record(words + FAMILY))
    publish(bluesky, with_own_text(AN_ARTICLE, words))
    assert [record["value"]["text"] for record in pds.records(account, POSTS)] == [words, words]


def a_record(text):
    return {"$type": POSTS, "text": text, "createdAt": "2026-11-20T10:00:00Z"}


def test_the_link_card_and_its_image_are_stored(bluesky, pds, account, tmp_path):
    file = tmp_path / "tree.png"
    file.write_bytes(png())
    bluesky.images.uploaded_files = lambda url: [file] if url == AN_IMAGE else []
    publish(bluesky, replace(AN_ARTICLE, cover_url=AN_IMAGE))
    value = pds.records(account, POSTS)[0]["value"]
    assert value["text"] == "Of trees\n\nAbout trees.\n\n#nature #trees"
    assert value["facets"] == facets(value["text"])
    card = value["embed"]["external"]
    assert card["uri"] == AN_ARTICLE.canonical_url
    assert (card["thumb"]["mimeType"], card["thumb"]["size"]) == ("image/png", len(png()))


def test_a_broken_image_does_not_block_the_post(bluesky, pds, account, tmp_path):
    file = tmp_path / "tree.png"
    file.write_bytes(b"\x89PNG\r\n\x1a\nbroken")
    bluesky.images.uploaded_files = lambda url: [file]
    publish(bluesky, replace(AN_ARTICLE, cover_url=AN_IMAGE))
    assert "thumb" not in pds.records(account, POSTS)[0]["value"]["embed"]["external"]


def test_a_handle_resolves_to_its_server(bluesky, pds, account):
    bluesky.settings = {**account, "url": ""}
    bluesky.appview, bluesky.directory, bluesky.schemes = pds.url, pds.directory, ("http://",)
    found = bluesky.verify()
    assert found.name == account["handle"]
    assert found.facts == {"pds": pds.url, "did": pds.did(account), "handle": account["handle"]}
    again = Bluesky(bluesky.settings, bluesky.http, facts=found.facts)
    assert again.base_url() == pds.url
    publish(again)


def test_an_expired_session_is_refreshed_without_the_password(bluesky):
    bluesky.verify()
    expire(bluesky)
    bluesky.settings = {**bluesky.settings, "password": "not needed"}
    publish(bluesky)


def test_a_session_that_cannot_be_refreshed_is_started_again(bluesky):
    bluesky.verify()
    expire(bluesky)
    bluesky.session["refresh"] = "nonsense"
    publish(bluesky)


def test_the_account_password_works_without_two_factor_authentication(bluesky):
    bluesky.settings = {**bluesky.settings, "password": PASSWORD}
    assert bluesky.verify().name


def test_a_repeated_update_is_no_conflict(bluesky):
    keys, receipt = publish(bluesky)
    changed = bluesky.compose(replace(AN_ARTICLE, title="Of bushes"), {})
    first = bluesky.update(changed, keys, receipt)
    assert bluesky.update(changed, keys, receipt) == first


def test_the_fake_server_returns_the_same_responses_as_the_real_one(bluesky, pds, account, recording):
    """Every response of the fake is requested once; RECORD=1 stores them."""
    keys, receipt = publish(bluesky)
    assert isinstance(bluesky.find(keys), CopyFound)
    assert isinstance(bluesky.find(bluesky.mint(AN_ARTICLE)), CopyNotFound)
    record = pds.records(account, POSTS)[0]["value"]
    with pytest.raises(Conflict):
        bluesky.change(
            keys["rkey"], {**record, "text": "Other"}, "bafyreidfcm4u3vnuph5ltwdpssiz3a4xfbm2otjrdisftwnbfmnxd6lsxm"
        )
    with pytest.raises(Rejected, match="grapheme too big"):
        bluesky.put(atproto_tid.mint(), {**record, "text": "a" * 301})
    with pytest.raises(Rejected, match="Invalid TID"):
        bluesky.put("of-trees", record)
    blob = {"$type": "blob", "ref": {"$link": "bafkreibme22gw2h7y2h7tg2fhqotaqjucnbc24deqo72b6mkl2egezxhvy"}}
    card = {
        "uri": "https://blog.example/",
        "title": "",
        "description": "",
        "thumb": {**blob, "mimeType": "image/png", "size": 5},
    }
    with pytest.raises(Unavailable):
        bluesky.put(atproto_tid.mint(), {**record, "embed": {"$type": "app.bsky.embed.external", "external": card}})
    assert bluesky.ask("com.atproto.repo.uploadBlob", content=b"hello", headers={"Content-Type": "image/png"})["blob"]
    expire(bluesky)
    publish(bluesky)
    bluesky.session["access"] = "nonsense"
    publish(bluesky)
    renew, token = "xrpc/com.atproto.server.refreshSession", {"Authorization": f"Bearer {bluesky.session['refresh']}"}
    with pytest.raises(Rejected, match="request body"):
        bluesky.call("POST", renew, headers=token, json={})
    with pytest.raises(Disconnected):
        bluesky.call("POST", renew, headers={"Authorization": "Bearer nonsense"})
    bluesky.delete(keys, receipt)
    bluesky.delete(keys, receipt)
    with pytest.raises(Gone):
        bluesky.fetch_version(keys, receipt)
    with pytest.raises(Gone):
        bluesky.update(bluesky.compose(replace(AN_ARTICLE, title="Of bushes"), {}), keys, receipt)
    with pytest.raises(Disconnected):
        Bluesky({**account, "password": "wrong"}, bluesky.http).verify()
    where = f"{pds.url}/xrpc/com.atproto.identity.resolveHandle?handle="
    assert bluesky.call("GET", where + quote(account["handle"])).json() == {"did": pds.did(account)}
    with pytest.raises(Rejected):
        bluesky.call("GET", where + "nobody.test")
    recording.save("bluesky")
