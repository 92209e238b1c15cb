"""Find the code in MDX, of which an expression with backticks before it may decide where it begins."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from blogsvc.lib.markdown.code_places import Places, code_blocks
from blogsvc.lib.markdown.render import LINES

_RUN = re.compile("`++")


class MdxCode:
    """The code of a text that is read from left to right."""

    def __init__(self, text: str) -> None:
        is_read = text.count("\n") <= LINES and ("`" in text or "~~~" in text)
        blocks, lines = code_blocks(text, is_mdx=True) if is_read else ([], [])
        self._blocks, self._lines = Places(blocks), sorted(lines)
        self._runs: dict[int, list[int]] = {}  # where the runs of backticks begin, by their length
        for run in _RUN.finditer(text):
            self._runs.setdefault(len(run[0]), []).append(run.start())

    def end_of_block(self, place: int) -> int | None:
        """Return the end of the code block that a place is in; None if it is in none."""
        return self._blocks.end_at(place)

    def end_of_span(self, place: int, length: int) -> int | None:
        """Return the end of the code that begins with a run of backticks; None if none closes it."""
        number = bisect_right(self._lines, (place, place + 1_000_000_000)) - 1
        if number < 0 or place >= self._lines[number][1]:
            return None
        runs = self._runs.get(length, [])
        following = bisect_left(runs, place + length)
        if following == len(runs) or runs[following] >= self._lines[number][1]:
            return None
        return runs[following] + length
