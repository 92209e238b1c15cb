"""Words to search by: one form for all spellings of a word, and what somebody asked for.

Text and question are folded in the same way here, so that every database finds the same. There is no
stemming, since a blog may hold any language; a word that is asked for finds those that begin with it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

# Scripts that do not part their words: each character is one, and what is asked for a run of them.
_UNPARTED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Japanese, Chinese
)
_TOKEN = re.compile(rf"[{_UNPARTED}]|[^\W_{_UNPARTED}]+")
_ASKED = re.compile(r'(-?)(?:"([^"]*)"?|([^\s"]+))')
# Letters that are no letter with an accent, and are typed without one all the same.
_PLAIN = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ŧ": "t"})
# Longer ones are no words, and PostgreSQL refuses those of 2 KiB.
_LONGEST = 100


def tokens(text: str) -> list[str]:
    """The words of a text without case and accents: `Übergröße` is `ubergrosse`."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return [token[:_LONGEST] for token in _TOKEN.findall(bare.casefold().translate(_PLAIN))]


def fold(text: str) -> str:
    """The words of a text, parted by spaces."""
    return " ".join(tokens(text))


@dataclass(frozen=True)
class Term:
    """Words that must stand side by side. The last may go on, unless it was quoted."""

    words: tuple[str, ...]
    is_exact: bool
    is_unwanted: bool

    def for_fts5(self) -> str:
        """As SQLite's FTS5 asks for it. Words are letters and digits, so nothing needs escaping."""
        return f'"{" ".join(self.words)}"{"" if self.is_exact else " *"}'

    def for_tsquery(self) -> str:
        """As PostgreSQL's to_tsquery asks for it."""
        return " <-> ".join(self.words) + ("" if self.is_exact else ":*")


def terms(question: str) -> list[Term]:
    """What is asked for: words, "quoted phrases", and -what is not wanted."""
    found = []
    for minus, phrase, word in _ASKED.findall(question):
        words = tuple(tokens(phrase or word))
        if words:
            found.append(Term(words, is_exact=bool(phrase), is_unwanted=bool(minus)))
    return found
