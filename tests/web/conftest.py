"""Shared fixtures of the page tests: users and their browsers."""

from __future__ import annotations

from collections.abc import Callable

import pyotp
import pytest
from flask import Flask

from blogsvc.auth import accounts, totp
from blogsvc.context import Tools
from blogsvc.lib import passwords
from blogsvc.models import User, transaction
from blogsvc.models.user import Role
from tests.clock import Time
from tests.conftest import Visitor
from tests.web.page_walk import Pages

PASSWORD = "a ferry in the fog"
# What a browser on another machine needs: plain HTTP is only for this one.
OVER_TLS, REFERER = {"wsgi.url_scheme": "https"}, {"Referer": "https://localhost/login"}


def code(secret: str, time: Time, steps: int = 0) -> str:
    """Return the two-factor code of now, or of another step of 30 seconds."""
    generator = pyotp.TOTP(secret)
    return generator.generate_otp(generator.timecode(time()) + steps)


@pytest.fixture
def secret(owner: User, tools: Tools, time: Time) -> str:
    """Enable two-factor codes for the owner and return the secret. The current code is already used."""
    session, _ = accounts.begin_session(owner, "", "", tools.now())
    totp.begin(session.user, tools.vault)
    told = totp.enrollment(session.user, tools.vault)
    assert told is not None
    totp.confirm(session, code(told.secret, time), tools.vault, tools.now())
    accounts.sign_out_everywhere(session.user)
    return told.secret


@pytest.fixture
def somebody(app: Flask, tools: Tools) -> Callable[..., User]:
    """Return a function that creates a user: `somebody("editor", name="Ben")`, in Berlin, with PASSWORD."""

    def make(role: Role = "owner", name: str = "Ann", time_zone: str = "Europe/Berlin") -> User:
        email = f"{name.lower()}@blog.example"
        with transaction():
            return User.of(email, name, role, passwords.hashed(PASSWORD), time_zone, tools.now())

    return make


@pytest.fixture
def browser_of(app: Flask, tools: Tools) -> Callable[[User], Pages]:
    """Return a function that opens a browser in which this user is signed in."""

    def make(user: User) -> Pages:
        pages = Pages(Visitor(app))
        session, token = accounts.begin_session(user, "a test", "127.0.0.1", tools.now())
        with transaction():
            session.is_two_factor = session.user.asks_for_code
        with pages.client.session_transaction() as cookie:
            cookie["token"] = token
        return pages

    return make


@pytest.fixture
def owner(somebody: Callable[..., User]) -> User:
    return somebody("owner")


@pytest.fixture
def pages(owner: User, browser_of: Callable[[User], Pages]) -> Pages:
    """The browser of the owner, signed in."""
    return browser_of(owner)


@pytest.fixture
def visitor(app: Flask) -> Pages:
    """A browser in which nobody is signed in."""
    return Pages(Visitor(app))
