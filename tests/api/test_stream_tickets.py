"""Tickets, which open the event stream in a browser without its API key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.api.key_calls import id_of
from tests.api_client import Api
from tests.clock import Time

STREAM = "/events/stream"


@pytest.fixture
def ticket(api: Api) -> dict[str, Any]:
    answer = api.post("/events/stream-tickets")
    assert answer.status_code == 201
    document: dict[str, Any] = answer.json
    return document


def test_a_ticket_opens_the_stream_of_its_key(api: Api, stranger: Api, ticket: dict[str, Any], time: Time) -> None:
    assert ticket["url"] == f"https://blog.example/api/v1{STREAM}?ticket={ticket['ticket']}"
    assert ticket["expiresAt"] == "2026-11-24T09:01:00.000Z"
    event = api.get("/events").json["data"]
    assert event == []
    api.post("/posts", title="Ink")
    first = api.get("/events").json["data"][0]["id"]
    api.post("/posts", title="Paper")
    answer = stranger.get(f"{STREAM}?ticket={ticket['ticket']}&after={first}")
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert answer.text.count("event: post.created") == 1


def test_a_ticket_expires_after_a_minute(stranger: Api, ticket: dict[str, Any], time: Time) -> None:
    time.passes(seconds=59)
    assert stranger.get(f"{STREAM}?ticket={ticket['ticket']}").status_code == 200
    time.passes(seconds=1)
    assert stranger.get(f"{STREAM}?ticket={ticket['ticket']}").status_code == 401


def test_a_ticket_ends_with_its_key(api: Api, stranger: Api, ticket: dict[str, Any]) -> None:
    api.delete(f"/keys/{id_of(api)}")
    assert stranger.get(f"{STREAM}?ticket={ticket['ticket']}").status_code == 401


@pytest.mark.parametrize("spoilt", ["", "x", "W10.x", "\u00e9"])
def test_an_altered_ticket_is_refused(stranger: Api, ticket: dict[str, Any], spoilt: str) -> None:
    assert stranger.get(f"{STREAM}?ticket={ticket['ticket'] + spoilt if spoilt == 'x' else spoilt}").status_code == 401


def test_a_ticket_opens_nothing_else(stranger: Api, ticket: dict[str, Any]) -> None:
    for path in ("/events", "/posts", "/me"):
        assert stranger.get(f"{path}?ticket={ticket['ticket']}").status_code == 401


def test_a_key_in_the_header_wins_over_a_ticket(
    client: Any, ticket: dict[str, Any], new_key: Callable[..., str]
) -> None:
    other = Api(client, new_key("posts:write"))
    assert other.get(f"{STREAM}?ticket={ticket['ticket']}").json["scope"] == "posts:read"
    assert other.post("/events/stream-tickets").status_code == 403
