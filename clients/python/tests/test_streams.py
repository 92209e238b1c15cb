"""Parsing of event streams, and reconnecting."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx2
import pytest

from blogsvc_client import AuthenticationError, Client
from blogsvc_client._sse import ServerSentEvent, SSEParser

TEXT = (
    'retry: 5\n:\n\nid: 1\nevent: a\ndata: {"x":"\u2028é"}\n\nid: 2\rdata:one\rdata: two\r\rid: 3\r\ndata: 3\r\n\r\n'
).encode()
EVENTS = [ServerSentEvent("1", '{"x":"\u2028é"}'), ServerSentEvent("2", "one\ntwo"), ServerSentEvent("3", "3")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_events_are_parsed_from_chunks_of_any_size(size: int) -> None:
    parser = SSEParser()
    chunks = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    assert [event for chunk in [*chunks, b"data"] for event in parser.feed(chunk) if event.data] == EVENTS


class Chunks(httpx2.SyncByteStream):
    """A stream whose connection drops after its last chunk."""

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        yield from self.chunks
        raise httpx2.ReadError("connection lost")


def event(number: int) -> bytes:
    return f"id: evt_{number}\ndata: {json.dumps({'id': f'evt_{number}', 'type': 'post.created'})}\n\n".encode()


def test_a_stream_reconnects_after_the_last_event(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    requests: list[str | None] = []
    streams = [
        Chunks(b":\n\n", event(1), event(2)[:20]),
        Chunks(event(2), event(3)),
        Chunks(b":\n\n"),
        Chunks(event(4)),
    ]

    def respond(request: httpx2.Request) -> httpx2.Response:
        requests.append(request.headers.get("last-event-id"))
        if len(requests) == 2:
            raise httpx2.ConnectError("no route")
        return httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=streams.pop(0))

    client = Client("bsk_x", "http://localhost", max_retries=0, transport=httpx2.MockTransport(respond))
    with client.events.stream(after="evt_0") as stream:
        assert [next(stream).id for _ in range(4)] == ["evt_1", "evt_2", "evt_3", "evt_4"]
    assert requests == [None, "evt_1", "evt_1", "evt_3", "evt_3"]
    # The backoff starts over each time data was received.
    assert [(maximum / 2 <= pause <= maximum) for pause, maximum in zip(pauses, (0.5, 1, 0.5, 0.5))] == [True] * 4


def test_an_error_that_a_retry_cannot_fix_ends_the_stream() -> None:
    problem = httpx2.Response(401, json={"type": "/problems/unauthorized", "detail": "Unknown API key."})
    client = Client("bsk_x", "http://localhost", transport=httpx2.MockTransport(lambda _request: problem))
    with pytest.raises(AuthenticationError):
        next(client.events.stream())
