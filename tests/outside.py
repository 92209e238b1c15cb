"""The fake outside world: configured responses, recorded requests, and no other access.

outside = Outside()
outside.teach("POST", "https://hook.example/in", status=200, json={"id": "1"})
connector = Webhook(settings, outside.http())
assert outside.requests[0].json()["type"] == "post.published"
"""

from __future__ import annotations

import json as json_
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import RLock
from typing import Any

import httpx2

from blogsvc.lib.net.http import HttpClient

PUBLIC = "93.184.216.34"
FAILURES: Mapping[str, type[httpx2.TransportError]] = {
    "refused": httpx2.ConnectError,  # never sent
    "unreachable": httpx2.ConnectTimeout,  # never sent
    "lost": httpx2.ReadError,  # sent, and the response lost
    "hangs": httpx2.ReadTimeout,  # sent, and no response
}


@dataclass(frozen=True)
class Seen:
    """A recorded request."""

    method: str
    url: str
    headers: httpx2.Headers
    body: bytes

    def json(self) -> Any:
        return json_.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """A response. `failure`, one of FAILURES, happens after the request was recorded."""

    status: int = 200
    json: Any = None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    failure: str | None = None


Answering = Callable[[Seen], Reply]
Chosen = Callable[[Seen], bool]
# What happens to a request: a function that may call its argument to have it executed and answered.
Strike = Callable[[Callable[[], Reply]], Reply]


def anything(seen: Seen) -> bool:
    return True


class Outside(httpx2.BaseTransport):
    """Pass `outside.http()` to code that needs an HTTP client.

    Several responses for one request are returned in order, and the last one from then on. A URL that ends in `*`
    matches every URL with that prefix.
    A name resolves to a public address, unless `names` contains it.
    """

    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.unexpected: list[str] = []
        self.names: dict[str, list[str]] = {}
        self._taught: dict[tuple[str, str], list[Answering]] = {}
        self._always: tuple[Chosen, Answering] | None = None
        self._changing: tuple[Chosen, Callable[[Reply], Reply]] | None = None
        self._strike: tuple[int, Strike] | None = None
        self._lock = RLock()  # an answer may send requests itself

    def http(self, **options: Any) -> HttpClient:
        return HttpClient(transport=self, resolver=self.resolve, **options)

    def teach(self, method: str, url: str, answer: Answering | None = None, **reply: Any) -> None:
        """Set the response to a request: the fields of a Reply, or a function from the request to a Reply."""
        self._taught.setdefault((method, url), []).append(answer or (lambda seen: Reply(**reply)))

    def always(self, only: Chosen = anything, answer: Answering | None = None, **reply: Any) -> None:
        """Set the response to all requests, or `only` to some; without a response, restore those of `teach`."""
        self._always = (only, answer or (lambda seen: Reply(**reply))) if answer or reply else None

    def lose_next(self, only: Chosen = anything) -> None:
        """Execute the next request, and lose its response."""
        self.change_next(only, lambda reply: Reply(failure="lost"))

    def change_next(self, only: Chosen, change: Callable[[Reply], Reply]) -> None:
        """Execute the next request, and change its response."""
        self._changing = only, change

    def strike(self, nth: int, how: Strike) -> None:
        """Apply a failure to the nth request from now on, 1 being the next."""
        self._strike = (len(self.requests) + nth, how)

    def resolve(self, host: str, port: int) -> list[str]:
        return self.names.get(host, [PUBLIC])

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        seen = Seen(request.method, str(request.url), request.headers, request.read())
        with self._lock:
            self.requests.append(seen)
            if self._strike is not None and self._strike[0] == len(self.requests):
                reply = self._strike[1](lambda: self._answering(seen)(seen))
            else:
                reply = self._answering(seen)(seen)
            if self._changing is not None and self._changing[0](seen):
                reply, self._changing = self._changing[1](reply), None
        if reply.failure is not None:
            raise FAILURES[reply.failure](reply.failure)
        return _response(reply)

    def _answering(self, seen: Seen) -> Answering:
        if self._always is not None and self._always[0](seen):
            return self._always[1]
        return self._answer_to(seen)

    def _answer_to(self, seen: Seen) -> Answering:
        for url in (seen.url, seen.url.partition("?")[0]):
            if queue := self._taught.get((seen.method, url)):
                return queue.pop(0) if len(queue) > 1 else queue[0]
        for (method, url), queue in self._taught.items():
            if url.endswith("*") and method == seen.method and seen.url.startswith(url[:-1]):
                return queue.pop(0) if len(queue) > 1 else queue[0]
        # Recorded too, because an engine that catches every error would catch this one.
        self.unexpected.append(f"{seen.method} {seen.url}")
        raise AssertionError(f"Nobody taught the outside world to answer {seen.method} {seen.url}")


class _Stream(httpx2.SyncByteStream):
    def __init__(self, body: bytes) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self._body


def _response(reply: Reply) -> httpx2.Response:
    body, headers = reply.body, dict(reply.headers)
    if reply.json is not None:
        body = json_.dumps(reply.json).encode()
        headers.setdefault("Content-Type", "application/json")
    return httpx2.Response(reply.status, headers=headers, stream=_Stream(body))
