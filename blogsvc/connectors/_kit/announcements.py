"""Announcements: a short text with a link, for platforms that do not take the whole article."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex

from blogsvc.connectors.base import Article
from blogsvc.connectors.errors import Rejected, TextTooLong
from blogsvc.lib.text.length import Unit, length, shorten, unit_name

BREAK = "\n\n"
MAX_TEASER_LENGTH = 300  # In graphemes. An announcement is a teaser.
# \p{Mn} and \p{Mc} are marks of the letter before them, U+200C and U+200D join letters. Without them, words in
# Hindi and other scripts would be cut.
_WORD = regex.compile(r"[\p{L}\p{N}_](?:[\p{L}\p{N}\p{Mn}\p{Mc}_--\uFE0F]|[\u200c\u200d](?=\p{L}))*", regex.V1)
_ADDRESS = re.compile(r"https?://[^\s<>\"]+", re.IGNORECASE)


@dataclass(frozen=True)
class Allowance:
    """The length that a platform allows.

    `link_cost` is the length that a link counts for, if that is not its own; 0 if the link is a card outside
    the text.
    """

    limit: int
    unit: Unit = "characters"
    link_cost: int | None = None
    max_tags: int = 5


@dataclass(frozen=True)
class Announcement:
    """The parts of an announcement, shortened to fit.

    `length` is that of all parts, as the platform counts them. `warnings` say what was left out.
    """

    words: str
    link: str | None
    length: int
    hashtags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return words, link and hashtags as plain text, separated by blank lines."""
        return _joined(self.words, self.link, self._tags)

    @property
    def editable(self) -> str:
        """Return what an author can change: everything but the link, which is added to any text."""
        return _joined(self.words, self._tags)

    @property
    def _tags(self) -> str:
        return " ".join(f"#{tag}" for tag in self.hashtags)


def announcement(article: Article, room: Allowance, label: str) -> Announcement:
    """Return the announcement of an article. If too long, drops hashtags, then shortens the summary, then the title.

    Never shortens the link or a text that the author wrote for this destination. Raises Rejected if those are
    too long.
    """
    words = article.own_text
    link = None if _contains_link(words or "", article.canonical_url) else article.canonical_url
    left = room.limit - _link_cost(link, room)
    if words is not None:
        return _own_announcement(words, link, left, room, label)
    if left < 0:
        raise Rejected(f"The link alone exceeds the {label} limit. Give the post a shorter URL.")
    all_tags = tags = hashtags(article.tags, room.max_tags)
    title, summary = article.title.strip(), shorten(article.summary.strip(), MAX_TEASER_LENGTH, "graphemes")
    whole = _joined(title, summary)
    while tags and _length(whole, room) + _tags_cost(tags, room) > left:
        tags = tags[:-1]
    shortened = _shortened_text(title, summary, left - _tags_cost(tags, room), room)
    whole_length = room.limit - left + _tags_cost(tags, room) + _length(shortened, room)
    warnings = _warnings(len(all_tags) - len(tags), shortened != whole, room, label)
    return Announcement(shortened, link, whole_length, tags, warnings)


def _warnings(dropped: int, is_shortened: bool, room: Allowance, label: str) -> tuple[str, ...]:
    tags = [f"Tags left out because of the {label} length limit: {dropped}."] if dropped else []
    unit = unit_name(room.unit)
    return (
        *tags,
        *([f"The text is shortened to the {label} limit of {room.limit} {unit}."] if is_shortened else []),
    )


def _contains_link(words: str, link: str | None) -> bool:
    """Return True if the words contain exactly this link, not just a longer one that starts with it."""
    return not link or any(found.rstrip(".,;:!?)") == link for found in _ADDRESS.findall(words))


def _own_announcement(words: str, link: str | None, left: int, room: Allowance, label: str) -> Announcement:
    whole_length = room.limit - left + _length(words, room)
    if (over := whole_length - room.limit) > 0:
        raise too_long(label, over, room.limit, room.unit)
    return Announcement(words, link, whole_length)


def too_long(label: str, over: int, max_length: int, unit: Unit) -> TextTooLong:
    """Return the error for a text that an author wrote for this destination."""
    words = f"Your text for {label} is {over} over the limit of {max_length}, including the link. Shorten it."
    return TextTooLong(words, over, unit)


def _length(words: str, room: Allowance) -> int:
    """Return the length of the words as the platform counts it."""
    links = _ADDRESS.findall(words) if room.link_cost else []
    return length(words, room.unit) + sum((room.link_cost or 0) - length(link, room.unit) for link in links)


def _link_cost(link: str | None, room: Allowance) -> int:
    if not link or room.link_cost == 0:
        return 0
    return length(BREAK, room.unit) + (length(link, room.unit) if room.link_cost is None else room.link_cost)


def _tags_cost(tags: tuple[str, ...], room: Allowance) -> int:
    return length(BREAK + " ".join(f"#{tag}" for tag in tags), room.unit) if tags else 0


def _joined(*parts: str | None) -> str:
    return BREAK.join(filter(None, parts))


def _shortened_text(title: str, summary: str, left: int, room: Allowance) -> str:
    """Return the title with as much of the summary as fits, or as much of the title as fits."""
    max_length = left
    while True:
        for_summary = max_length - (length(title + BREAK, room.unit) if title else 0)
        teaser = shorten(summary, for_summary, room.unit) if for_summary > 0 else ""
        shortened = _joined(title, teaser) if teaser != "…" else title
        shortened = shorten(shortened, max_length, room.unit)
        over = _length(shortened, room) - left  # a link in the words may count more than its length
        if over <= 0:
            return shortened
        max_length -= over


def hashtags(tags: tuple[str, ...], max_tags: int) -> tuple[str, ...]:
    """Return tags as hashtags: `web development` becomes `WebDevelopment`. Skips numbers, which are not hashtags."""
    words = [_WORD.findall(tag) for tag in tags]
    joined = ["".join([w[0].title() + w[1:] for w in parts] if len(parts) > 1 else parts) for parts in words]
    once = {tag.casefold(): tag for tag in reversed(joined) if tag and not tag.isdigit()}
    return tuple(reversed(once.values()))[:max_tags]
