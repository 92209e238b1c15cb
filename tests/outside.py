"""The outside world in tests: answers that were taught, requests that are remembered, no surprises.

outside = Outside()
outside.teach("POST", "https://hook.example/in", status=200, json={"id": "1"})
connector = Webhook(settings, outside.door())
assert outside.requests[0].json()["type"] == "post.published"
"""

from __future__ import annotations

import json as json_
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import httpx2

from blogsvc.lib.net.http import HttpClient

PUBLIC = "93.184.216.34"
FAILURES: Mapping[str, type[httpx2.TransportError]] = {
    "refused": httpx2.ConnectError,  # never sent
    "unreachable": httpx2.ConnectTimeout,  # never sent
    "lost": httpx2.ReadError,  # sent, and the answer lost
    "hangs": httpx2.ReadTimeout,  # sent, and no answer
}


@dataclass(frozen=True)
class Seen:
    """A request that somebody made."""

    method: str
    url: str
    headers: httpx2.Headers
    body: bytes

    def json(self) -> Any:
        return json_.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """What the world answers. `failure`, one of FAILURES, comes after the request was remembered."""

    status: int = 200
    json: Any = None
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    failure: str | None = None


Answering = Callable[[Seen], Reply]
Chosen = Callable[[Seen], bool]
# What happens to a request. It is given how to have it done and answered, and may leave that undone.
Strike = Callable[[Callable[[], Reply]], Reply]


def anything(seen: Seen) -> bool:
    return True


class Outside(httpx2.BaseTransport):
    """Give `outside.door()` to whatever wants to go out.

    Taught several answers to one question, it gives them in that order and stays with the last. An address that ends
    in `*` is any that begins so.
    A name resolves to a public address, unless `names` says otherwise.
    """

    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.unexpected: list[str] = []
        self.names: dict[str, list[str]] = {}
        self._taught: dict[tuple[str, str], list[Answering]] = {}
        self._always: tuple[Chosen, Answering] | None = None
        self._losing: Chosen | None = None
        self._strike: tuple[int, Strike] | None = None
        self._lock = Lock()

    def door(self, **options: Any) -> HttpClient:
        return HttpClient(transport=self, resolver=self.resolve, **options)

    def teach(self, method: str, url: str, answer: Answering | None = None, **reply: Any) -> None:
        """How to answer: the parts of a Reply, or a function from what is asked to a Reply."""
        self._taught.setdefault((method, url), []).append(answer or (lambda seen: Reply(**reply)))

    def always(self, only: Chosen = anything, **reply: Any) -> None:
        """Answer everything, or `only` some requests, so from now on; without a reply, as it was taught again."""
        self._always = (only, lambda seen: Reply(**reply)) if reply else None

    def lose_next(self, only: Chosen = anything) -> None:
        """Do the next thing that is asked, and lose its answer."""
        self._losing = only

    def strike(self, nth: int, how: Strike) -> None:
        """Let something happen to the nth request from now on, 1 being the next."""
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
            if self._losing is not None and self._losing(seen):
                self._losing, reply = None, Reply(failure="lost")
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
        # Remembered too, because an engine that survives everything would survive this error.
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
