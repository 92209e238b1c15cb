"""Emphasis: Markdown's delimiters where CommonMark lets them be read as such, or else the HTML element.

Whether delimiters are read depends on the characters beside them. These are known when all of the text is, so each
mark is first written as two characters that no text has.
"""

from __future__ import annotations

import re

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar

_DELIMITERS = {"strong": "**", "em": "*", "del": "~~"}
_OPEN = dict(zip(_DELIMITERS, "\ufdd0\ufdd1\ufdd2", strict=True))
_CLOSE = dict(zip(_DELIMITERS, "\ufdd3\ufdd4\ufdd5", strict=True))
_OPENED = {character: name for name, character in _OPEN.items()}
_CLOSED = {character: name for name, character in _CLOSE.items()}
_STAND_IN = re.compile("[\ufdd0-\ufdd5]")


def marked(text: str, name: str) -> str:
    """Return Markdown with a mark around it: "strong", "em" or "del"."""
    return f"{_OPEN[name]}{text}{_CLOSE[name]}"


def written(markdown: str, *, has_html: bool) -> str:
    """Return Markdown with its marks. Without HTML, those that Markdown can't express are left out."""
    places = [place.start() for place in _STAND_IN.finditer(markdown)]
    if not places:
        return markdown
    signs = dict.fromkeys(places, "")
    around: list[tuple[int, int, str]] = []  # the marks with delimiters around a place: start, end and delimiter
    for start, end in _pairs(markdown, places):
        name = _OPENED[markdown[start]]
        delimiter = _DELIMITERS[name]
        while around and around[-1][1] < start:
            around.pop()
        if _is_read(markdown, start, end) and not _is_confused(markdown, start, delimiter, signs, around):
            signs[start] = signs[end] = delimiter
            around.append((start, end, delimiter))
        elif has_html:
            signs[start], signs[end] = f"<{name}>", f"</{name}>"
    return _STAND_IN.sub(lambda place: signs[place.start()], markdown)


def _is_read(markdown: str, start: int, end: int) -> bool:
    """Return True if the characters beside the delimiters let them open and close a mark."""
    return _is_flanking(*_beside(markdown, start)) and _is_flanking(*_beside(markdown, end)[::-1])


def _is_confused(
    markdown: str, start: int, delimiter: str, signs: dict[int, str], around: list[tuple[int, int, str]]
) -> bool:
    """Return True if the first delimiter would continue one before it, or close a mark around it."""
    if markdown[start - 1 : start] in _CLOSED and signs[start - 1][:1] == delimiter[0]:
        return True
    if not around or around[-1][0] == start - 1:
        return False
    can_close = _is_flanking(*_beside(markdown, start)[::-1])
    return can_close and any(other[0] == delimiter[0] for _, _, other in around)


def _pairs(markdown: str, places: list[int]) -> list[tuple[int, int]]:
    """Return the places of each mark's start and end, in the order of the starts."""
    pairs: list[tuple[int, int]] = []
    is_open: list[int] = []
    for place in places:
        if markdown[place] in _OPENED:
            is_open.append(place)
        elif is_open:
            pairs.append((is_open.pop(), place))
    return sorted(pairs)


def _beside(markdown: str, place: int) -> tuple[str, str]:
    """Return the characters after and before a place. "" is the start or the end of the text."""
    return markdown[place + 1 : place + 2], markdown[max(place - 1, 0) : place]


def _is_flanking(inside: str, outside: str) -> bool:
    """Return True if a delimiter between the two characters may open, or close, a mark."""
    if not inside or inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    # All delimiters and tags begin and end with punctuation.
    return bool(_STAND_IN.match(character)) or isMdAsciiPunct(ord(character)) or isPunctChar(character)
