"""The kinds of notices, in the order in which an e-mail lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

KindName = Literal["failed", "uncertain", "disconnected", "waiting", "ready", "missed"]


@dataclass(frozen=True)
class Kind:
    """A kind: the event that it begins with, what happened, for one and for many, and what to do."""

    name: KindName
    event_type: str
    singular: str
    plural: str
    advice: str

    def summary(self, count: int) -> str:
        """Return what happened, such as "2 posts failed"."""
        return self.singular if count == 1 else self.plural.format(count=count)


_KINDS = (
    Kind(
        "failed",
        "delivery.failed",
        "1 post failed",
        "{count} posts failed",
        "At least one destination could not be reached or rejected the post. See the reason, then retry.",
    ),
    Kind(
        "uncertain",
        "delivery.uncertain",
        "1 post may not have arrived",
        "{count} posts may not have arrived",
        "A platform did not answer. Check whether the copy is there, then say so.",
    ),
    Kind(
        "disconnected",
        "connection.disconnected",
        "1 account is disconnected",
        "{count} accounts are disconnected",
        "Posts for a disconnected account wait until you reconnect it.",
    ),
    Kind(
        "waiting",
        "delivery.blocked",
        "1 post waits for an account",
        "{count} posts wait for an account",
        "Connect an account for the destination, or remove the destination from the post.",
    ),
    Kind(
        "ready",
        "delivery.ready",
        "1 post has a copy to post, update or delete by hand",
        "{count} posts have copies to post, update or delete by hand",
        "The page of the copy has the text, and what to do on the platform.",
    ),
    Kind(
        "missed",
        "post.missed",
        "1 post missed its time",
        "{count} posts missed their time",
        "Publish now, or choose another time.",
    ),
)
KINDS: dict[str, Kind] = {kind.name: kind for kind in _KINDS}
BY_EVENT_TYPE = {kind.event_type: kind for kind in _KINDS}
