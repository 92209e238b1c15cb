"""Limits of sign-in attempts: they bound guessing, and never block the browsers and passkeys of the user."""

from __future__ import annotations

import time as real_time
from collections.abc import Callable
from statistics import median
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from blogsvc import create_app
from blogsvc.config import Config
from blogsvc.context import Tools
from blogsvc.models import User
from tests.clock import Time
from tests.conftest import Visitor
from tests.tiers import exhaustive
from tests.web.authenticator import Authenticator
from tests.web.conftest import OVER_TLS, PASSWORD, REFERER, code
from tests.web.page_walk import Pages
from tests.web.test_passkeys import add, post

pytestmark = pytest.mark.settings(sign_ins_per_minute=3)
ANN, BEN = "ann@blog.example", "ben@blog.example"


def sign_in_from(browser: Pages, address: str, email: str = ANN, password: str = "a wrong guess") -> TestResponse:
    return send_from(browser, address, "/login", {"email": email, "password": password})


def send_from(browser: Pages, address: str, path: str, form: dict[str, str]) -> TestResponse:
    return browser.client.post(
        path,
        data=form,
        headers={"X-CSRFToken": browser.token()} | REFERER,
        environ_overrides={"REMOTE_ADDR": address} | OVER_TLS,
    )


@pytest.fixture
def known(app: Flask, owner: User, time: Time) -> Pages:
    """A browser in which the owner has signed in an hour ago, and out again."""
    browser = Pages(Visitor(app))
    assert sign_in_from(browser, "198.51.100.200", password=PASSWORD).status_code == 303
    assert browser.post("/logout").status_code == 303
    time.passes(hours=1)
    return browser


def guess_from_many_addresses(browser: Pages, email: str, attempts: int) -> None:
    for number in range(attempts):
        assert sign_in_from(browser, f"198.51.{100 + number // 250}.{number % 250}", email).status_code == 422


def test_all_processes_of_the_server_count_sign_ins_together(
    visitor: Pages, owner: User, tools: Tools, config: Config
) -> None:
    in_another_process = Pages(Visitor(create_app(tools=tools)))
    for number in range(config.sign_ins_per_minute):
        browser = in_another_process if number % 2 else visitor
        assert sign_in_from(browser, f"198.51.100.{number}").status_code == 422
    assert sign_in_from(in_another_process, "198.51.100.99").status_code == 429


@pytest.mark.parametrize("email", [ANN, "nobody@blog.example"])
def test_sign_ins_are_limited_per_account_whether_it_exists_or_not(
    visitor: Pages, owner: User, config: Config, email: str
) -> None:
    guess_from_many_addresses(visitor, email, config.sign_ins_per_minute)
    answer = sign_in_from(visitor, "198.51.100.99", email, PASSWORD)
    assert answer.status_code == 429
    assert 1 <= int(answer.headers["Retry-After"]) <= 60
    assert sign_in_from(visitor, "198.51.100.99", BEN).status_code == 422


def test_sign_ins_are_limited_per_account_in_any_spelling_of_its_email(
    visitor: Pages, owner: User, config: Config
) -> None:
    spellings = [ANN, "Ann@Blog.Example", " ANN@BLOG.EXAMPLE "]
    for number in range(config.sign_ins_per_minute):
        email = spellings[number % len(spellings)]
        assert sign_in_from(visitor, f"198.51.100.{number}", email).status_code == 422
    for email in spellings:
        assert sign_in_from(visitor, "198.51.100.99", email).status_code == 429


@pytest.mark.parametrize("addresses", [["198.51.100.7"], [f"2001:db8:0:1::{number}" for number in range(20)]])
def test_sign_ins_are_limited_per_network_for_any_account(
    visitor: Pages, owner: User, config: Config, addresses: list[str]
) -> None:
    for number in range(config.sign_ins_per_minute):
        address = addresses[number % len(addresses)]
        assert sign_in_from(visitor, address, f"{number}@blog.example").status_code == 422
    assert sign_in_from(visitor, addresses[-1], ANN, PASSWORD).status_code == 429
    assert sign_in_from(visitor, "198.51.100.8", ANN, PASSWORD).status_code == 303


@exhaustive
@pytest.mark.settings(sign_ins_per_minute=1)
def test_the_wait_grows_from_a_minute_to_an_hour_and_a_day(visitor: Pages, owner: User, time: Time) -> None:
    waits = []
    for _ in range(60):
        answer = sign_in_from(visitor, "198.51.100.7")
        if answer.status_code == 429:
            waits.append(int(answer.headers["Retry-After"]))
            time.passes(seconds=waits[-1])
    assert waits[:4] == [60, 60, 60, 60]
    assert 1800 < waits[4] <= 3600, "after four failures in an hour"
    assert max(waits) > 12 * 3600


@pytest.mark.settings(sign_ins_per_minute=1)
def test_a_successful_sign_in_does_not_count_as_a_failure(app: Flask, owner: User, time: Time) -> None:
    for _ in range(6):
        assert sign_in_from(Pages(Visitor(app)), "198.51.100.7", password=PASSWORD).status_code == 303
        time.passes(minutes=1)


def test_attempts_from_many_addresses_do_not_block_a_known_browser(
    visitor: Pages, known: Pages, config: Config, app: Flask
) -> None:
    guess_from_many_addresses(visitor, ANN, config.sign_ins_per_minute)
    assert sign_in_from(visitor, "198.51.100.99", password=PASSWORD).status_code == 429
    assert sign_in_from(known, "203.0.113.1", password=PASSWORD).status_code == 303


def test_attempts_from_the_same_network_do_not_block_a_known_browser(
    visitor: Pages, known: Pages, config: Config
) -> None:
    for _ in range(config.sign_ins_per_minute + 1):
        refused = sign_in_from(visitor, "203.0.113.1")
    assert refused.status_code == 429
    assert sign_in_from(known, "203.0.113.1", password=PASSWORD).status_code == 303


def test_a_known_browser_has_a_limit_of_its_own(known: Pages, visitor: Pages, config: Config) -> None:
    for number in range(config.sign_ins_per_minute):
        assert sign_in_from(known, f"203.0.113.{number}").status_code == 422
    assert sign_in_from(known, "203.0.113.99", password=PASSWORD).status_code == 429
    assert sign_in_from(visitor, "203.0.113.99", password=PASSWORD).status_code == 303, "which others don't share"


def test_a_browser_is_known_for_one_account_only(
    known: Pages, visitor: Pages, somebody: Callable[..., User], config: Config
) -> None:
    somebody("author", "Ben")
    guess_from_many_addresses(visitor, BEN, config.sign_ins_per_minute)
    assert sign_in_from(known, "203.0.113.1", BEN, PASSWORD).status_code == 429


@pytest.mark.parametrize(
    "change",
    [
        lambda value: value[:-9] + ("A" if value[-9] != "A" else "B") + value[-8:],
        lambda value: "x" + value[1:],
        lambda _: "é",
    ],
)
def test_a_forged_cookie_makes_no_browser_known(
    known: Pages, visitor: Pages, config: Config, change: Callable[[str], str]
) -> None:
    cookie = known.client.get_cookie("__Host-blogsvc-known")
    assert cookie is not None
    known.client.set_cookie("__Host-blogsvc-known", change(cookie.value), secure=True)
    guess_from_many_addresses(visitor, ANN, config.sign_ins_per_minute)
    assert sign_in_from(known, "203.0.113.1", password=PASSWORD).status_code == 429


def test_a_browser_is_forgotten_a_year_after_the_last_sign_in(
    known: Pages, visitor: Pages, config: Config, time: Time
) -> None:
    time.passes(days=366)
    guess_from_many_addresses(visitor, ANN, config.sign_ins_per_minute)
    assert sign_in_from(known, "203.0.113.1", password=PASSWORD).status_code == 429


def test_the_cookie_of_a_known_browser_gives_no_access(known: Pages) -> None:
    assert known.get("/desk").headers["Location"] == "/login?next=/desk"


def test_a_correct_password_without_the_code_makes_no_browser_known(visitor: Pages, secret: str, time: Time) -> None:
    assert sign_in_from(visitor, "203.0.113.1", password=PASSWORD).headers["Location"] == "/login/code"
    assert visitor.client.get_cookie("__Host-blogsvc-known") is None
    assert visitor.post("/login/code", code=code(secret, time, 1)).status_code == 303
    assert visitor.client.get_cookie("__Host-blogsvc-known") is not None


def test_a_correct_passkey_is_never_blocked(pages: Pages, visitor: Pages, config: Config) -> None:
    device = Authenticator()
    assert add(pages, device).status_code == 200
    guess_from_many_addresses(visitor, ANN, config.sign_ins_per_minute)
    for _ in range(config.sign_ins_per_minute):
        assert show_passkey(visitor, Authenticator(handle=device.handle)).status_code == 422
    assert show_passkey(visitor, Authenticator(handle=device.handle)).status_code == 429
    assert show_passkey(visitor, device).status_code == 200


def show_passkey(browser: Pages, device: Authenticator) -> TestResponse:
    options: Any = post(browser, "/login/passkey").json
    return post(browser, "/login/passkey/answer", device.get(options))


def test_code_attempts_are_limited_per_minute(visitor: Pages, secret: str, config: Config) -> None:
    sign_in_from(visitor, "198.51.100.99", password=PASSWORD)
    answers = [guess_code(visitor, number).status_code for number in range(config.sign_ins_per_minute + 1)]
    assert answers == [422] * config.sign_ins_per_minute + [429]


def guess_code(browser: Pages, number: int, path: str = "/login/code") -> TestResponse:
    return send_from(browser, f"198.51.100.{number}", path, {"code": "000000"})


@pytest.mark.settings(sign_ins_per_minute=100)
def test_an_hour_allows_fifteen_wrong_codes_from_all_unknown_browsers_together(
    app: Flask, secret: str, time: Time
) -> None:
    answers = []
    for number in range(4):
        browser = Pages(Visitor(app))
        sign_in_from(browser, f"198.51.100.{number}", password=PASSWORD)
        answers += [guess_code(browser, number) for _ in range(5)]
        time.passes(minutes=5)
    assert [answer.status_code for answer in answers] == [422] * 15 + [429] * 5
    assert int(answers[-1].headers["Retry-After"]) > 60


@pytest.mark.settings(sign_ins_per_minute=100)
def test_wrong_codes_of_others_do_not_block_a_known_browser(app: Flask, known: Pages, secret: str, time: Time) -> None:
    thief = Pages(Visitor(app))
    sign_in_from(thief, "198.51.100.1", password=PASSWORD)
    answers = [guess_code(thief, 1).status_code for _ in range(16)]
    assert answers == [422] * 15 + [429]
    sign_in_from(known, "203.0.113.1", password=PASSWORD)
    answer = send_from(known, "203.0.113.1", "/login/code", {"code": code(secret, time, 1)})
    assert (answer.status_code, answer.headers["Location"]) == (303, "/desk")


@pytest.mark.settings(sign_ins_per_minute=1000)
def test_a_refusal_takes_as_long_for_an_unknown_account(visitor: Pages, owner: User) -> None:
    """CPU time of this process, so that other work on the machine does not count."""

    def cost(email: str) -> float:
        began = real_time.process_time()
        assert sign_in_from(visitor, "198.51.100.7", email).status_code == 422
        return real_time.process_time() - began

    times = [(cost(ANN), cost("nobody@blog.example")) for _ in range(7)]
    existing, unknown = (median(column) for column in zip(*times, strict=True))
    assert 0.5 < unknown / existing < 2
