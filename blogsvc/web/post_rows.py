"""A post as a line of a list: what it is called, how it stands, and where."""

from __future__ import annotations

from blogsvc.delivery.status import label_of
from blogsvc.models import SITE, Connection, Delivery, Post
from blogsvc.web.wording import POST_STATES, count_destinations

MAX_NAMED_DESTINATIONS = 4


def state(post: Post) -> str:
    """How it stands, in words."""
    if post.state != "partial":
        return POST_STATES[post.state]
    wanted = [delivery for delivery in post.deliveries if delivery.state != "withdrawn"]
    live = sum(delivery.state == "delivered" for delivery in wanted)
    return f"Published to {live} of {count_destinations(len(wanted))}" if live else POST_STATES["partial"]


class RowDestinations:
    """The names of the destinations, read once for a page."""

    def __init__(self) -> None:
        self._labels = {SITE: label_of(SITE, None)}
        self._labels |= {one.name: label_of(one.name, one) for one in Connection.all()}

    def label(self, name: str) -> str:
        return self._labels.get(name, name)

    def has(self, name: str) -> bool:
        return name in self._labels

    def of(self, post: Post) -> str:
        """Where it is, or is meant to go."""
        names = [self.label(name) for name in post.platforms]
        rest = len(names) - MAX_NAMED_DESTINATIONS
        return ", ".join(names) if rest < 2 else f"{', '.join(names[:MAX_NAMED_DESTINATIONS])} and {rest} more"


def live_copies(post: Post) -> list[Delivery]:
    """The copies elsewhere that are there still, as far as is known."""
    return [one for one in post.deliveries if one.platform != SITE and one.remote_id is not None]
