"""Stored secrets are bound to the origin that they were given for: nobody can point a connection elsewhere."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape
from typing import Any

import pytest

from blogsvc.connections.load import seal
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.models import Connection, Post, transaction
from tests.api.faults import faults
from tests.api_client import Api
from tests.outside import Outside, Seen
from tests.web.page_walk import Pages

THIEF = "https://thief.example"
# What a server could answer that wants to be taken for any of the platforms.
PLEASING = {
    "id": "1",
    "name": "x",
    "username": "x",
    "user_id": "@x:thief.example",
    "room_id": "!x:thief.example",
    "accessJwt": "x",
    "refreshJwt": "x",
    "did": "did:plc:x",
    "jwt": "x",
    "version": "0.19.0",
    "namespaces": ["wp/v2"],
    "posts": [],
    "service": [{"id": "#atproto_pds", "serviceEndpoint": THIEF}],
    "site": {"title": "x", "version": "5"},
}


@dataclass(frozen=True)
class Case:
    """A connection, and the setting by which somebody tries to get its secrets."""

    connector: str
    settings: dict[str, str]
    address: str
    facts: dict[str, str] = field(default_factory=dict)
    new: str = f"{THIEF}/in"


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
GHOST_KEY = f"{'6' * 24}:{'a1' * 32}"
CASES = {
    "webhook": Case("webhook", {"url": "https://own.example/in", "secret": SECRET, "headers": "X-Pass: sesame"}, "url"),
    "mastodon": Case("mastodon", {"url": "https://own.example", "token": "tok-3141"}, "url"),
    "ghost": Case("ghost", {"url": "https://own.example", "key": GHOST_KEY}, "url"),
    "wordpress": Case(
        "wordpress",
        {"url": "https://own.example", "username": "ann", "password": "abcd efgh ijkl"},
        "url",
        {"root": "https://own.example/wp-json/"},
    ),
    "micropub": Case(
        "micropub",
        {"url": "https://own.example", "token": "tok-3141"},
        "url",
        {"endpoint": "https://own.example/micropub"},
    ),
    "devto": Case("devto", {"url": "https://dev.to", "api_key": "tok-3141"}, "url"),
    "lemmy": Case(
        "lemmy",
        {"url": "https://own.example", "username": "ann", "password": "pass-3141", "community": "blog"},
        "url",
    ),
    "telegram": Case("telegram", {"url": "https://own.example", "token": "123456:AAtok-3141", "chat": "@trees"}, "url"),
    "matrix": Case(
        "matrix",
        {"homeserver": "own.example", "token": "tok-3141", "room": "#blog:own.example"},
        "homeserver",
        {"base_url": "https://own.example", "room_id": "!r:own.example"},
        new="thief.example",
    ),
    "bluesky": Case(
        "bluesky",
        {"handle": "ann.example", "password": "abcd-efgh-ijkl", "url": "https://pds.example"},
        "url",
        {"pds": "https://pds.example"},
    ),
    "bluesky, by the handle": Case(
        "bluesky",
        {"handle": "ann.example", "password": "abcd-efgh-ijkl"},
        "handle",
        {"pds": "https://pds.example"},
        new="thief.example",
    ),
    "atproto": Case(
        "atproto",
        {
            "handle": "ann.example",
            "password": "abcd-efgh-ijkl",
            "blog_url": "https://blog.example",
            "blog_name": "Trees",
            "url": "https://pds.example",
        },
        "url",
        {"pds": "https://pds.example"},
    ),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, outside: Outside) -> Case:
    outside.always(status=200, json=PLEASING)
    return CASES[request.param]


@pytest.fixture
def connected(case: Case, app: Any, tools: Tools) -> Connection:
    """The connection, as it is stored after its platform has accepted it."""
    kind = connectors()[case.connector]
    with transaction():
        row = Connection.add("mine", case.connector, tools.now())
        seal(row, kind(settings=case.settings, facts=case.facts), case.settings, tools)
        row.facts, row.account = dict(case.facts), "ann"
    return row


def stored_secrets(case: Case) -> list[str]:
    return [one.name for one in connectors()[case.connector].fields if one.secret and one.name in case.settings]


def words_of(seen: Seen) -> str:
    """Return all that a receiver learns, with what it could decode."""
    text = f"{seen.url} {seen.headers} {seen.body.decode(errors='replace')}"
    for value in seen.headers.values():
        last = value.rpartition(" ")[2]
        text += base64.b64decode(last + "==", altchars=b"-_").decode(errors="replace") if last.isalnum() else ""
    return text


def nothing_is_stolen(outside: Outside, case: Case) -> None:
    to_the_thief = [seen for seen in outside.requests if "thief.example" in seen.url]
    for seen in to_the_thief:
        assert "authorization" not in seen.headers
        assert "webhook-signature" not in seen.headers
        assert not [name for name in stored_secrets(case) if case.settings[name] in words_of(seen)]


def test_every_connector_with_an_address_and_a_secret_is_tried() -> None:
    with_both = {
        key
        for key, kind in connectors().items()
        if any(one.address for one in kind.fields) and any(one.secret for one in kind.fields)
    }
    assert with_both == {case.connector for case in CASES.values()}


def test_the_api_demands_the_secret_again_for_another_origin(
    api: Api, new_key: Callable[..., str], connected: Connection, case: Case, outside: Outside
) -> None:
    thief = Api(api.client, new_key("platforms:write"))
    answer = thief.patch("/platforms/mine", settings={case.address: case.new})
    assert answer.status_code == 422
    assert faults(answer) == {f"#/settings/{name}": "required" for name in stored_secrets(case)}
    assert outside.requests == []


def test_the_page_demands_the_secret_again_for_another_origin(
    pages: Pages, connected: Connection, case: Case, outside: Outside
) -> None:
    path = "/desk/settings/destinations/mine/reconnect"
    kept = {name: value for name, value in case.settings.items() if name not in stored_secrets(case)}
    labels = [one.label for one in connectors()[case.connector].fields if one.name in stored_secrets(case)]
    assert " again if you change the server." in pages.get(path).text
    answer = pages.post(path, **{f"settings/{name}": value for name, value in {**kept, case.address: case.new}.items()})
    assert answer.status_code == 422
    for label in labels:
        assert f"Enter {label} again: the " in unescape(answer.text)
    assert outside.requests == []


def test_an_address_changed_in_the_database_gets_no_secret(
    api: Api,
    connected: Connection,
    case: Case,
    outside: Outside,
    a_post: Callable[..., Post],
    tick: Callable[[], None],
) -> None:
    with transaction():
        connected.settings = {**connected.settings, case.address: case.new}
        connected.facts = dict.fromkeys(case.facts, f"{THIEF}/in")
    answer = api.post("/platforms/mine/verify")
    assert (answer.status_code, answer.json["code"]) == (502, "origin_changed")
    assert api.get("/platforms/mine").json["health"] == "disconnected"
    with transaction():
        connected.record_success()
    a_post(live=True, platforms=["mine"])
    tick()
    assert api.get("/platforms/mine").json["health"] == "disconnected"
    nothing_is_stolen(outside, case)
