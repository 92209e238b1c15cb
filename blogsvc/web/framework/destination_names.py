"""The names of destinations on a page."""

from __future__ import annotations

from functools import cached_property

from blogsvc.delivery.status import label_of
from blogsvc.models import SITE, Connection, Post

MAX_NAMED_DESTINATIONS = 4


class DestinationNames:
    """The names of the destinations, each looked up once per page, when it is asked for."""

    def __init__(self) -> None:
        self._waited_for: dict[str, str] = {}

    @cached_property
    def labels(self) -> dict[str, str]:
        """The names of this blog and of all accounts."""
        return {SITE: label_of(SITE, None)} | {name: label_of(name, row) for name, row in Connection.by_name().items()}

    def label(self, name: str) -> str:
        if name in self.labels:
            return self.labels[name]
        if name not in self._waited_for:
            self._waited_for[name] = label_of(name, None)
        return self._waited_for[name]

    def has(self, name: str) -> bool:
        return name in self.labels

    def of(self, post: Post) -> str:
        """Return the names of the post's destinations."""
        names = [self.label(name) for name in post.platforms]
        rest = len(names) - MAX_NAMED_DESTINATIONS
        return ", ".join(names) if rest < 2 else f"{', '.join(names[:MAX_NAMED_DESTINATIONS])} and {rest} more"
