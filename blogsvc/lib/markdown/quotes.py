"""Turn straight quotation marks into typographic ones, as markdown-it does, and also in scripts without spaces.

In `'사과'와`, a particle follows the mark. Only between letters of other scripts is a mark an apostrophe.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.token import Token

from blogsvc.lib.text.plain import UNSPACED, UNSPACED_MARKS

_MARK = re.compile("['\"]")
_APOSTROPHE = "’"
# Words that begin with an apostrophe, in English and Dutch: 'Twas, 't huis, '90s.
_ELISION = re.compile(r"(?:t(?:is|was|were|will)|\d\ds)(?!\w)|[nst](?= \w)", re.IGNORECASE)
# Korean has spaces, but none before its particles.
_UNSPACED = re.compile(rf"[{UNSPACED}{UNSPACED_MARKS}\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]")


@dataclass(frozen=True)
class _Mark:
    """A straight quotation mark: its place, and what is beside it."""

    token: int
    place: int
    level: int
    text: str
    can_open: bool
    can_close: bool
    is_in_unspaced: bool  # beside a letter to which quotation marks are attached


def curl_quotes(tokens: Sequence[Token], quotes: Sequence[str]) -> None:
    """Replace pairs of marks, and apostrophes, in linear time.

    Args:
        quotes: the opening and closing marks of a quotation, and of one within.
    """
    changes: dict[int, list[tuple[int, str]]] = {}
    opened: list[_Mark] = []
    counts: Counter[tuple[int, str]] = Counter()  # of the open ones, so that a search is only for one that exists

    def close(last: _Mark) -> None:
        opened.pop()
        counts[last.level, last.text] -= 1

    for mark in _marks(tokens):
        while opened and opened[-1].level > mark.level:
            close(opened[-1])
        if not mark.text:
            continue
        if mark.can_close and counts[mark.level, mark.text]:
            while (partner := opened[-1]).text != mark.text:
                close(partner)
            close(partner)
            first = 2 if mark.text == "'" else 0
            changes.setdefault(partner.token, []).append((partner.place, quotes[first]))
            changes.setdefault(mark.token, []).append((mark.place, quotes[first + 1]))
        elif mark.can_open:
            opened.append(mark)
            counts[mark.level, mark.text] += 1
        elif mark.text == "'" and not mark.is_in_unspaced:
            changes.setdefault(mark.token, []).append((mark.place, _APOSTROPHE))
    for index, parts in changes.items():
        tokens[index].content = _changed(tokens[index].content, sorted(parts))


def _changed(text: str, changes: list[tuple[int, str]]) -> str:
    ends = [0, *(place + 1 for place, _ in changes)]
    between = [text[end:place] for end, (place, _) in zip(ends, changes, strict=False)]
    return "".join(part + new for part, (_, new) in zip(between, changes, strict=True)) + text[ends[-1] :]


def _marks(tokens: Sequence[Token]) -> Iterator[_Mark]:
    """Yield the marks of text. Each token also yields one without text, because a quotation ends with its element."""
    firsts = _firsts(tokens)
    before = " "
    for index, token in enumerate(tokens):
        yield _Mark(index, 0, token.level, "", False, False, False)
        text = token.content
        for found in _MARK.finditer(text) if token.type == "text" else ():
            place = found.start()
            left = text[place - 1] if place else before
            right = text[place + 1] if place + 1 < len(text) else firsts[index]
            is_in_unspaced = _UNSPACED.match(left) is not None or _UNSPACED.match(right) is not None
            is_elision = found[0] == "'" and isWhiteSpace(ord(left)) and _ELISION.match(text, place + 1)
            sides = (False, False) if is_elision else _sides(left, found[0], right, is_in_unspaced)
            yield _Mark(index, place, token.level, found[0], *sides, is_in_unspaced)
        before = " " if token.type in ("softbreak", "hardbreak") else text[-1:] or before


def _firsts(tokens: Sequence[Token]) -> list[str]:
    """Return the first character after each token, a space at the end of a line."""
    firsts, after = [], " "
    for token in reversed(tokens):
        firsts.append(after)
        after = " " if token.type in ("softbreak", "hardbreak") else token.content[:1] or after
    return firsts[::-1]


def _sides(left: str, mark: str, right: str, is_in_unspaced: bool) -> tuple[bool, bool]:
    """Return whether a mark between two characters can open a quotation, and whether it can close one."""
    has_space_before, has_space_after = isWhiteSpace(ord(left)), isWhiteSpace(ord(right))
    if is_in_unspaced:
        return not has_space_after, not has_space_before
    is_inch = left.isdecimal() and mark == right == '"'
    has_punctuation_before, has_punctuation_after = _is_punctuation(left), _is_punctuation(right)
    can_open = not has_space_after and (not has_punctuation_after or has_space_before or has_punctuation_before)
    can_close = not has_space_before and (not has_punctuation_before or has_space_after or has_punctuation_after)
    if can_open and can_close and not is_inch:
        return has_punctuation_before, has_punctuation_after
    return can_open and not is_inch, can_close and not is_inch


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)
