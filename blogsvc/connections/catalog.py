"""All platforms: those that accounts can be connected on, those by hand, and those that are not supported."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from blogsvc.connectors import ALIASES, connectors
from blogsvc.connectors.base import Connector, Field, by_part
from blogsvc.models import Connection

# connect: blogsvc publishes there. by_hand: a person posts what it prepares. unsupported: neither.
Way = Literal["connect", "by_hand", "unsupported"]
Group = Literal["articles", "announcements", "newsletters", "other"]
GROUPS: dict[str, Group] = {
    "article": "articles",
    "file": "articles",
    "announcement": "announcements",
    "newsletter": "newsletters",
    "event": "newsletters",
}
UNSUPPORTED = {"peertube": "PeerTube", "tiktok": "TikTok", "youtube": "YouTube"}
ONLY_VIDEO = "Video only."
WEBSITE = "website"  # the connector for any other website


@dataclass(frozen=True)
class Platform:
    """A platform, and what one needs to know before one chooses it.

    `takes` and `needs` are what it takes of a post, and what connecting needs, such as "API key". `reason` says why
    blogsvc can't publish there. `connections` are those that exist, by name.
    """

    key: str
    label: str
    way: Way
    group: Group = "other"
    takes: str = ""
    needs: str = ""
    reason: str = ""
    aliases: tuple[str, ...] = ()
    connections: tuple[str, ...] = ()

    def is_named(self, words: str) -> bool:
        """Return True if the label, the key or an alias contains these words, in any case."""
        return any(words.casefold() in name.casefold() for name in (self.label, self.key, *self.aliases))


def catalog(rows: Iterable[Connection]) -> list[Platform]:
    """Return all platforms, sorted by label. `rows` are the present connections."""
    names: dict[str, list[str]] = {}
    for row in rows:
        names.setdefault(row.connector, []).append(row.name)
    found = [_platform(kind, tuple(names.get(key, ()))) for key, kind in connectors().items() if not kind.is_local]
    found += [Platform(key, label, "unsupported", reason=ONLY_VIDEO) for key, label in UNSUPPORTED.items()]
    return sorted(found, key=lambda one: (one.label.casefold(), one.key))


def _platform(kind: type[Connector], names: tuple[str, ...]) -> Platform:
    is_by_hand = kind.can("hand_over")
    return Platform(
        key=kind.key,
        label=kind.label,
        way="by_hand" if is_by_hand else "connect",
        group="other" if kind.key == WEBSITE else GROUPS[kind.category],
        takes=takes(kind),
        needs="" if is_by_hand else _needs(kind.fields),
        reason=getattr(kind, "why", ""),
        aliases=tuple(alias for alias, key in ALIASES.items() if key == kind.key),
        connections=names,
    )


def takes(kind: type[Connector]) -> str:
    """Return what a platform takes of a post, in a few words: "500 characters", "No text limit, 4 tags"."""
    limits = by_part(kind.limits)
    match kind.category:
        case "newsletter":
            return "An e-mail to subscribers"
        case "file":
            return "A Markdown file"
        case "event":
            return "JSON, signed"
    if "text" in limits:
        return limits["text"].amount
    if kind.category == "announcement" and "title" in limits:
        return f"Title of {limits['title'].amount}"
    return f"No text limit, {limits['tags'].amount}" if "tags" in limits else "No text limit"


def _needs(fields: tuple[Field, ...]) -> str:
    """Return the label of the credentials, or of the first setting that is required."""
    required = [field for field in fields if field.required and not field.choices]
    secret = [field for field in required if field.secret]
    return next((field.label for field in (*secret, *required)), "")
