"""Where an article lives on Nostr, and which versions of it the relays hold."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property

from blogsvc.connectors.base import Conflict, Gone, Receipt
from blogsvc.connectors.nostr.relays import Filter, Relay, Replies, each, worst
from blogsvc.lib.nostr import Event, naddr, values

ARTICLE, DELETION = 30023, 5
REMOTE_ID = re.compile(r"30023:([0-9a-f]{64}):(.+)", re.DOTALL)
HINTS = 2  # relays named in the link
IDS_MOST = 50  # versions remembered, for the deletion


@dataclass(frozen=True)
class NostrAddress:
    """Kind, key and `d`: whatever stands there is the article, and its newest event the version that counts."""

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
        """The versions, and the requests of their author to delete them."""
        mine = {"authors": [self.public_key]}
        return {"kinds": [ARTICLE], **mine, "#d": [self.name]}, {"kinds": [DELETION], **mine, "#a": [str(self)]}

    def versions(self, events: Iterable[Event]) -> list[Event]:
        """The newest first; of two made in one second that with the lower id (NIP-01)."""
        found = {event["id"]: event for event in events if self._is_here(event)}
        return sorted(found.values(), key=lambda event: (-event["created_at"], event["id"]))

    def deletions(self, events: Iterable[Event]) -> list[Event]:
        mine = [event for event in events if (event["kind"], event["pubkey"]) == (DELETION, self.public_key)]
        return [event for event in mine if str(self) in values(event, "a")]

    def living(self, events: Iterable[Event]) -> list[Event]:
        """The versions that their author has not asked to delete, whether or not a relay did so (NIP-09)."""
        events = list(events)
        deletions = self.deletions(events)
        gone = {one for event in deletions for one in values(event, "e")}
        until = max((event["created_at"] for event in deletions), default=-1)
        return [event for event in self.versions(events) if event["created_at"] > until and event["id"] not in gone]

    def _is_here(self, event: Event) -> bool:
        is_mine = (event["kind"], event["pubkey"]) == (ARTICLE, self.public_key)
        return is_mine and values(event, "d")[:1] == [self.name]


@dataclass(frozen=True)
class RelayCopies:
    """What the relays hold of one article."""

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
        """Of all versions that are left, the oldest first."""
        return [event["id"] for event in reversed(self.address.versions(self.events))]

    @property
    def deleted_at(self) -> int:
        return max((event["created_at"] for event in self.address.deletions(self.events)), default=-1)

    @property
    def last_at(self) -> int:
        return max((event["created_at"] for event in self.address.versions(self.events)), default=0)

    @property
    def without_it(self) -> set[Relay]:
        """The relays that say that they do not have it."""
        return {relay for relay, events in self.replies.done.items() if not self.address.living(events)}

    def newest(self) -> Event:
        """The version that counts. Raises Gone where no relay has one, and each has said so."""
        self.replies.demand_one()
        if self.living:
            return self.living[0]
        if self.replies.failed:
            raise worst(self.replies.failed.values())
        raise Gone("No relay has it any more.")


def copy_made_at(receipt: Receipt) -> int:
    """The time of our last version; 0 where it is not known."""
    return number(receipt.extra.get("created_at"))


def number(text: str | None) -> int:
    """Of text that we wrote ourselves; 0 where there is none."""
    return int(text) if text and re.fullmatch(r"\d{1,15}", text, re.ASCII) else 0


def known_ids(receipt: Receipt) -> list[str]:
    """The versions of ours that we know of."""
    return [*receipt.extra.get("ids", "").split(), *([receipt.version] if receipt.version else [])]


def latest(ids: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(ids))[-IDS_MOST:]


def demand_version(newest: Event, receipt: Receipt) -> None:
    """Raises Conflict where the newest version is neither ours nor older than ours."""
    if receipt.version is None or newest["id"] in known_ids(receipt) or newest["created_at"] < copy_made_at(receipt):
        return
    at = datetime.fromtimestamp(min(newest["created_at"], 2**33), UTC)
    raise Conflict(f"It was changed on Nostr on {at:%d %B %Y at %H:%M} UTC. Retry to write over it.")
