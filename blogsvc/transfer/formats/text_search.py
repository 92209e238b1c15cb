"""Search for pairs of opening and closing marks in a text, in about linear time, whatever the text is."""

from __future__ import annotations

import re
from collections.abc import Callable


class TextSearch:
    """Searches one text from left to right.

    Remembers the last match of each pattern. A thousand openings without a closing mark cost one search for it, not a
    thousand. Each pattern must itself take linear time.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._last: dict[re.Pattern[str], tuple[int, re.Match[str] | None]] = {}

    def after(self, pattern: re.Pattern[str], place: int) -> re.Match[str] | None:
        """Return the first match at or after a place."""
        began, match = self._last.get(pattern, (len(self.text) + 1, None))
        if began <= place and (match is None or place <= match.start()):
            return match
        match = pattern.search(self.text, place)
        self._last[pattern] = place, match
        return match


Replace = Callable[[re.Match[str], str], str | None]


def with_pairs_replaced(
    text: str, opening: re.Pattern[str], closing: Callable[[re.Match[str]], re.Pattern[str]], replace: Replace
) -> str:
    """Return the text with each pair of marks replaced.

    Args:
        closing: returns the pattern that closes an opening mark. The first match after it is used.
        replace: gets the opening mark and the text up to the closing mark. None keeps the opening mark as it is.
    """
    search, parts, place, unchanged_from = TextSearch(text), [], 0, 0
    while opened := opening.search(text, place):
        place = opened.end()
        closed = search.after(closing(opened), place)
        if closed is not None and (new := replace(opened, text[place : closed.start()])) is not None:
            parts += [text[unchanged_from : opened.start()], new]
            place = unchanged_from = closed.end()
    return "".join([*parts, text[unchanged_from:]])
