"""Server-sent events: the parser, and the loop that reconnects a stream. Performs no I/O."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

from ._errors import APIError
from ._options import Options
from ._request import Request
from ._retry_loop import RetryLoop

# Not str.splitlines, which also splits at U+2028, a character that JSON may contain.
LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True)
class ServerSentEvent:
    """An event of the stream. Without data, it only sets the last event id."""

    id: str
    data: str


class SSEParser:
    """Parses server-sent events from chunks of bytes of any size (HTML Living Standard, 9.2.6)."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that this chunk completes."""
        for line in self._lines(chunk):
            if line:
                self._parse_field(line)
            elif self._data or self._id:
                yield ServerSentEvent(self._id, "\n".join(self._data))
                self._data = []

    def _lines(self, chunk: bytes) -> Iterator[str]:
        text = self._rest + chunk
        start = 0
        for end in LINE_END.finditer(text):
            if end[0] == b"\r" and end.end() == len(text):
                break  # the next chunk may start with \n
            yield text[start : end.start()].decode(errors="replace")
            start = end.end()
        self._rest = text[start:]

    def _parse_field(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value


class ReconnectLoop:
    """A stream over all its connections. It is used like a RetryLoop and ends only with an error."""

    def __init__(self, options: Options, request: Request) -> None:
        self._request = request
        self._retry_loop = RetryLoop(options, request)
        self._has_received = False

    def next_attempt(self) -> httpx2.Request:
        """Return the HTTP request of the next connection."""
        self._has_received = False
        self._parser = SSEParser()
        return self._retry_loop.next_attempt()

    def on_response(self, response: httpx2.Response) -> float | None:
        """Return the seconds to wait, or None if the stream is open. Raises APIError if a retry can't help."""
        delay = self._retry_loop.on_response(response)
        content_type = response.headers.get("content-type", "no content type")
        if delay is None and not content_type.startswith("text/event-stream"):
            detail = f"The response is not an event stream: {content_type}."
            raise APIError(response.status_code, response.headers, {"detail": detail})
        return delay

    def on_chunk(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """Yield the events that this chunk completes."""
        self._has_received = True
        for event in self._parser.feed(chunk):
            self._request = self._request.with_last_event_id(event.id or self._request.last_event_id or "")
            if event.data:
                yield _decode(event.data)

    def on_error(self, error: Exception) -> float:
        """Return the seconds to wait before reconnecting. Raises APIConnectionError if no connection ever opened."""
        if self._has_received:
            # From now on the number of retries is unlimited, and the backoff starts over.
            self._retry_loop = self._retry_loop.restarted(self._request)
        return self._retry_loop.on_error(error)


def _decode(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise APIError(200, {}, {"detail": "The data of a stream event is not a JSON object."})
    return event
