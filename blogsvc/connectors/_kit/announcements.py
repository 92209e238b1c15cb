"""What is said where an article does not go itself: its title, a word about it, its link, its tags."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex

from blogsvc.connectors.base import Article
from blogsvc.connectors.errors import Rejected
from blogsvc.lib.text import plain
from blogsvc.lib.text_length import Unit, length, shorten

BREAK = "\n\n"
MOST_SUMMARY = 300  # graphemes of a summary: an announcement makes curious, it does not tell all
# Marks belong to the letter before them, joiners stand between letters: without both, hardly a word of Hindi is whole.
_WORD = regex.compile(r"[\p{L}\p{N}_](?:[\p{L}\p{N}\p{Mn}\p{Mc}_--\uFE0F]|[\u200c\u200d](?=\p{L}))*", regex.V1)
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


@dataclass(frozen=True)
class Allowance:
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


def announcement(article: Article, room: Allowance, label: str) -> Announcement:
    """What to say of an article. The link is never cut; hashtags go first, then the summary, then the title.

    Words that the author wrote for this destination are said as they stand. Raises Rejected where
    those, or the link, are too long.
    """
    words = plain(article.html) if article.is_own else ""
    link = None if _says(words, article.canonical_url) else article.canonical_url
    left = room.most - _cost_of(link, room)
    if article.is_own:
        return _own(words, link, left, room, label)
    if left < 0:
        raise Rejected(f"The link alone is longer than {label} takes: give the post a shorter address.")
    all_tags = tags = hashtags(article.tags, room.most_tags)
    title, summary = article.title.strip(), shorten(article.summary.strip(), MOST_SUMMARY, "graphemes")
    whole = _together(title, summary)
    while tags and _length(whole, room) + _cost_of_tags(tags, room) > left:
        tags = tags[:-1]
    said = _fitted(title, summary, left - _cost_of_tags(tags, room), room)
    return Announcement(said, link, tags, _warnings(len(all_tags) - len(tags), said != whole, room, label))


def _warnings(dropped: int, is_shortened: bool, room: Allowance, label: str) -> tuple[str, ...]:
    tags = [f"{label} has no room for {dropped} of the tags."] if dropped else []
    unit = "bytes" if room.unit == "bytes" else "characters"
    return (*tags, *([f"{label} takes {room.most} {unit}: the text is shortened."] if is_shortened else []))


def _says(words: str, link: str | None) -> bool:
    """Whether the link stands in the words, and not one that merely begins like it."""
    return not link or any(found.rstrip(".,;:!?)") == link for found in _ADDRESS.findall(words))


def _own(words: str, link: str | None, left: int, room: Allowance, label: str) -> Announcement:
    over = _length(words, room) - left
    if over > 0:
        raise Rejected(f"What you wrote for {label} is {over} too long for it: it takes {room.most} with the link.")
    return Announcement(words, link)


def _length(words: str, room: Allowance) -> int:
    """What words count there, each link in them at its own price."""
    links = _ADDRESS.findall(words) if room.link_cost else []
    return length(words, room.unit) + sum((room.link_cost or 0) - length(link, room.unit) for link in links)


def _cost_of(link: str | None, room: Allowance) -> int:
    if not link or room.link_cost == 0:
        return 0
    return length(BREAK, room.unit) + (length(link, room.unit) if room.link_cost is None else room.link_cost)


def _cost_of_tags(tags: tuple[str, ...], room: Allowance) -> int:
    return length(BREAK + " ".join(f"#{tag}" for tag in tags), room.unit) if tags else 0


def _together(*parts: str) -> str:
    return BREAK.join(filter(None, parts))


def _fitted(title: str, summary: str, left: int, room: Allowance) -> str:
    """The title and as much of the summary as there is room for; without it, as much of the title."""
    most = left
    while True:
        for_summary = most - (length(title + BREAK, room.unit) if title else 0)
        told = shorten(summary, for_summary, room.unit) if for_summary > 0 else ""
        said = _together(title, told) if told != "…" else title
        said = shorten(said, most, room.unit)
        over = _length(said, room) - left  # a link in the words may cost more than it is long
        if over <= 0:
            return said
        most -= over


def hashtags(tags: tuple[str, ...], most: int) -> tuple[str, ...]:
    """Tags in one word each: `web development` becomes `WebDevelopment`. One of digits alone is no hashtag."""
    words = [_WORD.findall(tag) for tag in tags]
    joined = ["".join([w[0].title() + w[1:] for w in parts] if len(parts) > 1 else parts) for parts in words]
    once = {tag.casefold(): tag for tag in reversed(joined) if tag and not tag.isdigit()}
    return tuple(reversed(once.values()))[:most]
