"""Tickets, which open the event stream in a browser without its API key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask.testing import FlaskClient
from sqlalchemy import func, select

from blogsvc.models import StreamTicket, db
from tests.api.key_calls import id_of
from tests.api_client import Api
from tests.clock import Time

STREAM = "/events/stream"


@pytest.fixture
def ticket(api: Api) -> dict[str, Any]:
    answer = api.post("/events/tickets")
    assert answer.status_code == 201
    document: dict[str, Any] = answer.json
    return document


def test_a_ticket_opens_the_stream_of_its_key(api: Api, stranger: Api, ticket: dict[str, Any], time: Time) -> None:
    assert ticket["url"] == f"https://blog.example/api/v1{STREAM}?ticket={ticket['ticket']}"
    event = api.get("/events").json["data"]
    assert event == []
    api.post("/posts", title="Ink")
    first = api.get("/events").json["data"][0]["id"]
    api.post("/posts", title="Paper")
    answer = stranger.get(f"{STREAM}?ticket={ticket['ticket']}&after={first}")
    assert (answer.status_code, answer.mimetype) == (200, "text/event-stream")
    assert answer.text.count("event: post.created") == 1


def test_a_stream_with_a_ticket_begins_where_the_ticket_was_created(api: Api, client: FlaskClient) -> None:
    api.post("/posts", title="Before")
    url = api.post("/events/tickets").json["url"]
    missed = api.post("/posts", title="Between").json["id"]
    stream = client.get(url.removeprefix("https://blog.example"), base_url="https://blog.example").text
    assert stream.count("event: post.created") == 1
    assert missed in stream


def opened(client: FlaskClient, ticket: dict[str, Any], address: str = "203.0.113.7") -> int:
    """Return the status of the stream for a client at an address, which sends no key."""
    request = {"base_url": "https://blog.example", "environ_base": {"REMOTE_ADDR": address}}
    return client.get(f"/api/v1{STREAM}?ticket={ticket['ticket']}", **request).status_code  # type: ignore[arg-type]


def test_a_ticket_has_to_be_opened_within_a_minute(client: FlaskClient, ticket: dict[str, Any], time: Time) -> None:
    assert ticket["opensUntil"] == "2026-11-24T09:01:00.000Z"
    time.passes(minutes=1)
    assert opened(client, ticket) == 401


def test_its_client_can_reconnect_with_a_ticket_for_an_hour(
    client: FlaskClient, ticket: dict[str, Any], time: Time
) -> None:
    assert ticket["expiresAt"] == "2026-11-24T10:00:00.000Z"
    assert opened(client, ticket) == 200
    time.passes(minutes=59)
    assert opened(client, ticket) == 200
    time.passes(minutes=1)
    assert opened(client, ticket) == 401


def test_nobody_else_can_use_a_ticket_that_was_opened(client: FlaskClient, ticket: dict[str, Any]) -> None:
    assert opened(client, ticket, "2001:db8:1:2::1") == 200
    assert opened(client, ticket, "203.0.113.7") == 401
    assert opened(client, ticket, "2001:db8:1:2::2") == 200, "a client changes its address within its network"


def test_tickets_that_have_expired_are_deleted(api: Api, ticket: dict[str, Any], time: Time) -> None:
    time.passes(hours=1)
    api.post("/events/tickets")
    assert db.session.scalar(select(func.count()).select_from(StreamTicket)) == 1


def test_a_ticket_is_not_written_to_the_log(
    client: FlaskClient, ticket: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    assert opened(client, ticket) == 200
    assert STREAM in caplog.text
    assert ticket["ticket"] not in caplog.text


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
    assert other.post("/events/tickets").status_code == 403
