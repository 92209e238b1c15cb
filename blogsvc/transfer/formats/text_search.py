"""Search for pairs of opening and closing marks in a text, in about linear time, whatever the text is."""

from __future__ import annotations

import re


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
