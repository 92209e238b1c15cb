"""Tell whether a component is a block of its own although its content begins beside its tag.

In MDX, a paragraph that has nothing but components is none: each component in it is a block. Within words, a component
is a part of a sentence, and its title may be one that readers do not see.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.transfer.formats.tags.indented_content import indentation, markers

_MAX_CONTENT, _MAX_SAME = 4_000, 50  # characters of the content, and components in it with the same name
_LINE = 1_000  # characters that are searched for the beginning or the end of a line
_BLANK_LINE = re.compile(r"\n[ \t>]*+\n")
_TAG_AFTER = re.compile(r"[ \t]*+</?[A-Z]")


@dataclass(frozen=True)
class Opened:
    """A component that is open.

    Args:
        parts: The number of parts before its content, -1 if this is in one line.
        indent: What a line after it begins with, if its content begins beside its tag but has words above it.
    """

    name: str
    parts: int
    is_block: bool
    indent: str | None

    def end(self, text: str, place: int) -> str:
        """Return what separates the content from the text at a place."""
        if self.indent is None:
            return ""
        blank = f"\n{self.indent.rstrip()}"
        return blank if text[place : place + 1] in ("", "\n") else f"{blank}\n{self.indent}"


@dataclass(frozen=True)
class Included:
    """The Markdown of a file that a component shows, and whether the old blog may have hidden a part of it."""

    markdown: str
    may_hide: bool

    def in_lines(self, written: str, indent: str) -> str:
        """Return the Markdown in lines of its own, for the place after what is written."""
        return blank_line(written, indent) + f"{self.markdown}\n".replace("\n", f"\n{indent}")


def blank_line(written: str, indent: str) -> str:
    """Return the blank line that words need after what is written, "" if they begin a block anyway."""
    above, _, before = written[-_LINE:].rpartition("\n")
    if markers(before) != before:
        return f"\n{indent.rstrip()}\n{indent}"
    begins_item = indentation(before) != before
    return f"\n{indent}" if not begins_item and above.rpartition("\n")[2].strip(" \t>") else ""


def is_block(text: str, name: str, place: int, content: int, last: int) -> bool:
    """Return True if the component between `place` and its end tag is a block.

    Args:
        content: where its content begins.
        last: where the last tag of a block ended.
    """
    if not follows(text, place, last) and not _begins_block(text, place):
        return False
    end = _end(text, name, content)
    return end is not None and _ends_block(text, end)


def follows(text: str, place: int, last: int) -> bool:
    """Return True if there is nothing but blanks between a place and the last tag."""
    return place - last < _LINE and not text[last:place].strip(" \t\n>")


def _begins_block(text: str, place: int) -> bool:
    above, _, before = text[max(0, place - _LINE) : place].rpartition("\n")
    if markers(before) != before:
        return False
    line = above.rpartition("\n")[2].strip(" \t>")
    return indentation(before) != before or not line or (line[0] == "<" and above.rstrip()[-1] == ">")


def _ends_block(text: str, end: int) -> bool:
    rest = text[end : end + _LINE].partition("\n")[0].rstrip()
    return not rest or (_TAG_AFTER.match(rest) is not None and rest[-1] == ">")


def _end(text: str, name: str, content: int) -> int | None:
    """Return where the end tag of a component ends; None if that is not in the same paragraph."""
    blank = _BLANK_LINE.search(text, content, content + _MAX_CONTENT)
    stop = blank.start() if blank else content + _MAX_CONTENT
    is_open = 1
    tags = re.compile(rf"<(?P<closing>/)?{re.escape(name)}(?![\w.])[^<>]{{0,500}}+>").finditer(text, content, stop)
    for tag, _ in zip(tags, range(_MAX_SAME), strict=False):
        if not tag[0].endswith("/>"):
            is_open += -1 if tag["closing"] else 1
        if not is_open:
            return tag.end()
    return None
