"""Who is asked for a server may enter a handle or the address of a profile."""

from __future__ import annotations

import pytest

from blogsvc.connections.verify import complete_settings
from blogsvc.connectors import connectors

FILLED = {"username": "ada", "password": "x", "community": "boats", "token": "x"}


def url_of(key: str, entered: str) -> str:
    kind = connectors()[key]
    names = {field.name for field in kind.fields}
    others = {name: value for name, value in FILLED.items() if name in names}
    return complete_settings({**others, "url": entered}, kind)[0]["url"]


@pytest.mark.parametrize("key", ["mastodon", "lemmy"])
@pytest.mark.parametrize(
    ("entered", "server"),
    [
        ("social.example", "https://social.example"),
        ("@ada@social.example", "https://social.example"),
        (" ada@social.example ", "https://social.example"),
        ("@ada@social.example:8443", "https://social.example:8443"),
        ("https://social.example/@ada", "https://social.example"),
        ("http://localhost:3000/@ada", "http://localhost:3000"),
        ("social.example/@ada@other.example", "https://social.example"),
        ("https://social.example/u/ada", "https://social.example"),
        ("https://social.example/users/ada/", "https://social.example"),
    ],
)
def test_the_server_is_taken_out_of_a_handle_or_a_profile(key: str, entered: str, server: str) -> None:
    assert url_of(key, entered) == server


@pytest.mark.parametrize("entered", ["https://ada@social.example", "https://social.example/blog", "@ada", "a@b/@c"])
def test_what_is_neither_stays_as_it_was_entered(entered: str) -> None:
    assert url_of("mastodon", entered) == entered


def test_the_address_of_a_site_keeps_its_path() -> None:
    assert url_of("wordpress", "https://blog.example/@ada") == "https://blog.example/@ada"
