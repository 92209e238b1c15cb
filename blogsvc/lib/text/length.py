"""The length of a text in the units that platforms count, and how to shorten it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Literal

from blogsvc.lib.text.autolinks import addresses

if TYPE_CHECKING:
    from regex import Pattern

Unit = Literal["characters", "graphemes", "utf16", "bytes", "weighted", "items"]

_GRAPHEME = r"\X"
_EMOJI = r"\p{Emoji_Presentation}|\uFE0F|\u20E3"
# Code points that X counts once; others count twice (twitter-text, configuration 3).
_LIGHT = r"[\x00-\u10FF\u2000-\u200D\u2010-\u201F\u2032-\u2037]"

_WORDS_SHARE = 0.8  # of a text that is cut: so much must be left to cut it after a word


@cache
def _pattern(text: str) -> Pattern[str]:
    """Return a compiled pattern. The module is imported by the first one: most processes measure no text."""
    import regex

    return regex.compile(text)


def graphemes(text: str) -> list[str]:
    """Return the visible characters of a text (UAX #29)."""
    return [found[0] for found in _pattern(_GRAPHEME).finditer(text)]


def _weight(text: str) -> int:
    return sum(_weight_of(grapheme) for grapheme in _pattern(_GRAPHEME).findall(unicodedata.normalize("NFC", text)))


def _weight_of(grapheme: str) -> int:
    """Return the weight of a grapheme. An emoji counts 2, regardless of its code points."""
    return 2 if _pattern(_EMOJI).search(grapheme) else 2 * len(grapheme) - len(_pattern(_LIGHT).findall(grapheme))


_COUNTS: Mapping[str, Callable[[str], int]] = {
    "characters": len,
    "graphemes": lambda text: sum(1 for _ in _pattern(_GRAPHEME).finditer(text)),
    "utf16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "bytes": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "weighted": _weight,
}


def unit_name(unit: Unit) -> str:
    """Return a unit for people. Graphemes, UTF-16 units and weighted characters are all characters to a writer."""
    return {"bytes": "bytes", "items": "tags"}.get(unit, "characters")


def length(text: str, unit: Unit) -> int:
    """Return the length of a text.

    `characters` are code points, `graphemes` visible characters (UAX #29), and `utf16` code units. `weighted`
    is how X counts, except for links, which count 23 each there. Raises ValueError for `items`, which count
    the items of a list.
    """
    if unit == "items":
        raise ValueError("A text has no items: count the list.")
    return _COUNTS[unit](text)


def length_with_links(text: str, unit: Unit, link_cost: int | None) -> int:
    """Return the length of a text whose addresses count `link_cost` each; None or 0 if they count what they are."""
    links = addresses(text) if link_cost else ()
    return length(text, unit) + sum((link_cost or 0) - length(link.target, unit) for link in links)


def shorten(text: str, limit: int, unit: Unit = "characters") -> str:
    """Shorten a text to at most `limit` units, with an ellipsis. Never splits a grapheme.

    It ends after a word, if the last space is in the last fifth of what fits: some languages have few spaces or none.
    An address is left out rather than cut, unless the text begins with it. Returns "" if not even the ellipsis fits.
    """
    if length(text, unit) <= limit:
        return text
    room = limit - length("…", unit)
    if room < 0:
        return ""
    head = _head(text, room, unit)
    if (cut := next((one for one in addresses(text) if one.end > len(head)), None)) and 0 < cut.start < len(head):
        head = text[: cut.start]
    elif not text[len(head) : len(head) + 1].isspace():
        words = head[: max(head.rfind(" "), head.rfind("\n"), 0)]
        head = words if length(words, unit) >= _WORDS_SHARE * room else head
    return head.rstrip(" \n\t,;:-–—、，") + "…"


def _head(text: str, room: int, unit: Unit) -> str:
    end = 0
    for grapheme in _pattern(_GRAPHEME).finditer(text):
        room -= length(grapheme[0], unit)
        if room < 0:
            break
        end = grapheme.end()
    return text[:end]
