"""How long a text is, in the unit in which somebody counts it, and how to make it shorter."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import regex

Unit = Literal["characters", "graphemes", "utf16", "bytes", "weighted", "items"]

_GRAPHEME = regex.compile(r"\X")
_COUNTS: Mapping[str, Callable[[str], int]] = {
    "characters": len,
    "graphemes": lambda text: sum(1 for _ in _GRAPHEME.finditer(text)),
    "utf16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
}


def length(text: str, unit: Unit) -> int:
    """`characters` are code points, `graphemes` what a reader sees as one (UAX #29), `utf16` code units."""
    return _COUNTS[unit](text)


def shorten(text: str, most: int, unit: Unit = "characters") -> str:
    """The beginning of a text in at most so many units, cut after a word where there is one, with an ellipsis.

    A grapheme is never cut. Empty where not even the ellipsis fits.
    """
    if length(text, unit) <= most:
        return text
    room = most - length("…", unit)
    if room < 0:
        return ""
    head = _head(text, room, unit)
    whole = head if text[len(head) : len(head) + 1].isspace() else head.rpartition(" ")[0]
    return (whole or head).rstrip(" \n\t,;:-–—") + "…"


def _head(text: str, room: int, unit: Unit) -> str:
    end = 0
    for grapheme in _GRAPHEME.finditer(text):
        room -= length(grapheme[0], unit)
        if room < 0:
            break
        end = grapheme.end()
    return text[:end]
