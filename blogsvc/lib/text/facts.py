"""Facts of a text: its words, how long it takes to read, its words for the search, and how many another text lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil

from blogsvc.lib.text.plain import UNSPACED, text_between_tags, written_words
from blogsvc.lib.text.search_terms import fold

WORDS_PER_MINUTE = 230  # Brysbaert 2019: 238
# In characters. Text after this limit is not found, because a tsvector in PostgreSQL is limited to 1 MiB.
MAX_INDEXED_LENGTH = 400_000
# What a large removal is: so many words, or this share of the words.
LARGE_REMOVAL = 50
LARGE_SHARE = 0.2
RETYPED_WORDS = 5
# Word for word as an author types them; a Chinese, Japanese or Thai sentence counts as what its characters are.
_SPACED = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")


@dataclass(frozen=True)
class TextFacts:
    words: int
    folded: str


def facts_of(markdown: str) -> TextFacts:
    """Return the facts of a text. A mebibyte takes a twentieth of a second (`posts.prepare`)."""
    return TextFacts(written_words(markdown), fold(markdown[:MAX_INDEXED_LENGTH]))


def searchable(title: str, summary: str, tags: Iterable[str], html: str) -> tuple[str, str]:
    """Return the normalized title of a post, and all of its normalized words, as its readers can search them."""
    around, body = " \n ".join((title, summary, *tags)), text_between_tags(html)
    return fold(title), f"{fold(around)} {fold(body[:MAX_INDEXED_LENGTH])}"[:MAX_INDEXED_LENGTH]


def reading_minutes(words: int) -> int:
    """Return the reading time in whole minutes, at least 1."""
    return max(1, ceil(words / WORDS_PER_MINUTE))


def removed_words(old: str, new: str) -> int:
    """Count the words of a text that another text does not have, wherever they are. Equal lines cost little."""
    olds, news = Counter(old.splitlines()), Counter(new.splitlines())
    gone = Counter(_SPACED.findall("\n".join((olds - news).elements())))
    come = Counter(_SPACED.findall("\n".join((news - olds).elements())))
    return (gone - come).total()


def is_large_removal(old: str, new: str) -> bool:
    """Return True if the new text lacks over 50 words or 20 % of the words of the old one.

    Words that other words replace count as removed too, but a few do not, because a word changes while it is typed.
    """
    before = written_words(old)
    limit = min(LARGE_REMOVAL, LARGE_SHARE * before)
    if before - written_words(new) > limit:
        return True
    return removed_words(old, new) > max(limit, RETYPED_WORDS)
