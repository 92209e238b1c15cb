"""Streams, however they are cut and wherever they break off."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx2
import pytest

from blogsvc_client import AuthenticationError, Client
from blogsvc_client._listening import Message, MessageReader

TEXT = (
    'retry: 5\n:\n\nid: 1\nevent: a\ndata: {"x":"\u2028é"}\n\nid: 2\rdata:one\rdata: two\r\rid: 3\r\ndata: 3\r\n\r\n'
).encode()
MESSAGES = [Message("1", '{"x":"\u2028é"}'), Message("2", "one\ntwo"), Message("3", "3")]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_messages_are_the_same_however_they_are_cut(size: int) -> None:
    reader = MessageReader()
    chunks = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    assert [message for chunk in [*chunks, b"data"] for message in reader.feed(chunk) if message.data] == MESSAGES


class Chunks(httpx2.SyncByteStream):
    """A stream that breaks off after its last chunk."""

    def __init__(self, *chunks: bytes) -> None:
        self.chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        yield from self.chunks
        raise httpx2.ReadError("broken off")


def told(number: int) -> bytes:
    return f"id: evt_{number}\ndata: {json.dumps({'id': f'evt_{number}', 'type': 'post.created'})}\n\n".encode()


def test_it_comes_back_and_misses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    asked: list[str | None] = []
    streams = [Chunks(b":\n\n", told(1), told(2)[:20]), Chunks(told(2), told(3)), Chunks(b":\n\n"), Chunks(told(4))]

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.headers.get("last-event-id"))
        if len(asked) == 2:
            raise httpx2.ConnectError("no route")
        return httpx2.Response(200, headers={"Content-Type": "text/event-stream"}, stream=streams.pop(0))

    client = Client("bsk_x", "http://localhost", max_retries=0, transport=httpx2.MockTransport(answer))
    with client.events.stream(after="evt_0") as stream:
        assert [next(stream).id for _ in range(4)] == ["evt_1", "evt_2", "evt_3", "evt_4"]
    assert asked == [None, "evt_1", "evt_1", "evt_3", "evt_3"]
    # Each time that something was heard, the waiting begins anew.
    assert [(longest / 2 <= pause <= longest) for pause, longest in zip(pauses, (0.5, 1, 0.5, 0.5))] == [True] * 4


def test_what_no_retry_mends_ends_it() -> None:
    problem = httpx2.Response(401, json={"type": "/problems/unauthorized", "detail": "Who are you?"})
    client = Client("bsk_x", "http://localhost", transport=httpx2.MockTransport(lambda _request: problem))
    with pytest.raises(AuthenticationError):
        next(client.events.stream())
