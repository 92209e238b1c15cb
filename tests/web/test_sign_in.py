"""Sign-in: by password and two-factor code; every failure shows the same message."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import log2
from pathlib import Path
from unicodedata import normalize

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc.auth import accounts
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import Session, User, close_connections, db, transaction
from tests.clock import Time
from tests.conftest import Visitor
from tests.web.conftest import OVER_TLS, PASSWORD, REFERER, code
from tests.web.page_walk import Pages

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def sign_in(browser: Pages, email: str = "ann@blog.example", password: str = PASSWORD, path: str = "") -> TestResponse:
    return browser.post(f"/login{path}", email=email, password=password)


def without_token(text: str) -> str:
    return re.sub(r'[\w.-]{60,}|value="[^"]*"', "", text)


def test_every_failed_sign_in_shows_the_same_message(visitor: Pages, owner: User) -> None:
    wrong = sign_in(visitor, password="not the password")
    nobody = sign_in(visitor, email="nobody@blog.example")
    too_long = sign_in(visitor, password="x" * 10_000)
    assert wrong.status_code == nobody.status_code == too_long.status_code == 422
    assert accounts.BAD_CREDENTIALS in wrong.text
    assert without_token(wrong.text) == without_token(nobody.text) == without_token(too_long.text)


def test_an_email_address_is_case_insensitive(visitor: Pages, owner: User) -> None:
    assert sign_in(visitor, email=" Ann@Blog.Example ").status_code == 303


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_a_password_does_not_depend_on_how_the_keyboard_encodes_it(visitor: Pages, tools: Tools, form: str) -> None:
    password = "\uff23af\u00e9, \ufb01ve o'clock \u2460"  # a full-width letter, an accent, a ligature, a circled digit
    accounts.add_user("zoe@blog.example", "Zoe", password, "owner", "UTC", tools.now())
    assert sign_in(visitor, "zoe@blog.example", normalize(form, password)).status_code == 303


def test_signing_in_prevents_session_fixation(visitor: Pages, owner: User, somebody: Callable[..., User]) -> None:
    sign_in(visitor, somebody("author", "Eve").email)
    with visitor.client.session_transaction() as cookie:
        cookie["planted"] = "by Eve"
        before = dict(cookie)
    sign_in(visitor)
    with visitor.client.session_transaction() as cookie:
        assert "planted" not in cookie
        assert cookie["token"] != before["token"]
    assert [session.user.name for session in db.session.query(Session)] == ["Ann"], "Eve is signed out there"


def test_signing_out_invalidates_the_session(visitor: Pages, owner: User, app: Flask) -> None:
    sign_in(visitor)
    with visitor.client.session_transaction() as cookie:
        stolen = cookie["token"]
    visitor.post("/logout")
    thief = Pages(Visitor(app))
    with thief.client.session_transaction() as cookie:
        cookie["token"] = stolen
    assert thief.get("/desk").status_code == 303


def test_a_session_expires_after_a_month_without_use(pages: Pages, time: Time) -> None:
    time.passes(days=29)
    assert pages.get("/desk").status_code == 200
    time.passes(days=29)
    assert pages.get("/desk").status_code == 200
    time.passes(days=31)
    assert pages.get("/desk").status_code == 303


def test_a_session_ends_after_ninety_days_of_use(pages: Pages, time: Time) -> None:
    for _ in range(4):
        time.passes(days=22)
        assert pages.get("/desk").status_code == 200
    time.passes(days=2)
    assert pages.get("/desk").headers["Location"] == "/login?next=/desk"


def test_with_two_factor_codes_the_password_alone_does_not_sign_in(
    visitor: Pages, owner: User, secret: str, time: Time
) -> None:
    answer = sign_in(visitor, path="?next=/desk/calendar")
    assert answer.headers["Location"] == "/login/code?next=/desk/calendar"
    assert visitor.get("/desk").status_code == 303
    assert visitor.get("/desk/settings/profile").status_code == 303
    assert visitor.post("/login/code", code="000000").status_code == 422
    answer = visitor.post("/login/code?next=/desk/calendar", code=code(secret, time, 1))
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk/calendar")
    assert visitor.get("/desk").status_code == 200


@pytest.mark.parametrize(("drift", "status"), [(-2, 422), (-1, 303), (0, 303), (1, 303), (2, 422)])
def test_a_code_is_accepted_with_half_a_minute_of_clock_drift(
    visitor: Pages, secret: str, time: Time, drift: int, status: int
) -> None:
    time.passes(seconds=600)
    sign_in(visitor)
    assert visitor.post("/login/code", code=code(secret, time, drift)).status_code == status


def test_a_code_and_every_earlier_one_can_be_used_once(visitor: Pages, secret: str, time: Time, app: Flask) -> None:
    sign_in(visitor)
    seen = code(secret, time, 1)
    assert visitor.post("/login/code", code=f" {seen[:3]} {seen[3:]} ").status_code == 303
    other = Pages(Visitor(app))
    sign_in(other)
    assert other.post("/login/code", code=seen).status_code == 422
    assert other.post("/login/code", code=code(secret, time)).status_code == 422
    time.passes(seconds=60)
    assert other.post("/login/code", code=code(secret, time)).status_code == 303


def test_a_two_factor_code_must_be_entered_within_ten_minutes(visitor: Pages, secret: str, time: Time) -> None:
    sign_in(visitor)
    time.passes(seconds=601)
    answer = visitor.get("/login/code")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/login")


def test_a_changed_password_ends_pending_two_factor_sign_ins(
    visitor: Pages, secret: str, time: Time, owner: User
) -> None:
    sign_in(visitor)
    accounts.reset_password(User.get(owner.id), "another one altogether")
    assert visitor.get("/login/code").status_code == 303


def test_the_code_page_requires_the_password_step_first(visitor: Pages, owner: User) -> None:
    assert visitor.get("/login/code").headers["Location"] == "/login"
    assert visitor.post("/login/code", code="123456").headers["Location"] == "/login"


def test_the_sign_in_page_redirects_a_signed_in_user(pages: Pages) -> None:
    assert pages.get("/login?next=/desk/analytics").headers["Location"] == "/desk/analytics"


def test_a_session_stores_the_browser_and_its_ip_address(visitor: Pages, owner: User) -> None:
    token = visitor.token()
    visitor.client.post(
        "/login",
        data={"email": owner.email, "password": PASSWORD},
        headers={"X-CSRFToken": token, "User-Agent": FIREFOX} | REFERER,
        environ_overrides={"REMOTE_ADDR": "198.51.100.7"} | OVER_TLS,
    )
    (session,) = db.session.query(Session)
    assert (session.browser, session.address) == ("Firefox on Linux", "198.51.100.7")


@pytest.mark.sqlite("searches the database file")
def test_the_database_contains_no_usable_credentials(
    visitor: Pages, secret: str, time: Time, config: Config, owner: User
) -> None:
    sign_in(visitor)
    visitor.post("/login/code", code=code(secret, time, 1))
    with visitor.client.session_transaction() as cookie:
        token = cookie["token"]
    shown = visitor.post("/desk/settings/profile/codes/recovery").text
    recovery = re.findall(r"<li><code>([\w-]+)</code>", shown)
    assert len(recovery) == 10
    invited = visitor.post("/desk/settings/users/invitations", role="author", note="").text
    link = re.search(r"/login/invite/([\w-]+)", invited)
    assert link is not None
    close_connections()
    rows = b"".join(path.read_bytes() for path in Path(config.instance).glob("blogsvc.db*"))
    assert b"ann@blog.example" in rows, "or the search finds nothing at all"
    for entered in (PASSWORD, token, secret, link[1], *recovery, *(each.replace("-", "") for each in recovery)):
        assert entered.encode() not in rows


def test_a_recovery_code_works_once(
    browser_of: Callable[[User], Pages], visitor: Pages, owner: User, secret: str, app: Flask, time: Time
) -> None:
    shown = browser_of(owner).post("/desk/settings/profile/codes/recovery").text
    first = re.findall(r"<li><code>([\w-]+)</code>", shown)[0]
    assert len(first.replace("-", "")) * log2(31) >= 112, "bits, so that a fast hash of it is safe"
    sign_in(visitor)
    assert visitor.post("/login/code", code=first.upper().replace("-", " ")).status_code == 303
    assert "You have 9 recovery codes left" in visitor.get("/desk/settings/profile").text
    other = Pages(Visitor(app))
    sign_in(other)
    assert other.post("/login/code", code=first).status_code == 422


def test_an_undecryptable_two_factor_secret_does_not_bypass_the_code(
    visitor: Pages, owner: User, secret: str, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    with transaction():
        User.get(owner.id).totp_secret = b"sealed with a key that is lost"
    sign_in(visitor)
    assert visitor.post("/login/code", code=code(secret, time, 1)).status_code == 422
    assert "can't be decrypted" in caplog.text
