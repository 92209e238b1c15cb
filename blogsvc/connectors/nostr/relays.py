"""Relays, the servers of Nostr: asked and told several at once, each over a WebSocket (NIP-01, NIP-42)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from blogsvc.connectors._kit.responses import SAID_MOST, Call, lost
from blogsvc.connectors.errors import (
    Conflict,
    ConnectorError,
    Disconnected,
    Misconfigured,
    RateLimited,
    Rejected,
    Unavailable,
)
from blogsvc.lib.net.http import HttpClient, HttpError, Timeout
from blogsvc.lib.net.websocket import HandshakeRefused, WebSocket
from blogsvc.lib.nostr import Event, Identity, is_genuine

T = TypeVar("T")
Filter = dict[str, Any]

SUBSCRIPTION = "blogsvc"
LISTEN_MOST = 5000  # messages for one question
AUTHENTICATION = 22242  # kind of the event that says who we are
# Where all relays fail, this says which failure decides: what time heals, then what the author can change.
ORDER = (Unavailable, Conflict, Rejected, Misconfigured, Disconnected, ConnectorError)


class AuthRequired(Disconnected):
    """The relay wants to know who we are first, or does not let everybody in."""


@dataclass(frozen=True)
class Relay:
    url: str
    door: HttpClient = field(repr=False, compare=False)
    identity: Identity = field(repr=False, compare=False)
    clock: Callable[[], float] = field(repr=False, compare=False)

    @property
    def host(self) -> str:
        """What it is called in messages; the rest of an address may be a credential."""
        return urlsplit(self.url).netloc

    def refusal(self, words: str) -> ConnectorError:
        return refusal(self.host, words, self.identity.spellings)

    def tell(self, event: Event) -> None:
        """Returns once it has the event. Raises ConnectorError; telling it again is harmless."""
        with self._line() as line:
            line.insist(lambda: line.tell(event))

    def ask(self, *filters: Filter) -> list[Event]:
        """The genuine events that it has of these. Raises ConnectorError."""
        with self._line() as line:
            return line.insist(lambda: line.ask(*filters))

    @contextmanager
    def _line(self) -> Iterator[RelayConnection]:
        # An errand asks first and then tells, and both must be over within the time of one request.
        timeout = Timeout.within(self.door.timeout.total / 2)
        try:
            with self.door.websocket(self.url, timeout=timeout) as socket:
                yield RelayConnection(self, socket)
        except HandshakeRefused as error:
            raise _declined(self.host, error.status) from None
        except HttpError as error:
            fault = lost(Call("Nostr", safe=True), error)
            fault.field = "relays" if isinstance(fault, Misconfigured) else None
            raise fault from None


@dataclass
class RelayConnection:
    """An open conversation with a relay."""

    relay: Relay
    socket: WebSocket
    challenge: str = ""

    def insist(self, do: Callable[[], T]) -> T:
        """Do it, and where the relay wants to know first who we are, say so and do it again."""
        try:
            return do()
        except AuthRequired:
            if not self.challenge:
                raise
            self._introduce()
            return do()

    def tell(self, event: Event) -> None:
        self._say("EVENT", event)
        # Some relays name no event in a refusal.
        answers = (m for m in self._heard() if m[0] == "OK" and len(m) > 2 and m[1] in (event["id"], ""))
        _, _, is_taken, *words = next(answers)
        self._judge(is_taken is True, _words(words))

    def ask(self, *filters: Filter) -> list[Event]:
        events: list[Event] = []
        self._say("REQ", SUBSCRIPTION, *filters)
        for kind, *rest in self._heard():
            if kind == "EVENT" and is_genuine(rest[-1]):
                events.append(rest[-1])
            elif kind == "CLOSED":
                raise self.relay.refusal(_words(rest[1:]))
            elif kind == "EOSE":
                break
        return events

    def _introduce(self) -> None:
        """Prove that we have the key, to this relay alone (NIP-42). Not all relays answer; what comes next tells."""
        tags = [["relay", self.relay.url], ["challenge", self.challenge]]
        self._say("AUTH", self.relay.identity.sign(AUTHENTICATION, int(self.relay.clock()), tags, ""))

    def _judge(self, is_taken: bool, words: str) -> None:
        """`duplicate:` says that it is there, whatever the boolean beside it says."""
        if not is_taken and not words.startswith("duplicate:"):
            raise self.relay.refusal(words)

    def _say(self, *message: Any) -> None:
        self.socket.send(json.dumps(message, ensure_ascii=False, separators=(",", ":")))

    def _heard(self) -> Iterator[list[Any]]:
        for _ in range(LISTEN_MOST):
            message = self._read(self.socket.receive())
            if message[0] == "AUTH":
                self.challenge = _words(message[1:])
            elif message[0] == "NOTICE" and _prefix(_words(message[1:])) in REFUSALS:
                raise self.relay.refusal(_words(message[1:]))
            elif message[0] != "NOTICE" and len(message) > 1:
                yield message
        raise Unavailable(f"{self.relay.host} says more than we listen to.")

    def _read(self, text: str) -> list[Any]:
        try:
            message = json.loads(text)
        except (ValueError, RecursionError):
            message = None
        if not isinstance(message, list) or not message or not isinstance(message[0], str):
            raise Unavailable(f"{self.relay.host} answered with something that is not Nostr.")
        return message


@dataclass(frozen=True)
class Replies(Generic[T]):
    """What became of asking several relays: what each answered, and what went wrong with the others."""

    done: dict[Relay, T]
    failed: dict[Relay, ConnectorError]

    def demand_one(self) -> None:
        """One relay that did it is enough. Raises what went wrong where none did."""
        if not self.done:
            raise worst(self.failed.values())


def each(relays: Iterable[Relay], do: Callable[[Relay], T]) -> Replies[T]:
    """Do it with all relays at once, so that one that hangs holds up no other."""
    relays = list(relays)
    done: dict[Relay, T] = {}
    failed: dict[Relay, ConnectorError] = {}
    with ThreadPoolExecutor(max(1, len(relays))) as pool:
        for relay, future in [(relay, pool.submit(do, relay)) for relay in relays]:
            try:
                done[relay] = future.result()
            except ConnectorError as error:
                failed[relay] = error
    return Replies(done, failed)


def worst(errors: Iterable[ConnectorError]) -> ConnectorError:
    """The failure that decides, in the words of all."""
    errors = list(errors)
    chosen = next(error for kind in ORDER for error in errors if isinstance(error, kind))
    others = [str(error) for error in errors if error is not chosen]
    chosen.args = (" ".join(dict.fromkeys([str(chosen), *others])),)
    return chosen


def refusal(host: str, words: str, secrets: Iterable[str] = ()) -> ConnectorError:
    """The error for a relay's own words, by the prefix that NIP-01 has them begin with."""
    for secret in secrets:
        words = words.replace(secret, "•••")
    said = " ".join(words.split())[:SAID_MOST]
    kind, message = REFUSALS.get(_prefix(words), OTHERWISE)
    error = kind(message.format(host) + (f" It said: {said}" if said else ""))
    error.field = "relays" if isinstance(error, Disconnected | Misconfigured) else None
    return error


REFUSALS: dict[str, tuple[type[ConnectorError], str]] = {
    "auth-required": (AuthRequired, "{} lets only its members in: ask its operator, or take another relay."),
    "restricted": (AuthRequired, "{} does not let this key write there: ask its operator, or take another relay."),
    "blocked": (Disconnected, "{} has blocked this key or this server: take another relay."),
    "error": (Unavailable, "{} has a problem of its own."),
    "pow": (Misconfigured, "{} wants proof of work, which is not done here: take another relay."),
    "rate-limited": (RateLimited, "{} asks us to slow down."),
    "replaced": (Conflict, "{} has a newer version already: look at it there, then try again."),
}
OTHERWISE = (Rejected, "{} did not take it: change it and try again.")


def _declined(host: str, status: int) -> ConnectorError:
    """The error for a server that opened no WebSocket."""
    if status == 429:
        return RateLimited(f"{host} asks us to slow down.")
    if status >= 500:
        return Unavailable(f"{host} has a problem of its own (HTTP {status}).")
    if status in (401, 403):
        return Disconnected(f"{host} does not let us in (HTTP {status}): take another relay.", field="relays")
    if 300 <= status < 400:
        return Misconfigured(f"{host} has moved: give its new address in the settings.", field="relays")
    return Misconfigured(f"There is no relay at {host} (HTTP {status}): check its address.", field="relays")


def _words(parts: list[Any]) -> str:
    return parts[0] if parts and isinstance(parts[0], str) else ""


def _prefix(words: str) -> str:
    return words.partition(":")[0].strip().lower()
