"""Announcements: a short text with a link, for platforms that do not take the whole article."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from blogsvc.connectors._kit.shortened import shortened
from blogsvc.connectors._kit.typed_links import as_plain_text, links_in
from blogsvc.connectors.base import Article
from blogsvc.connectors.errors import Rejected, TextTooLong
from blogsvc.lib.text.autolinks import Autolink, addresses, hashtag, without_mentions
from blogsvc.lib.text.length import Unit, length, length_with_links, shorten, unit_name

BREAK = "\n\n"
MAX_TEASER_LENGTH = 300  # In graphemes. An announcement is a teaser.


@dataclass(frozen=True)
class Allowance:
    """What a platform allows.

    `link_cost` is the length that a link counts for, if that is not its own; 0 if the link is a card outside
    the text. `max_hidden_tags`: how many tags a post can have, if those that its text does not show are more.
    `has_links`: words can be links, so that their address is not written out. `mentions`: what a name after `@` in the
    title or the summary does there: nothing, or it is a mention, or a mention if it is a full handle.
    """

    limit: int
    unit: Unit = "characters"
    link_cost: int | None = None
    max_tags: int = 5
    max_hidden_tags: int = 0
    has_links: bool = False
    mentions: Literal["none", "names", "handles"] = "none"


@dataclass(frozen=True)
class Announcement:
    """The parts of an announcement, shortened to fit.

    `length` is that of all parts, as the platform counts them. `warnings` say what was left out. `links` are the words
    that are links, if the platform has them. `typed` is the text that the author wrote for this destination.
    """

    words: str
    link: str | None
    length: int
    hashtags: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    links: tuple[Autolink, ...] = ()
    typed: str | None = None

    @property
    def text(self) -> str:
        """Return words, link and hashtags as plain text, separated by blank lines."""
        return _joined(self.words, self.link, self._tags)

    @property
    def editable(self) -> str:
        """Return what an author can change: everything but the link, which is added to any text."""
        return self.without_link if self.typed is None else self.typed

    @property
    def without_link(self) -> str:
        return _joined(self.words, self._tags)

    @property
    def _tags(self) -> str:
        return " ".join(f"#{tag}" for tag in self.hashtags)


def announcement(article: Article, room: Allowance, label: str) -> Announcement:
    """Return the announcement of an article. If too long, drops hashtags, then shortens the summary, then the title.

    Never shortens the link or a text that the author wrote for this destination. Raises Rejected if those are
    too long.
    """
    typed = article.own_text
    link = None if _contains_link(typed or "", article.canonical_url) else article.canonical_url
    left = room.limit - _link_cost(link, room)
    if typed is not None:
        return _own_announcement(typed, link, left, room, label)
    if left < 0:
        raise Rejected(f"The link alone exceeds the {label} limit. Give the post a shorter URL.")
    possible = hashtags(article.tags, len(article.tags))
    all_tags = tags = possible[: room.max_tags]
    title, summary = _unmentioned(article.title.strip(), room), _unmentioned(article.summary.strip(), room)
    teaser, teaser_warnings = shortened(summary, MAX_TEASER_LENGTH, "graphemes", "The summary")
    whole = _joined(title, teaser)
    while tags and _length(whole, room) + _tags_cost(tags, room) > left:
        tags = tags[:-1]
    words = _shortened_text(title, teaser, left - _tags_cost(tags, room), room)
    whole_length = room.limit - left + _tags_cost(tags, room) + _length(words, room)
    warnings = _tag_warnings(article.tags, len(possible), room, label) if room.max_tags else []
    if dropped := len(all_tags) - len(tags):
        warnings.append(f"Tags left out because of the {label} length limit: {dropped}.")
    if words != whole:
        warnings.append(f"The text is shortened to the {label} limit of {room.limit} {unit_name(room.unit)}.")
    else:
        warnings += teaser_warnings
    return Announcement(words, link, whole_length, tags, tuple(warnings))


def _unmentioned(words: str, room: Allowance) -> str:
    """Return the words so that they mention nobody: `@media` means no person."""
    return words if room.mentions == "none" else without_mentions(words, keeps_handles=room.mentions == "handles")


def _tag_warnings(tags: Iterable[str], possible: int, room: Allowance, label: str) -> list[str]:
    """Return warnings about tags that are no hashtags, and about hashtags over the maximum."""
    names = ", ".join(f"“{tag}”" for tag in tags if not hashtag(tag))
    warnings = [f"{label} can't show these tags as hashtags: {names}."] if names else []
    most = max(room.max_tags, room.max_hidden_tags)
    if (over := possible - most) > 0:
        limit = f"{most} hashtag{'' if most == 1 else 's'}"
        warnings.append(f"Tags left out because posts on {label} get at most {limit}: {over}.")
    return warnings


def _contains_link(words: str, link: str | None) -> bool:
    """Return True if the words contain exactly this link, not just a longer one that starts with it."""
    found = (address.target for address in (*addresses(words), *links_in(words)))
    return not link or link in found


def _own_announcement(typed: str, link: str | None, left: int, room: Allowance, label: str) -> Announcement:
    words, links = as_plain_text(typed, has_links=room.has_links)
    whole_length = room.limit - left + _length(words, room)
    if (over := whole_length - room.limit) > 0:
        raise too_long(label, over, room.limit, room.unit)
    return Announcement(words, link, whole_length, links=links, typed=typed)


def too_long(label: str, over: int, max_length: int, unit: Unit) -> TextTooLong:
    """Return the error for a text that an author wrote for this destination."""
    words = f"Your text for {label} is {over} over the limit of {max_length}, including the link. Shorten it."
    return TextTooLong(words, over, unit)


def _length(words: str, room: Allowance) -> int:
    """Return the length of the words as the platform counts it."""
    return length_with_links(words, room.unit, room.link_cost)


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
        words = _joined(title, teaser) if teaser != "…" else title
        words = shorten(words, max_length, room.unit)
        over = _length(words, room) - left  # a link in the words may count more than its length
        if over <= 0:
            return words
        max_length -= over


def hashtags(tags: tuple[str, ...], max_tags: int) -> tuple[str, ...]:
    """Return tags as hashtags without `#`, each once, without those that no hashtag can say (`hashtag`)."""
    once = {name.casefold(): name for tag in reversed(tags) if (name := hashtag(tag))}
    return tuple(reversed(once.values()))[:max_tags]
