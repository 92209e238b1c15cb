"""Fuzzy search in short labels: how well a label fits what was typed, and which names are similar to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum

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
