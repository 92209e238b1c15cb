"""Secrets of a new account go to the server that was entered. Another one gets them once a person has confirmed it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from blogsvc.models import Connection
from tests.api.faults import faults
from tests.api_client import Api
from tests.connectors.fake_wordpress import PASSWORD, USERNAME, FakeWordPress
from tests.outside import Outside, Seen
from tests.web.page_walk import Pages
from tests.web.test_destinations import LIST, page_text

SITE, CMS = "https://wp.example", "https://cms.example"
SETTINGS = {"url": SITE, "username": USERNAME, "password": PASSWORD}
WORDPRESS = {"connector": "wordpress", "name": "wp", "settings": SETTINGS}
FORM = {**{f"settings/{name}": value for name, value in SETTINGS.items()}, "name": "wp"}


@pytest.fixture
def move(outside: Outside) -> Callable[[str], FakeWordPress]:
    """Have the site announce its API on another server."""

    def move(origin: str) -> FakeWordPress:
        link = {"Link": f'<{origin}/wp-json/>; rel="https://api.w.org/"'}
        outside.always(lambda seen: seen.method == "HEAD", headers=link)
        return FakeWordPress(outside, f"{origin}/wp-json/")

    return move


@pytest.fixture(autouse=True)
def site(move: Callable[[str], FakeWordPress]) -> FakeWordPress:
    return move(CMS)


def with_password(outside: Outside) -> list[Seen]:
    return [seen for seen in outside.requests if "authorization" in seen.headers]


def test_the_api_names_the_other_server_and_sends_it_nothing(api: Api, outside: Outside) -> None:
    answer = api.post("/platforms", **WORDPRESS)
    assert answer.status_code == 422
    (fault,) = answer.json["errors"]
    assert (fault["pointer"], fault["code"]) == ("#/settings/url", "other_origin")
    assert CMS in fault["detail"]
    assert f'"confirm": ["{CMS}"]' in fault["remediation"]
    assert with_password(outside) == []
    assert "wp" not in [one["name"] for one in api.get("/platforms").json["data"]]


def test_a_confirmed_server_is_stored_with_the_connection(
    api: Api, outside: Outside, a_post: Callable[..., Any], tick: Callable[[], None], site: FakeWordPress
) -> None:
    assert api.post("/platforms", **WORDPRESS, confirm=[CMS]).status_code == 201
    assert api.post("/platforms/wp/verify").status_code == 200
    a_post(live=True, platforms=["wp"])
    tick()
    assert len(site.posts) == 1
    assert {seen.url.split("/")[2] for seen in with_password(outside)} == {"cms.example"}


def test_a_later_change_of_the_server_is_an_error_until_the_password_is_entered_and_the_server_confirmed(
    api: Api, outside: Outside, move: Callable[[str], FakeWordPress]
) -> None:
    api.post("/platforms", **WORDPRESS, confirm=[CMS])
    move("https://new.example")
    assert api.post("/platforms/wp/verify").json["code"] == "origin_changed"
    new = ["https://new.example"]
    assert faults(api.patch("/platforms/wp", settings={"username": USERNAME}, confirm=new)) == {
        "#/settings/password": "origin_changed"
    }
    again = {"password": PASSWORD}
    assert faults(api.patch("/platforms/wp", settings=again)) == {"#/settings/url": "other_origin"}
    assert not [seen for seen in with_password(outside) if "new.example" in seen.url]
    assert api.patch("/platforms/wp", settings=again, confirm=new).status_code == 200


@pytest.mark.parametrize("confirm", ["https://*.example", "*", "cms", "http://cms.example", f"{CMS}:8443", SITE, ""])
def test_only_the_named_server_confirms_it(api: Api, outside: Outside, confirm: str) -> None:
    assert faults(api.post("/platforms", **WORDPRESS, confirm=[confirm])) == {"#/settings/url": "other_origin"}
    assert with_password(outside) == []


@pytest.mark.parametrize("confirm", [f"{CMS}/", f"{CMS}:443", "CMS.example", f"{CMS}/wp-json/"])
def test_a_server_may_be_confirmed_in_any_notation(api: Api, confirm: str) -> None:
    assert api.post("/platforms", **WORDPRESS, confirm=[confirm]).status_code == 201


def test_plain_http_after_https_cannot_be_confirmed(api: Api, outside: Outside) -> None:
    link = {"Link": '<http://me.example/micropub>; rel="micropub"', "Content-Type": "text/html"}
    outside.teach("GET", "http://me.example", headers=link)
    outside.teach("GET", "https://me.example", status=301, headers={"Location": "http://me.example"})
    settings = {"url": "https://me.example", "token": "tok-3141"}
    answer = api.post("/platforms", connector="micropub", settings=settings, confirm=["http://me.example"])
    assert faults(answer) == {"#/settings/url": "misconfigured"}
    assert with_password(outside) == []
    assert not [seen for seen in outside.requests if seen.url.startswith("http://")]


def test_plain_http_that_was_entered_may_lead_to_another_port(api: Api, outside: Outside) -> None:
    link = {"Link": '<http://nas.example:8080/micropub>; rel="micropub"', "Content-Type": "text/html"}
    outside.teach("GET", "http://nas.example", headers=link)
    outside.teach("GET", "http://nas.example:8080/micropub", json={})
    body = {"connector": "micropub", "settings": {"url": "http://nas.example", "token": "tok-3141"}}
    assert faults(api.post("/platforms", **body)) == {"#/settings/url": "other_origin"}
    assert api.post("/platforms", **body, confirm=["http://nas.example:8080"]).status_code == 201
    assert Connection.named("micropub").facts["endpoint"] == "http://nas.example:8080/micropub"


def test_plain_http_that_was_entered_beside_another_address_stays_allowed(api: Api, outside: Outside) -> None:
    signed_in = {"did": "did:plc:ann", "handle": "ann.example", "accessJwt": "x", "refreshJwt": "y"}
    outside.teach("POST", "http://pds.home:2583/xrpc/com.atproto.server.createSession", json=signed_in)
    settings = {"handle": "ann.example", "password": "abcd-efgh-ijkl", "url": "http://pds.home:2583"}
    assert api.post("/platforms", connector="bluesky", settings=settings).status_code == 201
    outside.requests.clear()
    assert api.post("/platforms/bluesky/verify").status_code == 200
    assert [seen.url for seen in outside.requests] == ["http://pds.home:2583/xrpc/com.atproto.server.createSession"]


def test_a_media_endpoint_on_another_server_is_confirmed_when_connecting(api: Api, outside: Outside) -> None:
    link = {"Link": '</micropub>; rel="micropub"', "Content-Type": "text/html"}
    outside.teach("GET", "https://me.example", headers=link)
    outside.teach("GET", "https://me.example/micropub", json={"media-endpoint": "https://media.example/in"})
    body = {"connector": "micropub", "settings": {"url": "https://me.example", "token": "tok-3141"}}
    answer = api.post("/platforms", **body)
    assert "https://media.example" in answer.json["errors"][0]["detail"]
    assert api.post("/platforms", **body, confirm=["https://media.example"]).status_code == 201


@pytest.mark.parametrize(
    ("connector", "secret", "read"),
    [
        ("mastodon", {"token": "tok-3141"}, "/api/v1/accounts/verify_credentials"),
        ("ghost", {"key": f"{'6' * 24}:{'a1' * 32}"}, "/ghost/api/admin/site/"),
        ("devto", {"api_key": "key-3141"}, "/api/users/me"),
    ],
)
def test_a_server_that_redirects_to_www_is_named_and_the_credentials_are_not_called_wrong(
    api: Api, outside: Outside, connector: str, secret: dict[str, str], read: str
) -> None:
    www = {"Location": f"https://www.own.example{read}"}
    outside.always(lambda seen: "//own.example" in seen.url, status=301, headers=www)
    outside.teach("GET", f"https://www.own.example{read}", status=401, json={})
    answer = api.post("/platforms", connector=connector, settings={"url": "https://own.example", **secret})
    assert faults(answer) == {"#/settings/url": "other_origin"}
    assert "https://www.own.example" in answer.json["errors"][0]["detail"]
    assert not [seen for seen in outside.requests if "www." in seen.url]


def test_an_invalid_address_in_a_link_is_an_error_of_the_server(api: Api, outside: Outside) -> None:
    link = {"Link": '<http://[x/>; rel="https://api.w.org/"'}
    outside.always(status=404, headers=link)
    assert "#/settings/url" in faults(api.post("/platforms", **WORDPRESS))


def test_the_page_shows_the_other_server_and_one_button_confirms_it(pages: Pages, outside: Outside) -> None:
    page = pages.post(f"{LIST}/new/wordpress", **FORM)
    assert page.status_code == 422
    words = page_text(page.text)
    assert f"leads to another one: {CMS} Send the application password there?" in words
    assert f'<button class="btn" name="confirm" value="{CMS}"' in page.text
    assert with_password(outside) == []
    assert pages.post(f"{LIST}/new/wordpress", **FORM, confirm=CMS).status_code == 303
    assert Connection.named("wp").facts["root"] == f"{CMS}/wp-json/"


def test_enter_in_a_field_does_not_confirm_the_server(pages: Pages) -> None:
    page = pages.post(f"{LIST}/new/wordpress", **FORM).text
    buttons = re.findall(r"<button[^>]*>", page[page.index('<form method="post" class="stack"') :])
    assert buttons[0] == "<button hidden>"  # the first button of a form is the one that Enter presses


def test_servers_that_were_confirmed_stay_so_while_another_field_is_corrected(pages: Pages) -> None:
    page = pages.post(f"{LIST}/new/wordpress", **{**FORM, "settings/password": "wrong"}, confirm=CMS)
    assert page.status_code == 422
    assert f'<input type="hidden" name="confirm" value="{CMS}">' in page.text
    assert 'name="confirm" value="' in page.text
    assert "leads to another one" not in page.text


def test_reconnecting_on_the_page_asks_as_well(
    pages: Pages, outside: Outside, move: Callable[[str], FakeWordPress]
) -> None:
    pages.post(f"{LIST}/new/wordpress", **FORM, confirm=CMS)
    move("https://new.example")
    form = {name: value for name, value in FORM.items() if name != "name"}
    page = pages.post(f"{LIST}/wp/reconnect", **form)
    assert "https://new.example Send the application password there?" in page_text(page.text)
    assert not [seen for seen in with_password(outside) if "new.example" in seen.url]
    assert pages.post(f"{LIST}/wp/reconnect", **form, confirm="https://new.example").status_code == 303
