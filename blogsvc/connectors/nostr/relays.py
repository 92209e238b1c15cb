"""Send events to Nostr relays and request events, in parallel, over WebSockets (NIP-01, NIP-42)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Thread
from typing import Any, Generic, Never, TypeVar
from urllib.parse import urlsplit

from blogsvc.connectors._kit.responses import MAX_QUOTED_LENGTH, Call, lost
from blogsvc.connectors.errors import (
    Conflict,
    ConnectorError,
    Disconnected,
    Misconfigured,
    RateLimited,
    Rejected,
    Unavailable,
    Unreachable,
)
from blogsvc.connectors.nostr.identity import Event, Identity, is_genuine
from blogsvc.lib.net.http import HttpClient, HttpError, Timeout
from blogsvc.lib.net.websocket import HandshakeRefused, WebSocket

T = TypeVar("T")
Filter = dict[str, Any]

SUBSCRIPTION = "blogsvc"
LISTEN_MOST = 5000  # messages per request
AUTHENTICATION = 22242  # the kind of an authentication event
# If all relays fail, the first kind in this list decides: temporary errors, then what the author can fix.
ORDER = (Unavailable, Conflict, Rejected, Misconfigured, Disconnected, ConnectorError)


class AuthRequired(Disconnected):
    """The relay requires authentication first, or does not admit everyone."""


@dataclass(frozen=True)
class Relay:
    url: str
    http: HttpClient = field(repr=False, compare=False)
    identity: Identity = field(repr=False, compare=False)
    clock: Callable[[], float] = field(repr=False, compare=False)

    @property
    def host(self) -> str:
        """Return the host for messages, because the rest of the URL may contain a credential."""
        return urlsplit(self.url).netloc

    def refusal(self, words: str) -> ConnectorError:
        return refusal(self.host, words, self.identity.spellings)

    def tell(self, event: Event) -> None:
        """Send an event and wait until the relay has accepted it. Safe to repeat. Raises ConnectorError."""
        with self._connect() as connection:
            connection.insist(lambda: connection.tell(event))

    def ask(self, *filters: Filter) -> list[Event]:
        """Return the valid events that match these filters. Raises ConnectorError."""
        with self._connect() as connection:
            return connection.insist(lambda: connection.ask(*filters))

    @contextmanager
    def _connect(self) -> Iterator[RelayConnection]:
        # An attempt asks and then tells; both together must not take longer than one request may.
        timeout = Timeout.within(self.http.timeout.total / 2)
        try:
            with self.http.websocket(self.url, timeout=timeout) as socket:
                yield RelayConnection(self, socket)
        except HandshakeRefused as error:
            raise _handshake_error(self.host, error.status) from None
        except HttpError as error:
            fault = lost(Call("Nostr", safe=True), error)
            fault.field = "relays" if isinstance(fault, Misconfigured | Unreachable) else None
            raise fault from None


@dataclass
class RelayConnection:
    """An open WebSocket connection to a relay."""

    relay: Relay
    socket: WebSocket
    challenge: str = ""

    def insist(self, do: Callable[[], T]) -> T:
        """Run an action. If the relay requires authentication, authenticate and run it again."""
        try:
            return do()
        except AuthRequired:
            if not self.challenge:
                raise
            self._authenticate()
            return do()

    def tell(self, event: Event) -> None:
        self._send("EVENT", event)
        # Some relays leave out the event id when they reject it.
        answers = (m for m in self._messages() if m[0] == "OK" and len(m) > 2 and m[1] in (event["id"], ""))
        _, _, is_accepted, *words = next(answers)
        reason = _text_of(words)
        # `duplicate:` means that the relay has the event, even if the flag says no.
        if is_accepted is not True and not reason.startswith("duplicate:"):
            raise self.relay.refusal(reason)

    def ask(self, *filters: Filter) -> list[Event]:
        events: list[Event] = []
        self._send("REQ", SUBSCRIPTION, *filters)
        for kind, *rest in self._messages():
            if kind == "EVENT" and is_genuine(rest[-1]):
                events.append(rest[-1])
            elif kind == "CLOSED":
                raise self.relay.refusal(_text_of(rest[1:]))
            elif kind == "EOSE":
                break
        return events

    def _authenticate(self) -> None:
        """Authenticate with our key (NIP-42). Not all relays respond, so the next message shows the result."""
        tags = [["relay", self.relay.url], ["challenge", self.challenge]]
        self._send("AUTH", self.relay.identity.sign(AUTHENTICATION, int(self.relay.clock()), tags, ""))

    def _send(self, *message: Any) -> None:
        self.socket.send(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def _messages(self) -> Iterator[list[Any]]:
        for _ in range(LISTEN_MOST):
            message = self._parse(self.socket.receive())
            if message[0] == "AUTH":
                self.challenge = _text_of(message[1:])
            elif message[0] == "NOTICE" and _prefix(_text_of(message[1:])) in REFUSALS:
                raise self.relay.refusal(_text_of(message[1:]))
            elif message[0] != "NOTICE" and len(message) > 1:
                yield message
        raise Unavailable(f"{self.relay.host} sent too much data.")

    def _parse(self, text: str) -> list[Any]:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, list) or not message or not isinstance(message[0], str):
            raise Unavailable(f"{self.relay.host} returned an invalid Nostr message.")
        return message


@dataclass(frozen=True)
class Replies(Generic[T]):
    """The results of several relays: the responses, and the errors of the others."""

    done: dict[Relay, T]
    failed: dict[Relay, ConnectorError]

    def require_success(self) -> None:
        """Raise the most important error if no relay succeeded."""
        if not self.done:
            raise worst(self.failed.values())


def each(relays: Iterable[Relay], do: Callable[[Relay], T]) -> Replies[T]:
    """Run an action for all relays in parallel, so that a slow one does not delay the others.

    In threads, not in a pool: a delivery that goes on while Python ends the process could start no pool.
    """
    results: dict[Relay, Callable[[], T]] = {}
    threads = {relay: Thread(target=_run, args=(do, relay, results), daemon=True) for relay in relays}
    for thread in threads.values():
        thread.start()
    done: dict[Relay, T] = {}
    failed: dict[Relay, ConnectorError] = {}
    for relay, thread in threads.items():
        thread.join()
        try:
            done[relay] = results[relay]()
        except ConnectorError as error:
            failed[relay] = error
    return Replies(done, failed)


def _run(do: Callable[[Relay], T], relay: Relay, results: dict[Relay, Callable[[], T]]) -> None:
    """Run an action, and store a function that returns its result or raises its error."""
    try:
        result = do(relay)
        results[relay] = lambda: result
    except Exception as error:
        results[relay] = partial(_raise, error)


def _raise(error: Exception) -> Never:
    raise error


def worst(errors: Iterable[ConnectorError]) -> ConnectorError:
    """Return the error whose kind comes first in ORDER, with the messages of all."""
    errors = list(errors)
    chosen = next(error for kind in ORDER for error in errors if isinstance(error, kind))
    others = [str(error) for error in errors if error is not chosen]
    chosen.args = (" ".join(dict.fromkeys([str(chosen), *others])),)
    return chosen


def refusal(host: str, words: str, secrets: Iterable[str] = ()) -> ConnectorError:
    """Return the error for a relay's message, by its prefix (NIP-01)."""
    for secret in secrets:
        words = words.replace(secret, "•••")
    quoted = " ".join(words.split())[:MAX_QUOTED_LENGTH]
    kind, message = REFUSALS.get(_prefix(words), OTHERWISE)
    error = kind(message.format(host) + (f" Response: {quoted}" if quoted else ""))
    error.field = "relays" if isinstance(error, Disconnected | Misconfigured) else None
    return error


REFUSALS: dict[str, tuple[type[ConnectorError], str]] = {
    "auth-required": (AuthRequired, "{} only accepts members. Ask its operator for access, or use another relay."),
    "restricted": (
        AuthRequired,
        "{} doesn't allow this key to publish. Ask its operator for access, or use another relay.",
    ),
    "blocked": (Disconnected, "{} has blocked this key or this server. Use another relay."),
    "error": (Unavailable, "{} had a server error."),
    "pow": (Misconfigured, "{} requires proof of work, which isn't supported. Use another relay."),
    "rate-limited": (RateLimited, "{} rate limit reached."),
    "replaced": (Conflict, "{} already has a newer version. Review it there, then retry."),
}
OTHERWISE = (Rejected, "{} rejected the article. Change the article and retry.")


def _handshake_error(host: str, status: int) -> ConnectorError:
    """Return the error for a server that refused the WebSocket connection."""
    if status == 429:
        return RateLimited(f"{host} rate limit reached.")
    if status >= 500:
        return Unavailable(f"{host} had a server error (HTTP {status}).")
    if status in (401, 403):
        return Disconnected(f"{host} refused the connection (HTTP {status}). Use another relay.", field="relays")
    if 300 <= status < 400:
        return Misconfigured(f"{host} has moved. Enter its new URL in the connection settings.", field="relays")
    return Misconfigured(f"No relay found at {host} (HTTP {status}). Check the URL.", field="relays")


def _text_of(parts: list[Any]) -> str:
    return parts[0] if parts and isinstance(parts[0], str) else ""


def _prefix(words: str) -> str:
    return words.partition(":")[0].strip().lower()
