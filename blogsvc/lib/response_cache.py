"""Complete responses in memory, for answering a request before Flask sees it.

A view allows it by storing a `Cacheable` under `CACHEABLE` in the WSGI environment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from blogsvc.lib.bounded_cache import BoundedCache

CACHEABLE = "blogsvc.cacheable"

Headers = list[tuple[str, str]]
Environ = dict[str, Any]
# Both are called with the WSGI environment of each request, without an application context.
OnHit = Callable[[Environ], None]
Admit = Callable[[Environ], Headers | None]

MAX_BYTES = 16 * 1024 * 1024
# A larger response is not stored, because it would replace too many others.
MAX_RESPONSE_BYTES = MAX_BYTES // 8
# For responses to single clients. Most are asked for again at once, or never.
MAX_CLIENT_BYTES = 4 * 1024 * 1024
# What an entry needs besides its body: headers, key and objects. Roughly, in bytes.
ENTRY_BYTES = 4096


@dataclass(frozen=True)
class Cacheable:
    """How long a response is valid, what it depends on, and what happens each time that it is sent.

    It must depend on nothing but scheme, path, Accept-Encoding and the query parameters named in `parameters`.

    With `admit`, it is the response to one client, and may also depend on the whole query and the headers in
    `Key.client`. `admit` counts each request. It returns the headers of that one response, or None if Flask is to
    answer.
    """

    is_current: Callable[[], bool]
    parameters: frozenset[str] = frozenset()
    on_hit: OnHit | None = None
    admit: Admit | None = None
    # The id of the API key that the response is for, for the log.
    key_id: str | None = None


class Key(NamedTuple):
    """What distinguishes responses. `path` and `query` are those of the WSGI environment.

    `client` is a hash of the headers that distinguish requests with credentials, and empty without credentials.
    """

    scheme: str
    coding: str
    path: str
    query: str
    client: str = ""


@dataclass(frozen=True)
class StoredResponse:
    """A response with status 200, and the headers of its 304. Neither has the headers of a single request."""

    cacheable: Cacheable
    headers: Headers
    headers_unchanged: Headers
    body: bytes
    etag: str | None
    last_modified: str | None
    # The path as text, for the log.
    path: str


def _weight(key: Key, stored: StoredResponse) -> int:
    return ENTRY_BYTES + len(stored.body) + 2 * len(key.path) + len(key.query)  # `stored` has the path, too


def is_storable(cacheable: Cacheable, query: str, cache_control: str, size: int) -> bool:
    """Return True if a response of this size may be stored for all clients.

    A parameter with meaning is part of the key if the response is immutable. Otherwise, anybody could fill the memory
    with invented values.
    """
    names = list(_names(query))
    is_one_of_few = cacheable.parameters.isdisjoint(names) or (len(names) == 1 and "immutable" in cache_control)
    return is_one_of_few and size <= MAX_RESPONSE_BYTES


class ResponseCache(BoundedCache[Key, StoredResponse]):
    def __init__(self) -> None:
        super().__init__(MAX_BYTES, _weight)

    def find(self, key: Key) -> StoredResponse | None:
        """Return the response to a request, unless something that it shows has changed."""
        stored = self.get(key)
        if stored is None and key.query:
            stored = self.get(key._replace(query=""))
            if stored is not None and not stored.cacheable.parameters.isdisjoint(_names(key.query)):
                return None
        return stored if stored is not None and stored.cacheable.is_current() else None

    def store(self, key: Key, stored: StoredResponse) -> None:
        """Store the response to a request for which `is_storable`. Parameters without meaning are ignored."""
        if stored.cacheable.parameters.isdisjoint(_names(key.query)):
            key = key._replace(query="")
        self.put(key, stored)


class ClientCache(BoundedCache[Key, StoredResponse]):
    """Responses to requests with credentials, each for the client that it was made for."""

    def __init__(self) -> None:
        super().__init__(MAX_CLIENT_BYTES, _weight)

    def find(self, key: Key) -> StoredResponse | None:
        """Return the response to a request, unless something that it shows may have changed."""
        stored = self.get(key)
        return stored if stored is not None and stored.cacheable.is_current() else None

    def store(self, key: Key, stored: StoredResponse) -> None:
        if len(stored.body) <= MAX_CLIENT_BYTES // 8:
            self.put(key, stored)


def _names(query: str) -> Iterable[str]:
    return (name for name, _ in parse_qsl(query, keep_blank_values=True, errors="replace"))
