"""The address of an article on Nostr, and the versions that relays have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from blogsvc.connectors.base import Conflict, Gone, Receipt
from blogsvc.connectors.nostr.identity import Event, naddr, values
from blogsvc.connectors.nostr.relays import Filter, Relay, Replies, each, worst

ARTICLE, DELETION = 30023, 5
REMOTE_ID = re.compile(r"30023:([0-9a-f]{64}):(.+)", re.DOTALL)
HINTS = 2  # relays in the link
IDS_MOST = 50  # versions stored for the deletion request


@dataclass(frozen=True)
class NostrAddress:
    """Kind, key and `d` of an article. The newest event at this address is its current version."""

    public_key: str
    name: str

    @classmethod
    def of(cls, remote_id: str) -> NostrAddress | None:
        match = REMOTE_ID.fullmatch(remote_id)
        return cls(match[1], match[2]) if match else None

    def __str__(self) -> str:
        return f"{ARTICLE}:{self.public_key}:{self.name}"

    def naddr(self, relays: Iterable[Relay]) -> str:
        return naddr(ARTICLE, self.public_key, self.name, [relay.url for relay in relays][:HINTS])

    @property
    def filters(self) -> tuple[Filter, Filter]:
        """Return the filters for the versions, and for the author's deletion requests."""
        mine = {"authors": [self.public_key]}
        return {"kinds": [ARTICLE], **mine, "#d": [self.name]}, {"kinds": [DELETION], **mine, "#a": [str(self)]}

    def versions(self, events: Iterable[Event]) -> list[Event]:
        """Return the versions, newest first; of two in the same second, the one with the lower id first (NIP-01)."""
        found = {event["id"]: event for event in events if self._is_version(event)}
        return sorted(found.values(), key=lambda event: (-event["created_at"], event["id"]))

    def deletions(self, events: Iterable[Event]) -> list[Event]:
        mine = [event for event in events if (event["kind"], event["pubkey"]) == (DELETION, self.public_key)]
        return [event for event in mine if str(self) in values(event, "a")]

    def living(self, events: Iterable[Event]) -> list[Event]:
        """Return the versions that the author has not asked to delete, even if a relay still has them (NIP-09)."""
        events = list(events)
        deletions = self.deletions(events)
        gone = {one for event in deletions for one in values(event, "e")}
        until = max((event["created_at"] for event in deletions), default=-1)
        return [event for event in self.versions(events) if event["created_at"] > until and event["id"] not in gone]

    def _is_version(self, event: Event) -> bool:
        is_mine = (event["kind"], event["pubkey"]) == (ARTICLE, self.public_key)
        return is_mine and values(event, "d")[:1] == [self.name]


@dataclass(frozen=True)
class RelayCopies:
    """The events that relays have for an article."""

    address: NostrAddress
    replies: Replies[list[Event]]

    @classmethod
    def at(cls, address: NostrAddress, relays: Iterable[Relay]) -> RelayCopies:
        return cls(address, each(relays, lambda relay: relay.ask(*address.filters)))

    @cached_property
    def events(self) -> list[Event]:
        return [event for events in self.replies.done.values() for event in events]

    @cached_property
    def living(self) -> list[Event]:
        return self.address.living(self.events)

    @property
    def ids(self) -> list[str]:
        """Return the ids of all remaining versions, oldest first."""
        return [event["id"] for event in reversed(self.address.versions(self.events))]

    @property
    def deleted_at(self) -> int:
        return max((event["created_at"] for event in self.address.deletions(self.events)), default=-1)

    @property
    def last_at(self) -> int:
        return max((event["created_at"] for event in self.address.versions(self.events)), default=0)

    @property
    def without_it(self) -> set[Relay]:
        """Return the relays that responded and do not have the article."""
        return {relay for relay, events in self.replies.done.items() if not self.address.living(events)}

    def newest(self) -> Event:
        """Return the current version. Raises Gone if all relays responded and none has one."""
        self.replies.require_success()
        if self.living:
            return self.living[0]
        if self.replies.failed:
            raise worst(self.replies.failed.values())
        raise Gone("The article no longer exists on any relay.")


def copy_made_at(receipt: Receipt) -> int:
    """Return the timestamp of our last version, 0 if unknown."""
    return number(receipt.extra.get("created_at"))


def number(text: str | None) -> int:
    """Parse a number that we stored ourselves, 0 if it is missing."""
    return int(text) if text and re.fullmatch(r"\d{1,15}", text, re.ASCII) else 0


def known_ids(receipt: Receipt) -> list[str]:
    """Return the ids of our known versions."""
    return [*receipt.extra.get("ids", "").split(), *([receipt.version] if receipt.version else [])]


def latest(ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ids))[-IDS_MOST:]


def require_own_version(newest: Event, receipt: Receipt) -> None:
    """Raise Conflict if the newest version is neither ours nor older than ours."""
    if receipt.version is None or newest["id"] in known_ids(receipt) or newest["created_at"] < copy_made_at(receipt):
        return
    at = datetime.fromtimestamp(min(newest["created_at"], 2**33), UTC)
    raise Conflict(f"The article was changed on Nostr on {at:%d %B %Y at %H:%M} UTC. Retry to overwrite the changes.")
