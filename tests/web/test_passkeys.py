"""Passkeys: added in the profile, and used to sign in without a password."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from fido2.utils import websafe_encode
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc import create_app
from blogsvc.auth.passkeys import RelyingParty
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.http.body_limits import MAX_ANONYMOUS
from blogsvc.models import Passkey, User, db
from tests.clock import Time
from tests.conftest import Visitor
from tests.web.authenticator import PRESENT, Authenticator
from tests.web.page_walk import Pages

PROFILE = "/desk/settings/profile"
DEEP_JSON, DEEP_CBOR = websafe_encode(b"[" * 100_000), websafe_encode(b"\x81" * 100_000)


def post(browser: Pages, path: str, document: Any = None) -> TestResponse:
    return browser.client.post(path, json=document or {}, headers={"X-CSRFToken": browser.token()})


def add(browser: Pages, passkey_device: Authenticator, name: str = "Phone") -> TestResponse:
    options = post(browser, f"{PROFILE}/passkeys/new").json
    return browser.client.post(
        f"{PROFILE}/passkeys",
        query_string={"name": name},
        json=passkey_device.create(options),
        headers={"X-CSRFToken": browser.token()},
    )


def show(browser: Pages, passkey_device: Authenticator, path: str = "") -> TestResponse:
    options = post(browser, "/login/passkey").json
    return post(browser, f"/login/passkey/answer{path}", passkey_device.get(options))


@pytest.fixture
def passkey_device(pages: Pages) -> Authenticator:
    """A device with a passkey of the owner."""
    passkey_device = Authenticator()
    answer = add(pages, passkey_device)
    assert answer.status_code == 200, answer.text
    return passkey_device


def test_a_passkey_signs_in_without_password_and_two_factor_code(visitor: Pages, passkey_device: Authenticator) -> None:
    answer = show(visitor, passkey_device, "?next=/desk/calendar")
    assert answer.json == {"go": "/desk/calendar"}
    assert "ann@blog.example" in visitor.get("/desk").text


def test_passkey_sign_in_asks_for_no_account_name(visitor: Pages, passkey_device: Authenticator) -> None:
    options = post(visitor, "/login/passkey").json
    assert (options["rpId"], options["userVerification"]) == ("blog.example", "required")
    assert not options.get("allowCredentials")


def test_a_passkey_that_was_already_added_is_rejected(pages: Pages, passkey_device: Authenticator) -> None:
    options = post(pages, f"{PROFILE}/passkeys/new").json
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert [held["id"] for held in options["excludeCredentials"]] == [passkey_device.create(options)["id"]]
    assert "already added this passkey" in add(pages, passkey_device).json["detail"]


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://evil.example"},
        {"origin": "https://sub.blog.example"},
        {"origin": "http://blog.example"},
        {"host": "evil.example"},
        {"flags": PRESENT},
        {"id": b"another credential altogether!!!"},
        {"key": Authenticator().key},
        {"handle": "cGVyX3NvbWVib2R5X2Vsc2U"},
    ],
    ids=lambda lie: next(iter(lie)),
)
def test_an_invalid_passkey_response_is_rejected_with_one_message(
    visitor: Pages, passkey_device: Authenticator, lie: dict[str, Any]
) -> None:
    answer = show(visitor, replace(passkey_device, **lie))
    assert answer.status_code == 422
    assert answer.json["detail"].startswith("Unknown passkey.")
    assert visitor.get("/desk").status_code == 303


@pytest.mark.parametrize("lie", [{"origin": "https://evil.example"}, {"host": "evil.example"}, {"flags": PRESENT}])
def test_an_invalid_new_passkey_is_rejected(pages: Pages, lie: dict[str, Any]) -> None:
    assert add(pages, Authenticator(**lie)).status_code == 422
    assert db.session.query(Passkey).count() == 0


def test_a_passkey_response_can_be_used_once_whichever_process_gets_it(
    visitor: Pages, passkey_device: Authenticator, tools: Tools
) -> None:
    options = post(visitor, "/login/passkey").json
    with visitor.client.session_transaction() as cookie:
        overheard = dict(cookie)
    answer = passkey_device.get(options)
    assert post(visitor, "/login/passkey/answer", answer).status_code == 200
    thief = Pages(Visitor(create_app(tools=tools)))
    thief.token()
    with thief.client.session_transaction() as cookie:
        cookie.update(overheard)
    refused = thief.client.post("/login/passkey/answer", json=answer, headers={"X-CSRFToken": thief.token()})
    assert refused.status_code == 422
    assert "expired" in refused.json["detail"]


def test_a_passkey_whose_counter_goes_backwards_is_rejected_as_a_copy(
    visitor: Pages, passkey_device: Authenticator, app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    copy = replace(passkey_device)
    assert show(visitor, passkey_device).status_code == 200
    assert show(Pages(Visitor(app)), copy).status_code == 422
    assert "may have been copied" in caplog.text


def test_a_challenge_lasts_five_minutes(visitor: Pages, passkey_device: Authenticator, time: Time) -> None:
    for minutes, status in ((4, 200), (6, 422)):
        options = post(visitor, "/login/passkey").json
        time.passes(minutes=minutes)
        answer = post(visitor, "/login/passkey/answer", passkey_device.get(options))
        assert answer.status_code == status
    assert "expired" in answer.json["detail"]


def test_an_overheard_response_is_useless_after_a_restart_and_later(
    visitor: Pages, passkey_device: Authenticator, tools: Tools, time: Time
) -> None:
    options = post(visitor, "/login/passkey").json
    with visitor.client.session_transaction() as cookie:
        overheard = dict(cookie)
    answer = passkey_device.get(options)
    assert post(visitor, "/login/passkey/answer", answer).status_code == 200
    for minutes in (0, 6, 61, 24 * 60):
        time.passes(minutes=minutes)
        thief = Pages(Visitor(create_app(tools=replace(tools))))
        thief.token()
        with thief.client.session_transaction() as cookie:
            cookie.update(overheard)
        assert post(thief, "/login/passkey/answer", answer).status_code == 422


def test_a_removed_passkey_is_not_added_again_by_the_same_response(pages: Pages) -> None:
    options = post(pages, f"{PROFILE}/passkeys/new").json
    with pages.client.session_transaction() as cookie:
        overheard = dict(cookie)
    made = Authenticator().create(options)
    assert post(pages, f"{PROFILE}/passkeys?name=Phone", made).status_code == 200
    (passkey,) = db.session.query(Passkey)
    assert pages.post(f"{PROFILE}/passkeys/{passkey.id}/remove").status_code == 303
    with pages.client.session_transaction() as cookie:
        cookie.update(overheard)
    assert post(pages, f"{PROFILE}/passkeys?name=Again", made).status_code == 422
    assert "Again" not in pages.get(PROFILE).text


def answered(response: Any) -> dict[str, Any]:
    return {"id": "AA", "rawId": "AA", "type": "public-key", "response": response}


@pytest.mark.parametrize(
    "rubbish",
    [
        [],
        "x",
        {"id": 1},
        answered({}),
        answered(None),
        answered({"clientDataJSON": "", "authenticatorData": "", "signature": "", "attestationObject": ""}),
        answered({"clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "é", "attestationObject": "oA"}),
        answered(
            {"clientDataJSON": DEEP_JSON, "authenticatorData": "AAAA", "signature": "AA", "attestationObject": "oA"}
        ),
        answered(
            {"clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "AA", "attestationObject": DEEP_CBOR}
        ),
        answered({"clientDataJSON": "W10", "authenticatorData": "AAAA", "signature": "AA", "attestationObject": "gQE"}),
    ],
)
def test_malformed_passkey_responses_are_rejected(pages: Pages, visitor: Pages, rubbish: Any) -> None:
    for browser, ask, answer in (
        (visitor, "/login/passkey", "/login/passkey/answer"),
        (pages, f"{PROFILE}/passkeys/new", f"{PROFILE}/passkeys?name=x"),
    ):
        post(browser, ask)
        is_long = browser is visitor and len(json.dumps(rubbish)) > MAX_ANONYMOUS
        assert post(browser, answer, rubbish).status_code == (413 if is_long else 422)
        assert post(browser, answer, rubbish).status_code == (413 if is_long else 422), "also without a challenge"


def test_passkeys_can_be_renamed_and_removed_by_their_owner_only(
    pages: Pages,
    visitor: Pages,
    passkey_device: Authenticator,
    somebody: Callable[..., User],
    browser_of: Callable[[User], Pages],
    app: Flask,
) -> None:
    (passkey,) = db.session.query(Passkey)
    path = f"{PROFILE}/passkeys/{passkey.id}"
    eve = browser_of(somebody("owner", "Eve"))
    assert eve.post(path, name="Mine").status_code == 404
    assert eve.post(f"{path}/remove").status_code == 404
    assert pages.post(path, name="").status_code == 422
    assert pages.post(path, name="Old phone").status_code == 303
    assert "Old phone" in pages.get(PROFILE).text
    assert pages.post(f"{path}/remove").status_code == 303
    assert show(visitor, passkey_device).status_code == 422


def test_a_passkey_needs_a_name_and_a_user_has_at_most_twenty(pages: Pages) -> None:
    assert add(pages, Authenticator(), name=" ").status_code == 422
    for number in range(20):
        assert add(pages, Authenticator(), name=str(number)).status_code == 200
    assert "Remove one first" in post(pages, f"{PROFILE}/passkeys/new").json["detail"]


@pytest.mark.parametrize(
    ("address", "host", "origin"),
    [
        ("https://Blog.Example/", "blog.example", "https://blog.example"),
        ("https://blog.example:8443", "blog.example", "https://blog.example:8443"),
        ("https://blog.example:443", "blog.example", "https://blog.example"),
        ("", "localhost", "http://localhost:8000"),
        ("http://localhost:5000", "localhost", "http://localhost:5000"),
        ("http://blog.example", None, None),
        ("https://192.0.2.1", None, None),
        ("http://192.168.1.20:8000", None, None),
    ],
)
def test_passkeys_are_bound_to_the_host_of_the_blog(address: str, host: str | None, origin: str | None) -> None:
    site = RelyingParty.of(Config(base_url=address))
    assert (site and site.host, site and site.origin) == (host, origin)
