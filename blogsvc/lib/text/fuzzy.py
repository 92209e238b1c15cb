"""Fuzzy search in short labels: how well a label fits what was typed, and which names are similar to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from difflib import SequenceMatcher, get_close_matches
from enum import IntEnum

# What is looked at to find the closest of many names: the beginning of a name, three letters that not too many names
# have, and the names that share most of these. So it takes at most a few milliseconds.
LONGEST, COMMON, CANDIDATES = 80, 200, 10
MIN_RATIO = 0.6
# How many times longer than the query the part of a label that contains its letters can be.
MAX_SPREAD = 3


class Fit(IntEnum):
    """How a label fits, best first."""

    PREFIX = 0
    WORD_START = 1
    INSIDE = 2
    SUBSEQUENCE = 3


def fit(label: str, query: str) -> Fit | None:
    """Return how well a label fits a query, or None. "nwp" is a subsequence of "New post", from the start of a word."""
    label, parts = label.casefold(), query.casefold().split()
    if label.startswith(" ".join(parts)):
        return Fit.PREFIX
    if all(re.search(rf"\b{re.escape(part)}", label) for part in parts):
        return Fit.WORD_START
    if all(part in label for part in parts):
        return Fit.INSIDE
    return Fit.SUBSEQUENCE if _has_in_order(label, "".join(parts)) else None


def _has_in_order(label: str, letters: str) -> bool:
    """Return True if the letters follow each other within a part of the label that begins at the start of a word."""
    starts = (word.start() for word in re.finditer(rf"\b{re.escape(letters[0])}", label))
    return any(_is_subsequence(label[start : start + MAX_SPREAD * len(letters)], letters) for start in starts)


def _is_subsequence(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a sentence, after a space, that asks whether a similar name was meant, or "" if none is similar."""
    similar = _close_matches(name, names)
    return f" Did you mean {' or '.join(map(repr, similar))}?" if similar else ""


def _close_matches(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three known names that `name` may be a misspelling or an extension of, the closest first."""
    names = dict.fromkeys(names)
    joined = {re.sub("[^a-z0-9]", "", one): one for one in names}
    typed = re.sub("[^a-z0-9]", "", name.lower())[:64]
    found = [joined[one] for one in get_close_matches(typed, joined, n=3, cutoff=0.75)]
    part = [one for one in names if len(typed) > 3 and (typed in one or one in typed)]
    return list(dict.fromkeys([*found, *part]))[:3]


class ClosestNames:
    """Finds the closest of thousands of names to another one."""

    def __init__(self, names: Iterable[str]) -> None:
        self._having: dict[str, list[str]] = {}
        for name in dict.fromkeys(names):
            for part in _parts(name):
                self._having.setdefault(part, []).append(name)

    def to(self, name: str, most: int) -> list[str]:
        """Return up to `most` names that are like this one, the closest first."""
        shared = Counter[str]()
        for part in _parts(name):
            having = self._having.get(part, ())
            if len(having) <= COMMON:
                shared.update(having)
        matcher = SequenceMatcher(None, b=name[:LONGEST].casefold(), autojunk=False)
        ranked = []
        for candidate, _ in shared.most_common(CANDIDATES):
            matcher.set_seq1(candidate[:LONGEST].casefold())
            ranked.append((matcher.ratio(), candidate))
        ranked.sort(key=lambda each: -each[0])
        return [candidate for ratio, candidate in ranked if ratio >= MIN_RATIO][:most]


def _parts(name: str) -> set[str]:
    """Return each three letters in a row, with its ends as letters."""
    text = f" {name[:LONGEST].casefold()} "
    return {text[start : start + 3] for start in range(len(text) - 2)}
