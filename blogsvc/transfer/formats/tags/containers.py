"""Write blocks where tags stand: in a quotation, in an item of a list, or beside words."""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST = 40  # characters before a block that are repeated in each of its lines
_PREFIX = re.compile(r"(?:[ \t]*+(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")


@dataclass(frozen=True)
class Container:
    """What the line of a tag begins with, and what further lines of the same block begin with."""

    first: str = ""
    others: str = ""

    @classmethod
    def of(cls, line: str) -> Container:
        """Return the container of a line, which is the text before the tag."""
        first = _PREFIX.match(line)[0]  # type: ignore[index]
        if len(first) > _MOST:
            return cls()
        return cls(first, re.sub(r">(?!\s)", "> ", re.sub(r"[^>\s]", " ", first)))

    @property
    def blank_line(self) -> str:
        return self.others.rstrip()

    @property
    def begins_item(self) -> bool:
        """True if the line begins an item of a list."""
        return bool(self.first.strip("> \t"))

    @property
    def is_in_list(self) -> bool:
        return len(self.others.rpartition(">")[2]) > 1

    def block(self, text: str) -> str:
        """Return the lines of a block; the first one follows what the line of the tag begins with."""
        return "\n".join(
            line if number == 0 else f"{self.others}{line}" if line.strip() else self.blank_line
            for number, line in enumerate(text.split("\n"))
        )

    def content(self, text: str) -> list[str]:
        """Return the lines of a text from the middle of the first line on, without what the container adds to them."""
        first, *others = text.split("\n")
        quotes = self.others.count(">")
        lines = [_without_quotes(line, quotes) for line in others]
        width = len(self.others.rpartition(">")[2].expandtabs(4)) - bool(quotes)
        if width <= 0:
            return [first, *lines]
        lines = [_with_spaces(line) for line in lines]
        depth = min([width, *(len(line) - len(line.lstrip(" ")) for line in lines if line.strip())])
        return [first, *(line[depth:] for line in lines)]


def _without_quotes(line: str, quotes: int) -> str:
    for _ in range(quotes):
        mark = _QUOTE.match(line)
        if mark is None:
            return line
        line = line[mark.end() :]
    return line


def _with_spaces(line: str) -> str:
    words = line.lstrip(" \t")
    return line[: len(line) - len(words)].expandtabs(4) + words
