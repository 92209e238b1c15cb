"""Find the words of a search query in a text, to mark them in results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from blogsvc.lib.text.search_terms import Term, tokens

_LETTER = r"[^\W_]"
_SPACE = re.compile(r"\s+")


class Piece(NamedTuple):
    """A part of a text, and whether it is what was searched for."""

    text: str
    is_match: bool


def marked(text: str, terms: Iterable[Term]) -> list[Piece]:
    """Return the text in pieces: the matches of the terms, and what is between them."""
    pieces, end = [], 0
    pattern = _pattern(terms)
    for match in pattern.finditer(_shadow(text)) if pattern else ():
        pieces += [Piece(text[end : match.start()], False), Piece(text[match.start() : match.end()], True)]
        end = match.end()
    return [piece for piece in (*pieces, Piece(text[end:], False)) if piece.text]


def excerpt_around(text: str, terms: Iterable[Term], length: int = 160) -> list[Piece]:
    """Return about `length` characters around the first match, in pieces; [] if no term is in the text."""
    pattern = _pattern(terms)
    first = pattern.search(_shadow(text)) if pattern else None
    if first is None:
        return []
    start = max(0, first.start() - length // 3)
    end = start + length
    if start:
        start = text.find(" ", start, first.start()) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", first.start(), end), 0) or end
    words = _SPACE.sub(" ", text[start:end]).strip()
    return marked(("… " if start else "") + words + (" …" if end < len(text) else ""), terms)


def _pattern(terms: Iterable[Term]) -> re.Pattern[str] | None:
    """Return a pattern that finds the wanted terms in the shadow of a text."""
    patterns = [_of_term(term) for term in terms if not term.is_unwanted]
    return re.compile("|".join(patterns)) if patterns else None


def _of_term(term: Term) -> str:
    words = r"[\W_]*".join(re.escape(word) for word in term.words)
    if not term.words[0][0].isascii():  # perhaps a script without spaces between words
        return words
    return rf"(?<!{_LETTER}){words}" + (rf"(?!{_LETTER})" if term.is_exact else rf"{_LETTER}*")


def _shadow(text: str) -> str:
    """Return the text without case and accents, each character in its place."""
    return text.lower() if text.isascii() else text.translate(_SHADOWS)


class _Shadows(dict[int, str]):
    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = tokens(character)
        shadow = folded[0][0] if folded else character
        # A combining mark belongs to the letter before it.
        self[code] = shadow = "\u0300" if unicodedata.combining(character) else shadow
        return shadow


_SHADOWS = _Shadows()
