"""Well-known addresses, and what is asked of AI systems."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask import Flask
from flask.testing import FlaskClient

from blogsvc.errors import Invalid
from blogsvc.models import Post, transaction
from blogsvc.models.setting import describe_blog
from tests.clock import Time

Make = Callable[..., Post]
SECURITY = "/.well-known/security.txt"


def describe(**fields: str) -> None:
    with transaction():
        describe_blog(fields)


@pytest.mark.parametrize(
    ("contact", "shown"),
    [
        ("security@blog.example", "mailto:security@blog.example"),
        ("mailto:security@blog.example", "mailto:security@blog.example"),
        ("https://blog.example/report?a=1#b", "https://blog.example/report?a=1#b"),
    ],
)
def test_security_txt_names_the_contact(client: FlaskClient, time: Time, contact: str, shown: str) -> None:
    assert client.get(SECURITY).status_code == 404
    describe(security_contact=contact)
    answer = client.get(SECURITY)
    assert answer.content_type == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert (fields["Contact"], fields["Canonical"]) == (shown, f"https://blog.example{SECURITY}")
    expires = datetime.fromisoformat(fields["Expires"])
    assert expires.tzinfo == UTC
    assert timedelta(days=360) < expires - time.now < timedelta(days=365)
    time.passes(days=2)
    later = dict(line.split(": ", 1) for line in client.get(SECURITY).text.splitlines())
    assert datetime.fromisoformat(later["Expires"]) == expires + timedelta(days=2)
    describe(security_contact="")
    assert client.get(SECURITY).status_code == 404


@pytest.mark.parametrize(
    "contact", ["me", "http://a.example", "javascript:alert(1)", "a@b c", "a@b\nExpires: 1", "https://"]
)
def test_an_invalid_contact_is_refused(app: Flask, contact: str) -> None:
    with pytest.raises(Invalid) as error:
        describe(security_contact=contact)
    assert [fault.pointer for fault in error.value.faults] == ["#/security_contact"]


def test_password_managers_find_where_the_password_is_changed(client: FlaskClient) -> None:
    answer = client.get("/.well-known/change-password")
    assert (answer.status_code, answer.location) == (302, "/desk/settings/profile")


def test_what_is_asked_of_ai_systems_is_on_every_page(client: FlaskClient, a_post: Make) -> None:
    a_post(live=True, slug="words", tags=["a"])
    pages = ("/", "/words", "/tag/a", "/archive", "/feed.xml", "/robots.txt")
    for preference, usage in (
        ("unset", None),
        ("no-training", "train-ai=n"),
        ("no-ai-use", "train-ai=n, ai-use=n"),
        ("unset", None),
    ):
        describe(ai_preference=preference)
        for path in (*pages, *pages):  # the second time from the cache
            assert client.get(path).headers.get("Content-Usage") == usage
        rules = [line for line in client.get("/robots.txt").text.splitlines() if line.startswith("Content-Usage")]
        assert rules == ([f"Content-Usage: {usage}"] if usage else [])


def test_an_unknown_preference_is_refused(app: Flask) -> None:
    with pytest.raises(Invalid) as error:
        describe(ai_preference="never")
    assert [fault.pointer for fault in error.value.faults] == ["#/ai_preference"]
