"""Paragraphs and line breaks of WordPress posts from before the block editor, as its function `wpautop` shows them.

Empty lines and two line breaks end paragraphs, and newlines are line breaks. So do the tags of blocks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_BLOCKS = frozenset(
    "table thead tfoot caption col colgroup tbody tr td th div dl dd dt ul ol li pre form map area blockquote address"
    " math style p h1 h2 h3 h4 h5 h6 hr fieldset legend section article aside hgroup header footer nav figure"
    " figcaption details menu summary".split()
)
# Elements whose newlines are not line breaks.
_UNCHANGED = frozenset("pre script style svg audio video object select textarea".split())
# Elements that browsers continue in the next paragraph.
_FORMATTING = frozenset("a abbr b big code del em font i ins mark s small span strike strong sub sup tt u".split())
_MAX_OPEN, _MAX_COPIED = 20, 100_000  # elements that continue, and the characters of their tags for short texts
_TAG = re.compile(r"</?([a-zA-Z][a-zA-Z0-9]*)(?![\w-])[^<>]*>")
_ENDS = {name: re.compile(rf"</{name}\s*>", re.IGNORECASE) for name in _UNCHANGED}
_COMMENT_END = re.compile("-->")
_SPACES = " \t\n\r\f\v"  # as in PHP: other ones, such as U+3000 at the beginning of a paragraph, are text
_PARAGRAPH_END = re.compile(r"\n\s*\n", re.ASCII)
_NEWLINE = re.compile(r"(?<![ \t])[ \t]*+\n")
_BREAK = "<br>"


def paragraphs(html: str) -> str:
    """Return HTML with `p` and `br` for the empty lines and newlines of a text. Takes linear time."""
    writer = _Writer(copies_left=2 * len(html) + _MAX_COPIED)
    for part, name in _parts(html.replace("\r\n", "\n").replace("\r", "\n")):
        if name in _BLOCKS:
            writer.add_block_tag(part)
        elif name == "br":
            writer.add_line_break()
        elif name:
            writer.add_inline_tag(part, name)
        else:
            first, *others = _PARAGRAPH_END.split(part)
            writer.add_text(first)
            for text in others:
                writer.end_paragraph()
                writer.add_text(text)
    writer.end_paragraph()
    return "".join(writer.written)


def _parts(html: str) -> Iterator[tuple[str, str]]:
    """Yield each text, with "" as its name, and each tag with its name. Comments and unchanged elements are tags."""
    place = 0
    without_end: set[str] = set()
    while place < len(html):
        start = html.find("<", place)
        if start != place:
            yield html[place : start if start > 0 else len(html)], ""
        if start < 0:
            return
        tag = _TAG.match(html, start)
        name = tag[1].lower() if tag else "!--" if html.startswith("<!--", start) else ""
        place = tag.end() if tag else start + 1
        end_pattern = _COMMENT_END if name == "!--" else _ENDS.get(name) if html[start + 1 : start + 2] != "/" else None
        if end_pattern is not None and name not in without_end:
            if end := end_pattern.search(html, place):
                place = end.end()
            else:
                without_end.add(name)
        yield html[start:place], name


@dataclass
class _Writer:
    copies_left: int  # characters of tags that may be written again
    written: list[str] = field(default_factory=list)
    line: list[str] = field(default_factory=list)  # what the paragraph has so far
    is_open: list[tuple[str, str]] = field(default_factory=list)  # formatting elements: names and tags
    continued: str = ""  # the tags of the elements that were open when the paragraph began
    begins_block: bool = False  # the text comes directly after the tag of a block, where it gets no `p`

    def add_text(self, text: str) -> None:
        if not self.line:
            text = text.lstrip(_SPACES)
        elif self.line[-1] == _BREAK:
            text = text.removeprefix("\n")
        if text.strip(_SPACES) or (text and self.line and self.line[-1] != _BREAK):
            self.line.append(_NEWLINE.sub("<br />\n", text))

    def add_line_break(self) -> None:
        if self.line and self.line[-1] == _BREAK:
            self.line.pop()
            self.end_paragraph()
        else:
            self.line.append(_BREAK)

    def add_inline_tag(self, tag: str, name: str) -> None:
        self.line.append(tag)
        if name in _FORMATTING and not tag.startswith("</"):
            self.is_open = [*self.is_open[1 - _MAX_OPEN :], (name, tag)]
        elif name in _FORMATTING:
            names = [open_name for open_name, _ in self.is_open]
            if name in names:
                del self.is_open[len(names) - 1 - names[::-1].index(name)]

    def add_block_tag(self, tag: str) -> None:
        self.end_paragraph()
        self.written.append(tag)
        self.begins_block = not tag.startswith("</")

    def end_paragraph(self) -> None:
        """Write the paragraph. Elements that are open continue in the next one."""
        text = "".join(self.line)
        self.line.clear()
        if not text.strip(_SPACES):
            return
        inside = self.continued + text + "".join(f"</{name}>" for name, _ in reversed(self.is_open))
        self.written.append(inside if self.begins_block else f"<p>{inside}</p>\n")
        self.begins_block = False
        tags = "".join(tag for _, tag in self.is_open)
        self.continued = tags if len(tags) <= self.copies_left else ""
        self.copies_left -= len(self.continued)
