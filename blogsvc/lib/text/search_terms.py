"""Normalise words for search, and parse search queries.

Text and queries are normalised in the same way here, so that all databases give the same results. There is no
stemming, because a blog can be in any language; a word matches all words that start with it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from blogsvc.lib.text.character_table import CharacterTable

# Scripts without spaces between words. Each character is a token, and a query matches a sequence of them.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Japanese, Chinese
)
_ASKED = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
# Letters that Unicode does not decompose, but that people search for without the special form.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŧ": "t"})
# In characters; PostgreSQL rejects words over 2 KiB.
_LONGEST = 100


def tokens(text: str) -> list[str]:
    """Return the words without case and accents: `Übergröße` becomes `ubergrosse`."""
    bare = text if text.isascii() else unicodedata.normalize("NFKD", text.casefold())
    return [word[:_LONGEST] for word in bare.translate(_FOLDED).split()]


def _folded(character: str) -> str:
    """Return a character of decomposed text as it is searched: "" for an accent, and spaces around what is a word."""
    if unicodedata.combining(character):
        return ""
    plain = character.casefold().translate(_PLAIN)
    return "".join(f" {c} " if _IS_UNPARTED.fullmatch(c) else c if c.isalnum() else " " for c in plain)


_IS_UNPARTED = re.compile(f"[{_UNPARTED}]")
_FOLDED = CharacterTable(_folded)


def fold(text: str) -> str:
    """Return the normalised words, separated by spaces."""
    return " ".join(tokens(text))


@dataclass(frozen=True)
class Term:
    """A sequence of words to search for. The last matches as a prefix, unless it was quoted."""

    words: tuple[str, ...]
    is_exact: bool
    is_unwanted: bool

    def for_fts5(self) -> str:
        """Return the term for SQLite's FTS5. Words have only letters and digits, so no escaping is needed."""
        return f'"{" ".join(self.words)}"{"" if self.is_exact else " *"}'

    def for_tsquery(self) -> str:
        """Return the term for PostgreSQL's to_tsquery."""
        return " <-> ".join(self.words) + ("" if self.is_exact else ":*")


def terms(question: str) -> list[Term]:
    """Parse a search query: words, "quoted phrases" and -exclusions."""
    parsed = []
    for minus, phrase, word in _ASKED.findall(question):
        words = tuple(tokens(phrase or word))
        if words:
            parsed.append(Term(words, is_exact=bool(phrase), is_unwanted=bool(minus)))
    return parsed
