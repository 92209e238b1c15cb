"""Plain text from HTML as people write it: with paragraphs, the marks of lists, and the addresses of links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from blogsvc.lib.text.plain import HtmlReader, with_address

_CELLS = ("td", "th")
# Blocks that end a line, but not a paragraph.
_LINES = ("br", "dd", "dt", "li", "summary", "tr")
_MAX_INDENTED_LISTS = 10  # so that hostile nesting doesn't make a long text
_LIST_TAG = re.compile(r"<(?P<end>/?)(?P<name>ol|ul|li)\b")


def paragraphs(html: str) -> str:
    """Return the text of HTML from `markdown.render` as people write plain text.

    Paragraphs have a blank line between them, items of lists have marks, code has its own lines, and the URL of a link
    follows its words.
    """
    return "\n".join(_ParagraphReader(html).lines).strip("\n")


@dataclass
class _List:
    """A list that is open. `number` is that of the next item, None for a list without numbers."""

    number: int | None
    step: int = 1

    def next_mark(self, attributes: dict[str, str]) -> str:
        if self.number is None:
            return "- "
        number = _number(attributes.get("value"), self.number)
        self.number = number + self.step
        return f"{number}. "


def _number(text: str | None, default: int) -> int:
    written = (text or "")[:9]
    return int(written) if written.isdecimal() else default


def _sizes_of_numbered_lists(html: str) -> Iterator[int]:
    """Yield the number of items of each numbered list, in the order in which the lists begin."""
    sizes: list[int] = []
    are_open: list[int] = []  # the places of the lists in `sizes`; -1 for one without numbers
    for tag in _LIST_TAG.finditer(html):
        if tag["name"] == "li":
            if are_open and are_open[-1] >= 0 and not tag["end"]:
                sizes[are_open[-1]] += 1
        elif not tag["end"]:
            are_open.append(len(sizes) if tag["name"] == "ol" else -1)
            sizes += [0] if tag["name"] == "ol" else []
        elif are_open:
            are_open.pop()
    yield from sizes


class _ParagraphReader(HtmlReader):
    """Collects lines; `text` is the beginning of the next one. A blank line stands between paragraphs."""

    def __init__(self, html: str) -> None:
        self.lines: list[str] = []
        self._lists: list[_List] = []  # those that are open
        self._mark = ""  # of the item that has no text yet
        self._sizes = _sizes_of_numbered_lists(html)
        self._link = ("", 0)  # the address of the link that is open, and the part of the text where it begins
        super().__init__(html)
        self._end_line()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        attributes = {name: value or "" for name, value in attrs}
        if tag == "input":
            self.text.append("[x] " if "checked" in attributes else "[ ] ")
        elif tag == "a":
            self._link = attributes.get("href", ""), len(self.text)

    def handle_endtag(self, tag: str) -> None:
        address, begin = self._link
        if tag == "a" and address[:1] not in ("", "#") and not self._skipping:
            words = "".join(self.text[begin:])
            if words.strip():
                self.text[begin:] = [with_address(words, address)]
            self._link = ("", 0)
        super().handle_endtag(tag)

    def begin_block(self, tag: str, attributes: dict[str, str]) -> None:
        if tag in _CELLS:
            return
        is_empty_line = tag == "br" and not self._mark and not "".join(self.text).strip()
        self._end_line()
        self._end_paragraph(tag)
        if is_empty_line and self.lines and self.lines[-1]:
            self.lines.append("")
        elif tag == "ul":
            self._lists.append(_List(None))
        elif tag == "ol":
            is_reversed, size = "reversed" in attributes, next(self._sizes, 1)
            start = _number(attributes.get("start"), size if is_reversed else 1)
            self._lists.append(_List(start, -1 if is_reversed else 1))
        elif tag == "li" and self._lists:
            self._mark = self._lists[-1].next_mark(attributes)

    def end_block(self, tag: str) -> None:
        if tag in _CELLS:
            self.text.append(" | ")
            return
        self._end_line(tag)
        if tag == "li":
            self._mark = ""
        elif tag in ("ol", "ul") and self._lists:
            self._lists.pop()
        self._end_paragraph(tag)

    def _end_line(self, tag: str = "") -> None:
        """Add the collected text as a line; that of a code block as it is."""
        text = "".join(self.text)
        self.text.clear()
        lines = text.strip("\n").split("\n") if tag == "pre" else [" ".join(text.split())]
        if tag == "tr":
            lines = [lines[0].removesuffix(" |")]
        depth = min(len(self._lists), _MAX_INDENTED_LISTS)
        for line in lines if any(lines) else ():
            indent = "  " * (depth - 1) + self._mark if self._mark else "  " * depth
            self.lines.append(f"{indent}{line}" if line else "")
            self._mark = ""

    def _end_paragraph(self, tag: str) -> None:
        if tag not in _LINES and not self._lists and self.lines and self.lines[-1]:
            self.lines.append("")
