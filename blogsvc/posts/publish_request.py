"""What somebody asks to publish: where, when, and with which choices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from blogsvc.lib.time import resolve


@dataclass(frozen=True)
class WallTime:
    """A local time in a time zone. `fold` chooses the first (0) or second (1) of a time that a clock change repeats."""

    local: datetime
    time_zone: str
    fold: int | None = None

    def instant(self) -> datetime:
        return resolve(self.local, self.time_zone, self.fold)


@dataclass(frozen=True)
class PublishRequest:
    """A request to publish a post.

    Args:
        platforms: names of destinations; None for all destinations of the post.
        when: None for now.
        overrides: the author's choices, which are stored with the post, by stored name of a destination: `options`,
            such as a visibility, and the text of an announcement as `content`, "" for the usual one.
    """

    platforms: list[str] | None = None
    when: datetime | WallTime | None = None
    overrides: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
