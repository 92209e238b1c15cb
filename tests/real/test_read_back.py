"""Every article of `tests/fidelity` on real servers: nothing is lost that the preview did not say."""

from __future__ import annotations

import secrets
from dataclasses import replace

import pytest

from blogsvc.connectors.atproto import ATProto
from blogsvc.connectors.base import Article, Connector, Rejected
from blogsvc.connectors.bluesky import Bluesky
from blogsvc.connectors.ghost import Ghost
from blogsvc.connectors.matrix import Matrix
from blogsvc.connectors.nostr import Nostr
from blogsvc.connectors.payload_parts import parts
from blogsvc.connectors.wordpress import WordPress
from blogsvc.lib.ids import new_id
from blogsvc.lib.net.http import HttpClient, Timeout
from blogsvc.lib.text.losses import Loss, compare
from blogsvc.lib.time import utc_now
from tests import tiers
from tests.fidelity.corpus import NAMES, TELLING, article
from tests.images import png
from tests.real.pds.server import pds
from tests.real.relay import relay
from tests.real.synapse.server import synapse
from tests.real.test_atproto import BLOG

__all__ = ["pds", "synapse"]
# What a warning of a preview announces: kinds of losses, by words of the warning.
ANY = "any kind of loss"
NOTES = {"footnote number", "link back from a note", "superscript", "step of a numbered list", "separator line"}
ANNOUNCED = {
    "doesn't support HTML": {ANY},
    "doesn't support footnotes": NOTES,
    "doesn't support tables": {"table"},
    "doesn't support alerts": {"callout formatting"},
    "doesn't support strikethrough": {"strikethrough"},
}


@pytest.fixture(scope="module")
def nostr_relay(tmp_path_factory):
    with relay(tmp_path_factory.mktemp("relay")) as there:
        yield there


def wordpress(request: pytest.FixtureRequest, http: HttpClient, username: str = "an-editor") -> Connector:
    site = request.getfixturevalue("wordpress_server")
    settings = {"url": site.url, "username": username, "password": site.passwords[username]}
    return WordPress(settings, http, facts=WordPress(settings, http).verify().facts)


def wordpress_author(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    """An account whose HTML WordPress filters."""
    return wordpress(request, http, "an-author")


def ghost(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    site = request.getfixturevalue("ghost_server")
    return Ghost({"url": site.url, "key": site.key}, http)


def bluesky(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    return Bluesky(request.getfixturevalue("pds").account(), http)


def atproto(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    return ATProto({**request.getfixturevalue("pds").account(), **BLOG}, http)


def nostr(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    url = request.getfixturevalue("nostr_relay").url
    return Nostr({"secret_key": secrets.token_hex(32), "relays": url}, http)


def matrix(request: pytest.FixtureRequest, http: HttpClient) -> Connector:
    there = request.getfixturevalue("synapse")
    settings = {"homeserver": there.url, "token": there.blog, "room": there.room()[1]}
    return Matrix(settings, http, Matrix(settings, http).verify().facts)


@pytest.fixture(
    params=[wordpress, wordpress_author, ghost, bluesky, atproto, nostr, matrix], ids=lambda make: make.__name__
)
def connector(request: pytest.FixtureRequest, tmp_path) -> Connector:
    """A connector to a real server, with a file for every image of the articles."""
    # PHP as WebAssembly is slow on a busy machine.
    made = request.param(request, HttpClient(allow_private=True, timeout=Timeout(read=120, total=120)))
    file = tmp_path / "image.png"
    file.write_bytes(png())
    made.images.uploaded_files = lambda url: [file] if url.startswith("https://blog.example/") else []
    return made


def is_announced(loss: Loss, warnings: tuple[str, ...]) -> bool:
    told = [kinds for words, kinds in ANNOUNCED.items() if any(words in warning for warning in warnings)]
    return any(loss.kind in kinds or ANY in kinds for kinds in told)


@tiers.matrix("name", NAMES, default=TELLING.__contains__)
def test_nothing_is_lost_that_the_preview_did_not_say(connector, name):
    written: Article = replace(article(name), id=new_id("post", utc_now()), slug=f"of-{name}-{secrets.token_hex(4)}")
    try:
        payload = connector.compose(written, {option.name: option.default for option in connector.options})
    except Rejected:
        assert name == "very-long"
        return
    keys = {**connector.mint(written), "operation": new_id("op", utc_now())}
    receipt = connector.publish(payload, keys)
    shown = [(part.form, part.text) for part in connector.read_back(keys, receipt)]
    sent = [(part.form, part.text) for part in parts(connector, payload)]
    assert compare(sent, shown).losses == []
    if connector.category == "article":
        lost = compare([("title", written.title), ("html", written.html)], shown).losses
        assert [loss for loss in lost if not is_announced(loss, payload.warnings)] == []
