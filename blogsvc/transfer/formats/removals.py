"""Note what is left out of a text, with its lines, for the report of an import."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from re import finditer

MAX_LINES_NAMED = 10
MAX_SOURCE_LENGTH = 200  # characters of a removed tag that the report repeats
MAX_SEARCHED = 50_000_000  # characters, so that many parts that are not there take no time
MAX_KINDS = 1_000  # different sentences of one text; the report shows far fewer


class Removals:
    """What is left out of one text: sentences, and the lines that each is about.

    `may_hide` is True if the old blog may have hidden a part of the text that is left.
    """

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._breaks = [found.start() for found in finditer("\n", text)]
        self._first_line = first_line
        self._lines: dict[str, dict[int, None]] = {}
        self.may_hide = False

    def note(self, sentence: str, place: int) -> None:
        """Note what happened at a place of the text, in a sentence that ends with a full stop."""
        if sentence in self._lines or len(self._lines) < MAX_KINDS:
            self._lines.setdefault(sentence, {})[self._first_line + bisect_right(self._breaks, place - 1)] = None

    def note_uncertain(self, what: str, place: int) -> None:
        """Note that the old blog may have hidden a text, which is therefore not published."""
        self.may_hide = True
        self.note(f"The old blog may have hidden the text in {what}. The post is imported as a draft.", place)

    def warnings(self) -> Iterator[str]:
        """Yield each sentence with its lines."""
        for sentence, lines in self._lines.items():
            yield f"{sentence.removesuffix('.')} ({_named(list(lines))})."


def _named(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"line {lines[0]}"
    named = ", ".join(map(str, lines[:MAX_LINES_NAMED]))
    more = len(lines) - MAX_LINES_NAMED
    return f"lines {named} and {more} more" if more > 0 else f"lines {named}"


class InSource:
    """Finds the places of removed parts in the text before any conversion, in their order."""

    def __init__(self, text: str) -> None:
        self._text, self._next, self._place, self._left = text, 0, 0, MAX_SEARCHED

    def place_of(self, written: str) -> int:
        """Return the next place of a part; that of the last one if it is not there, because it was changed before."""
        if self._left > 0:
            found = self._text.find(written, self._next)
            self._left -= (found if found >= 0 else len(self._text)) - self._next
            if found >= 0:
                self._place, self._next = found, found + max(1, len(written))
        return self._place


def source(text: str) -> str:
    """Return the source of a removed tag in one line, cut to what a report can show."""
    line = " ".join(text[: 2 * MAX_SOURCE_LENGTH].split())
    return line if len(line) <= MAX_SOURCE_LENGTH else f"{line[:MAX_SOURCE_LENGTH]}…"
