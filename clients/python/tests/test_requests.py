"""How requests are encoded, and which are rejected before they are sent."""

from __future__ import annotations

import io
import json
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import httpx2
import pytest

from blogsvc_client import Client, ConfigurationError
from blogsvc_client._options import parse_base_url

REQUESTS: list[httpx2.Request] = []


@pytest.fixture
def client() -> Client:
    REQUESTS.clear()

    def respond(request: httpx2.Request) -> httpx2.Response:
        REQUESTS.append(request)
        return httpx2.Response(200, json={"data": [], "nextCursor": None})

    return Client("bsk_x", "https://blog.example.org", transport=httpx2.MockTransport(respond))


def test_omitted_fields_are_not_sent_and_none_is_null(client: Client) -> None:
    client.posts.update("post_1", scheduled_at=None, summary="é")
    assert REQUESTS[0].content.decode() == '{"scheduledAt":null,"summary":"é"}'


def test_times_are_sent_in_utc(client: Client) -> None:
    berlin = timezone(timedelta(hours=1))
    client.posts.create(title="Ink", scheduled_at=datetime(2030, 1, 1, 9, tzinfo=berlin))
    assert json.loads(REQUESTS[0].content)["scheduledAt"] == "2030-01-01T08:00:00Z"
    client.analytics.get(from_=date(2026, 1, 1), to=datetime(2026, 2, 1, tzinfo=timezone.utc), post_id=["a", "b"])
    assert REQUESTS[1].url.query.decode() == "from=2026-01-01&to=2026-02-01T00%3A00%3A00Z&postId=a&postId=b"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"scheduled_at": datetime(2030, 1, 1)}, "scheduledAt has no UTC offset"),  # noqa: DTZ001, tests exactly this
        ({"overrides": {"site": {"tags": [datetime(2030, 1, 1)]}}}, "overrides.site.tags.0"),  # noqa: DTZ001
        ({"content": "\ud800"}, "surrogates"),
        ({"tags": {1, 2}}, "set"),
        ({"overrides": {"site": {"options": {"weight": float("nan")}}}}, "JSON"),
        ({"idempotency_key": "line\nbreak"}, "idempotency_key"),
    ],
)
def test_values_that_cannot_be_encoded_are_rejected(client: Client, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        client.posts.create(title="Ink", **fields)
    assert REQUESTS == []


@pytest.mark.parametrize("id_", ["", ".", "..", None, "\ud800"])
def test_an_invalid_id_is_rejected(client: Client, id_: Any) -> None:
    with pytest.raises(ConfigurationError, match="not a valid id"):
        client.posts.get(id_)


def test_an_id_is_escaped_in_the_path(client: Client) -> None:
    client.posts.get("../keys?x#y é")
    assert REQUESTS[0].url.raw_path == b"/api/v1/posts/..%2Fkeys%3Fx%23y%20%C3%A9"


def test_files_are_uploaded_by_path_or_file_object(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "ink.png"
    path.write_bytes(b"image")
    client.media.upload(path, alt="Ink")
    client.media.upload(io.BytesIO(b"image"), filename='größe "1".png')
    with path.open("rb") as opened:
        client.media.upload(opened)
    bodies = [request.content for request in REQUESTS]
    assert b'name="alt"\r\n\r\nInk\r\n' in bodies[0]
    assert all(b"\r\n\r\nimage\r\n--" in body for body in bodies)
    assert 'filename="größe %221%22.png"'.encode() in bodies[1]
    assert b'filename="ink.png"' in bodies[2]
    with pytest.raises(ConfigurationError, match="filename"):
        client.media.upload(io.BytesIO(b"image"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://blog.example.org/", "https://blog.example.org"),
        ("https://blog.example.org/api/v1/", "https://blog.example.org"),
        ("https://example.org/blog/api/v1", "https://example.org/blog"),
        ("http://127.3.2.1:8080", "http://127.3.2.1:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_the_base_url_is_normalized(text: str, expected: str) -> None:
    assert parse_base_url(text, allow_http=False) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "blog.example.org",
        "ftp://blog.example.org",
        "https://",
        "https://me:secret@blog.example.org",
        "https://blog.example.org/?a=b",
        "http://blog.example.org",
        "http://127.0.0.1.example.org",
        "http://localhost.example.org",
        "https://blog.example.org:port",
    ],
)
def test_an_invalid_base_url_is_rejected(text: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        parse_base_url(text, allow_http=False)
    assert "secret" not in str(raised.value)


def test_key_and_url_default_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOGSVC_API_KEY", "bsk_x")
    monkeypatch.setenv("BLOGSVC_URL", "https://blog.example.org")
    assert repr(Client()) == "Client('https://blog.example.org')"
    monkeypatch.delenv("BLOGSVC_API_KEY")
    with pytest.raises(ConfigurationError, match="BLOGSVC_API_KEY"):
        Client()
