"""What is stored with a text besides itself: its number of words, and its words for the search."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.lib.bounded_cache import BoundedCache
from blogsvc.lib.search_terms import fold
from blogsvc.lib.text import written_words

# In characters. Text after this limit is not found, because a tsvector in PostgreSQL is limited to 1 MiB.
MAX_INDEXED_LENGTH = 400_000


@dataclass(frozen=True)
class TextFacts:
    words: int
    folded: str


def facts_of(markdown: str) -> TextFacts:
    """Return the facts of a text, from a cache if possible.

    A mebibyte takes a twentieth of a second, which is long for others who wait to write. Call this before the
    transaction that stores the text, so that it finds the result in the cache.
    """
    found = _LATELY.get(markdown)
    return found or _LATELY.put(markdown, TextFacts(written_words(markdown), fold(markdown[:MAX_INDEXED_LENGTH])))


_LATELY: BoundedCache[str, TextFacts] = BoundedCache(2 * 1024 * 1024, lambda facts: len(facts.folded))
