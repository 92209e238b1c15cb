"""A stream of server-sent events: what is heard on it, and when to come back. No input or output."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx2

from ._call import Call
from ._errors import APIError
from ._exchange import Exchange
from ._options import Options

# Not str.splitlines, which parts lines where JSON has a U+2028 too.
LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True)
class Message:
    """An event as it was sent; without data, it only says how far the stream is."""

    id: str
    data: str


class MessageReader:
    """Makes messages of bytes, however they are cut (HTML Living Standard, 9.2.6)."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[str] = []
        self._id = ""

    def feed(self, chunk: bytes) -> Iterator[Message]:
        """The messages that are complete by now."""
        for line in self._lines(chunk):
            if line:
                self._take(line)
            elif self._data or self._id:
                yield Message(self._id, "\n".join(self._data))
                self._data = []

    def _lines(self, chunk: bytes) -> Iterator[str]:
        text = self._rest + chunk
        start = 0
        for end in LINE_END.finditer(text):
            if end[0] == b"\r" and end.end() == len(text):
                break  # its \n may follow
            yield text[start : end.start()].decode(errors="replace")
            start = end.end()
        self._rest = text[start:]

    def _take(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "id" and "\0" not in value:
            self._id = value


class Listening:
    """A stream over all of its connections. It is used as an Exchange is, and ends by an error alone."""

    def __init__(self, options: Options, call: Call) -> None:
        self._call = call
        self._exchange = Exchange(options, call)
        self._is_alive = False

    def begin(self) -> httpx2.Request:
        """The next connection."""
        self._is_alive = False
        self._reader = MessageReader()
        return self._exchange.begin()

    def opened(self, response: httpx2.Response) -> float | None:
        """Seconds to wait, or None where the stream has begun. Raises APIError where no other attempt helps."""
        pause = self._exchange.heard(response)
        kind = response.headers.get("content-type", "nothing")
        if pause is None and not kind.startswith("text/event-stream"):
            raise APIError(response.status_code, response.headers, {"detail": f"This is no stream, but {kind}."})
        return pause

    def heard(self, chunk: bytes) -> Iterator[dict[str, Any]]:
        """The events that are complete by now."""
        self._is_alive = True
        for message in self._reader.feed(chunk):
            self._call = self._call.after(message.id or self._call.last_event_id or "")
            if message.data:
                yield _event(message.data)

    def lost(self, error: Exception) -> float:
        """Seconds to wait before it comes back. Raises APIConnectionError where it never stood."""
        if self._is_alive:
            # From here on it comes back for ever, and its waiting begins anew.
            self._exchange = self._exchange.renewed(self._call)
        return self._exchange.lost(error)


def _event(data: str) -> dict[str, Any]:
    try:
        event = json.loads(data)
    except ValueError:
        event = None
    if not isinstance(event, dict):
        raise APIError(200, {}, {"detail": "What is told on the stream is no event."})
    return event
