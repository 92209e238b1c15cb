"""Shared fixtures of the page tests: people and their browsers."""

from __future__ import annotations

from collections.abc import Callable

import pyotp
import pytest
from flask import Flask

from blogsvc.auth import accounts, totp
from blogsvc.context import Tools
from blogsvc.lib import passwords
from blogsvc.models import Person, transaction
from blogsvc.models.person import Role
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
def secret(owner: Person, tools: Tools, time: Time) -> str:
    """Enable two-factor codes for the owner and return the secret. The current code is already used."""
    session, _ = accounts.begin_session(owner, "", "", tools.now())
    totp.begin(session.person, tools.vault)
    told = totp.enrollment(session.person, tools.vault)
    assert told is not None
    totp.confirm(session, code(told.secret, time), tools.vault, tools.now())
    accounts.sign_out_everywhere(session.person)
    return told.secret


@pytest.fixture
def somebody(app: Flask, tools: Tools) -> Callable[..., Person]:
    """Return a function that creates a person: `somebody("editor", name="Ben")`, in Berlin, with PASSWORD."""

    def make(role: Role = "owner", name: str = "Ann", time_zone: str = "Europe/Berlin") -> Person:
        email = f"{name.lower()}@blog.example"
        with transaction():
            return Person.of(email, name, role, passwords.hashed(PASSWORD), time_zone, tools.now())

    return make


@pytest.fixture
def browser_of(app: Flask, tools: Tools) -> Callable[[Person], Pages]:
    """Return a function that opens a browser in which this person is signed in."""

    def make(person: Person) -> Pages:
        pages = Pages(Visitor(app))
        _, token = accounts.begin_session(person, "a test", "127.0.0.1", tools.now())
        with pages.client.session_transaction() as cookie:
            cookie["token"] = token
        return pages

    return make


@pytest.fixture
def owner(somebody: Callable[..., Person]) -> Person:
    return somebody("owner")


@pytest.fixture
def pages(owner: Person, browser_of: Callable[[Person], Pages]) -> Pages:
    """The browser of the owner, signed in."""
    return browser_of(owner)


@pytest.fixture
def visitor(app: Flask) -> Pages:
    """A browser in which nobody is signed in."""
    return Pages(Visitor(app))
