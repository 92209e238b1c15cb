"""What is said where an article does not go itself: its title, a word about it, its link, its tags."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.connectors.base import Article
from blogsvc.connectors.errors import Rejected
from blogsvc.lib.lengths import Unit, length, shorten
from blogsvc.lib.text import plain

BREAK = "\n\n"
MOST_SUMMARY = 300  # graphemes of a summary: an announcement makes curious, it does not tell all
_NOT_IN_A_HASHTAG = re.compile(r"[^\w]+")


@dataclass(frozen=True)
class Room:
    """How much a platform takes. `link_cost` is what a link counts there, where that is not its length; 0
    where the link is shown as a card and not written."""

    most: int
    unit: Unit = "characters"
    link_cost: int | None = None
    most_tags: int = 5


@dataclass(frozen=True)
class Announcement:
    """The parts of what is said, each as it fits; `warnings` say what did not."""

    words: str
    link: str | None
    hashtags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All of it as plain text: words, link, hashtags, each after an empty line."""
        tags = " ".join(f"#{tag}" for tag in self.hashtags)
        return BREAK.join(part for part in (self.words, self.link, tags) if part)


def announcement(article: Article, room: Room, label: str) -> Announcement:
    """What to say of an article. The link is never cut; hashtags go first, then the summary, then the title.

    Words that the author wrote for this destination are said as they stand. Raises Rejected where
    those, or the link, are too long.
    """
    words = plain(article.html) if article.is_own else ""
    link = article.canonical_url if article.canonical_url and article.canonical_url not in words else None
    left = room.most - _cost_of(link, room)
    if article.is_own:
        return _own(words, link, left, room, label)
    if left < 0:
        raise Rejected(f"The link alone is longer than {label} takes: give the post a shorter address.")
    tags = hashtags(article.tags, room.most_tags)
    title, summary = article.title.strip(), shorten(article.summary.strip(), MOST_SUMMARY, "graphemes")
    whole = BREAK.join(part for part in (title, summary) if part)
    while tags and length(whole, room.unit) + _cost_of_tags(tags, room) > left:
        tags = tags[:-1]
    dropped = len(hashtags(article.tags, room.most_tags)) - len(tags)
    said = _fitted(title, summary, left - _cost_of_tags(tags, room), room.unit)
    warnings = [f"{label} has no room for {dropped} of the tags."] if dropped else []
    if said != whole:
        warnings.append(f"{label} takes {room.most} {_NAMES.get(room.unit, room.unit)}: the text is shortened.")
    return Announcement(said, link, tags, tuple(warnings))


_NAMES = {"graphemes": "characters", "utf16": "characters"}


def _own(words: str, link: str | None, left: int, room: Room, label: str) -> Announcement:
    over = length(words, room.unit) - left
    if over > 0:
        raise Rejected(f"What you wrote for {label} is {over} too long for it: it takes {room.most} with the link.")
    return Announcement(words, link)


def _cost_of(link: str | None, room: Room) -> int:
    if not link or room.link_cost == 0:
        return 0
    return length(BREAK, room.unit) + (length(link, room.unit) if room.link_cost is None else room.link_cost)


def _cost_of_tags(tags: tuple[str, ...], room: Room) -> int:
    return length(BREAK + " ".join(f"#{tag}" for tag in tags), room.unit) if tags else 0


def _fitted(title: str, summary: str, room: int, unit: Unit) -> str:
    left = room - length(title + BREAK, unit)
    told = shorten(summary, left, unit) if left > 0 else ""
    said = f"{title}{BREAK}{told}" if len(told) > 1 else title
    return shorten(said, room, unit)


def hashtags(tags: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Tags in one word each: `web development` becomes `WebDevelopment`. One of digits alone is no hashtag."""
    words = [[word for word in _NOT_IN_A_HASHTAG.split(tag) if word] for tag in tags]
    joined = [
        parts[0] if len(parts) == 1 else "".join(p[:1].upper() + p[1:] for p in parts) for parts in words if parts
    ]
    return tuple(dict.fromkeys(tag for tag in joined if not tag.isdigit()))[:most]
