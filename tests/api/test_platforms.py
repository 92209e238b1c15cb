"""Platforms through the API: available platforms, connecting accounts, and secrets that are never returned."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blogsvc.connections import manage
from blogsvc.connectors import connectors
from blogsvc.context import Tools
from blogsvc.models import Delivery, Event, Post, db
from tests.api.faults import faults
from tests.api.hooks import HOOK, OTHER, SECRET, URL, connect_hook, secret_of
from tests.api_client import Api
from tests.connectors import fake_ghost
from tests.outside import Outside, Reply, Seen


@pytest.fixture
def hook(api: Api, outside: Outside) -> dict[str, Any]:
    return connect_hook(api, outside)


def test_the_built_in_blog_is_always_connected(api: Api) -> None:
    (site,) = api.get("/platforms").json["data"]
    assert (site["name"], site["health"], site["accountUrl"]) == ("site", "ok", "https://blog.example")


def test_available_platforms_list_their_fields_and_abilities(api: Api) -> None:
    available = {kind["key"]: kind for kind in api.get("/connectors?limit=100").json["data"]}
    assert set(available) == {key for key, kind in connectors().items() if not kind.is_local}
    fields = {field["name"]: field for field in available["webhook"]["fields"]}
    assert fields["url"]["required"] is True
    assert fields["secret"]["secret"] is True
    assert {"update", "delete"} <= set(available["webhook"]["abilities"])


def test_a_connection_shows_its_health_and_last_error(
    api: Api, connect: Callable[..., str], a_post: Callable[..., Post], tick: Callable[[], None], outside: Outside
) -> None:
    name = connect()
    _, hook = api.get("/platforms").json["data"]
    assert (hook["name"], hook["connector"], hook["health"], hook["lastError"]) == (name, "webhook", "ok", None)
    assert hook["account"] == "hook.example"
    outside.always(status=410)
    a_post(live=True, platforms=[name])
    tick()
    _, hook = api.get("/platforms").json["data"]
    assert hook["health"] == "disconnected"
    assert "Reconnect it" in hook["lastError"]


def test_secrets_are_write_only(
    api: Api, tools: Tools, outside: Outside, a_post: Callable[..., Post], tick: Callable[[], None]
) -> None:
    outside.teach("POST", "https://hook.example/in", status=200)
    values = {"url": "https://hook.example/in", "secret": SECRET, "headers": "X-Pass: open sesame"}
    manage.connect("webhook", "hook", values, tools)
    post = a_post(live=True, platforms=["hook"])
    tick()
    paths = ("/platforms", "/posts", f"/posts/{post.id}/events", f"/deliveries/{post.deliveries[0].id}", "/me")
    answers = [api.get(path) for path in paths] + [api.post(f"/posts/{post.id}/dry-run")]
    for answer in answers:
        assert answer.status_code == 200
        for secret in (SECRET, SECRET.removeprefix("whsec_"), "open sesame", api.key):
            assert secret not in answer.text + str(answer.headers)


# --- connect ---


def test_a_connection_is_created_once_the_platform_confirms_the_account(api: Api, outside: Outside) -> None:
    outside.teach("POST", URL, status=200)
    answer = api.post("/platforms", json=HOOK)
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/api/v1/platforms/hook"
    assert answer.headers["Cache-Control"] == "no-store"
    assert [seen.json()["type"] for seen in outside.requests] == ["ping"]
    connected = dict(answer.json)
    assert connected.pop("generated") == {}, "the secret was given"
    assert (connected["account"], connected["health"]) == ("hook.example", "ok")
    assert connected["settings"] == {"url": URL}
    read = api.get("/platforms/hook")
    assert read.json == connected
    assert read.headers["ETag"] == answer.headers["ETag"]
    assert api.get("/platforms/hook", headers={"If-None-Match": read.headers["ETag"]}).status_code == 304
    assert api.post("/posts", title="x", platforms=["hook"]).status_code == 201


def test_a_connection_defaults_to_the_name_of_its_connector_and_a_generated_secret(
    api: Api, outside: Outside, tools: Tools
) -> None:
    outside.teach("POST", URL, status=200)
    connected = api.post("/platforms", connector="webhook", settings={"url": URL, "secret": None}).json
    assert connected["name"] == "webhook"
    assert connected["generated"] == {"secret": secret_of("webhook", tools)}
    assert connected["generated"]["secret"].startswith("whsec_")
    assert "generated" not in api.get("/platforms/webhook").json


@pytest.mark.parametrize(
    ("change", "place", "code"),
    [
        ({"connector": "nowhere"}, "#/connector", "unknown_connector"),
        ({"connector": "site"}, "#/connector", "unknown_connector"),
        ({"name": "My Hook"}, "#/name", "invalid"),
        ({"name": "site"}, "#/name", "taken"),
        ({"name": "x" * 65}, "#/name", "too_long"),
        ({"settings": {}}, "#/settings/url", "required"),
        ({"settings": {"url": ""}}, "#/settings/url", "required"),
        ({"settings": {"url": URL, "uri": "x"}}, "#/settings/uri", "unknown_field"),
        ({"settings": {"url": 5}}, "#/settings/url", "wrong_type"),
        ({"settings": {"url": "https://h.example/\0"}}, "#/settings/url", "control_character"),
        ({"settings": {"url": URL, "headers": "x" * 10_001}}, "#/settings/headers", "too_long"),
        ({"settings": None}, "#/settings", "wrong_type"),
        ({"secret": "x"}, "#/secret", "unknown"),
        ({"connector": "folder", "settings": {"path": "/tmp", "layout": "word"}}, "#/settings/layout", "invalid"),
    ],
)
def test_invalid_connection_fields_are_rejected_with_pointers_and_without_a_request(
    api: Api, outside: Outside, change: dict[str, Any], place: str, code: str
) -> None:
    assert faults(api.post("/platforms", json=HOOK | change)) == {place: code}
    assert outside.requests == []
    assert len(api.get("/platforms").json["data"]) == 1


def test_a_connection_name_must_be_unique(api: Api, hook: dict[str, Any], outside: Outside) -> None:
    assert faults(api.post("/platforms", json=HOOK)) == {"#/name": "taken"}
    assert outside.requests == [], "no unnecessary request"


@pytest.mark.parametrize(
    ("settings", "reply", "place", "code"),
    [
        ({}, {"status": 401, "json": {"error": "We do not know you."}}, "#/settings", "disconnected"),
        ({}, {"status": 410}, "#/settings/url", "disconnected"),
        ({}, {"status": 404}, "#/settings/url", "misconfigured"),
        ({}, {"status": 301, "headers": {"Location": "https://a.example"}}, "#/settings/url", "misconfigured"),
        ({}, {"status": 422, "json": {"error": "It is too dull."}}, "#/settings/url", "rejected"),
        ({"secret": "abc"}, {}, "#/settings/secret", "misconfigured"),
        ({"headers": "X-Pass"}, {}, "#/settings/headers", "misconfigured"),
        ({"url": "https://user:pass@hook.example/"}, {}, "#/settings/url", "misconfigured"),
        ({"url": "file:///etc/passwd"}, {}, "#/settings/url", "misconfigured"),
    ],
)
def test_rejected_settings_name_the_field_and_quote_the_platform(
    api: Api, outside: Outside, settings: dict[str, str], reply: dict[str, Any], place: str, code: str
) -> None:
    outside.always(**reply)
    answer = api.post("/platforms", json=HOOK | {"settings": HOOK["settings"] | settings})
    assert faults(answer) == {place: code}
    (fault,) = answer.json["errors"]
    assert (fault["platform"], fault["rule"]) == ("webhook", "verified")
    assert "Nothing was saved" in fault["remediation"]
    for said in (reply.get("json") or {}).values():
        assert said in fault["detail"]
    assert len(api.get("/platforms").json["data"]) == 1


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"status": 503}, "unavailable"),
        ({"status": 429}, "rate_limited"),
        ({"failure": "hangs"}, "unavailable"),
    ],
)
def test_an_unavailable_platform_returns_502(api: Api, outside: Outside, reply: dict[str, Any], code: str) -> None:
    outside.always(**reply)
    answer = api.post("/platforms", json=HOOK)
    assert (answer.status_code, answer.json["code"]) == (502, code)
    assert answer.json["type"].endswith("/platform-unavailable")
    assert len(api.get("/platforms").json["data"]) == 1


@pytest.mark.parametrize("failure", ["refused", "unreachable"])
@pytest.mark.parametrize("host", ["hook.example", "bücher.example"])
def test_an_address_where_no_server_answers_is_an_error_of_the_request(
    api: Api, outside: Outside, failure: str, host: str
) -> None:
    outside.always(failure=failure)
    answer = api.post("/platforms", connector="webhook", settings={"url": f"https://{host}/in"})
    assert faults(answer) == {"#/settings/url": "unreachable"}
    assert f"{host} could not be reached" in answer.json["errors"][0]["detail"]


def test_a_host_that_does_not_exist_is_an_error_of_the_request(api: Api, outside: Outside) -> None:
    outside.names["hook.example"] = []
    answer = api.post("/platforms", json=HOOK)
    assert faults(answer) == {"#/settings/url": "unreachable"}
    assert "No server at hook.example. Check the address." in answer.json["errors"][0]["detail"]


def test_a_connected_platform_that_cannot_be_reached_returns_502(
    api: Api, hook: dict[str, Any], outside: Outside
) -> None:
    outside.always(failure="refused")
    assert api.post("/platforms/hook/verify").status_code == 502
    assert api.patch("/platforms/hook", settings={"headers": "X-Pass: new"}).status_code == 502
    moved = {"url": "https://moved.example/in", "secret": HOOK["settings"]["secret"], "headers": ""}
    assert faults(api.patch("/platforms/hook", settings=moved)) == {"#/settings/url": "unreachable"}


def test_the_setting_that_names_the_unknown_host_is_the_wrong_one(api: Api, outside: Outside) -> None:
    outside.names["pds.example"] = []
    settings = {"handle": "a.example", "password": "x", "url": "https://pds.example"}
    answer = api.post("/platforms", connector="bluesky", settings=settings)
    assert faults(answer) == {"#/settings/url": "unreachable"}


def test_a_host_that_no_setting_names_returns_502(api: Api, outside: Outside) -> None:
    outside.names["public.api.bsky.app"] = []
    answer = api.post("/platforms", connector="bluesky", settings={"handle": "a.example", "password": "x"})
    assert (answer.status_code, answer.json["code"]) == (502, "unreachable"), answer.json


def test_a_secret_that_no_request_can_contain_is_an_error_of_the_request(api: Api, outside: Outside) -> None:
    answer = api.post("/platforms", connector="mastodon", settings={"url": "https://m.example", "token": "é"})
    assert faults(answer) == {"#/settings/token": "disconnected"}
    assert outside.requests == []


def test_a_platform_with_one_known_address_that_cannot_be_reached_returns_502(api: Api, outside: Outside) -> None:
    outside.always(failure="refused")
    answer = api.post("/platforms", connector="devto", settings={"api_key": "x"})
    assert answer.status_code == 502, answer.json


def test_the_retry_after_of_a_platform_is_passed_on(api: Api, outside: Outside) -> None:
    outside.always(status=429, headers={"Retry-After": "30"})
    answer = api.post("/platforms", json=HOOK)
    assert (answer.headers["Retry-After"], answer.json["retryAfter"]) == ("30", 30)


def test_an_address_inside_the_private_network_is_rejected(api: Api, outside: Outside) -> None:
    outside.names["hook.example"] = ["169.254.169.254"]
    answer = api.post("/platforms", json=HOOK)
    assert faults(answer) == {"#/settings/url": "misconfigured"}
    assert outside.requests == []


# --- secrets ---


def test_no_secret_ever_entered_appears_anywhere(
    api: Api,
    outside: Outside,
    instance: Path,
    a_post: Callable[..., Post],
    tick: Callable[[], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in a response, the log or the database files, even if everything fails."""
    caplog.set_level(logging.DEBUG)
    secrets = [SECRET, OTHER, "open sesame", "close sesame"]

    def echo(seen: Seen) -> Reply:
        """Reject the request, and repeat its body and headers."""
        known = SECRET if "open" in seen.headers["X-Pass"] else OTHER
        return Reply(401, json={"error": f"bad {known} {dict(seen.headers)}"})

    outside.teach("POST", URL, status=200)
    outside.teach("POST", "https://echo.example/in", echo)
    whole = {"url": URL, "secret": SECRET, "headers": "X-Pass: open sesame"}
    other = {"secret": OTHER, "headers": "X-Pass: close sesame"}
    answers = [
        api.post("/platforms", json=HOOK | {"settings": whole}),
        api.post("/platforms", json=HOOK | {"settings": whole}),
        api.post("/platforms", json={"connector": "webhook", "settings": whole | {"url": "https://echo.example/in"}}),
        api.post("/platforms", json={"connector": "webhook", "name": "b", "settings": whole | {"pass": "open sesame"}}),
        api.post("/platforms", json={"connector": "webhook", "name": "b", "settings": whole | {"secret": "x" + OTHER}}),
        api.post("/platforms", json={"connector": "webhook", "name": "b", "settings": whole | {"headers": OTHER}}),
        api.patch("/platforms/hook", settings=other | {"url": "https://echo.example/in"}),
        api.patch("/platforms/hook", settings=other),
        api.patch("/platforms/hook", settings={**other, "secret": {"value": OTHER}}),
    ]
    outside.always(status=401, json={"error": f"bad {OTHER} close sesame"})
    post = a_post(live=True, platforms=["hook"])
    tick()
    answers.append(api.post("/platforms/hook/verify"))
    for path in ("/platforms", "/platforms/hook", "/posts", f"/posts/{post.id}/events", f"/posts/{post.id}/deliveries"):
        answers.append(api.get(path))
    answers.append(api.get(f"/deliveries/{post.deliveries[0].id}"))
    answers.append(api.delete("/platforms/hook"))

    assert {answer.status_code for answer in answers} == {200, 201, 204, 422, 502}
    told = "".join(f"{answer.headers}{answer.text}" for answer in answers) + caplog.text
    stored = b"".join(file.read_bytes() for file in instance.iterdir() if file.name.startswith("blogsvc.db"))
    assert db.session.query(Event).count(), "rows are there to be searched"
    assert db.session.query(Delivery).count()
    for secret in secrets:
        bare = secret.removeprefix("whsec_")
        assert bare not in told, secret
        assert bare.encode() not in stored, secret


def test_a_connection_offers_the_newsletters_of_its_account(api: Api, outside: Outside, tools: Tools) -> None:
    fake_ghost.FakeGhost(outside)
    manage.connect("ghost", "ghost", {"url": fake_ghost.SITE, "key": f"{fake_ghost.KEY_ID}:{fake_ghost.SECRET}"}, tools)
    options = {one["name"]: one["choices"] for one in api.get("/platforms/ghost").json["options"]}
    assert options["newsletter"] == ["", "weekly"]


def test_all_platforms_are_listed_connected_or_not(api: Api) -> None:
    api.post("/posts", title="A post", platforms=["medium"])
    available = {one["key"]: one for one in api.get("/platforms").json["available"]}
    assert available["devto"] == {
        "key": "devto",
        "aliases": ["dev", "dev.to", "forem"],
        "label": "DEV (Forem)",
        "way": "connect",
        "takes": "No text limit, 4 tags",
        "needs": "API key",
        "reason": "",
        "connections": [],
    }
    assert (available["medium"]["way"], available["medium"]["connections"]) == ("by_hand", ["medium"])
    assert (available["x"]["aliases"], available["x"]["reason"]) == (
        ["twitter"],
        "The API of X costs $0.20 for each post with a link.",
    )
    assert (available["peertube"]["way"], available["peertube"]["reason"]) == ("unsupported", "Video only.")
    assert "site" not in available


def test_every_platform_that_is_listed_can_be_named_unless_it_is_not_supported(api: Api) -> None:
    for one in api.get("/platforms").json["available"]:
        for name in (one["key"], *one["aliases"]):
            expected = 422 if one["way"] == "unsupported" else 201
            answer = api.post("/posts", title="A post", platforms=[name])
            assert answer.status_code == expected, name
