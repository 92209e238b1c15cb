"""Write the admonitions of Docusaurus, Starlight and VitePress, `:::note Title` … `:::`, as our callouts.

Those of Zenn and Qiita are `:::message`, `:::message alert` and `:::note warn`.

Source: https://docusaurus.io/docs/markdown-features/admonitions, https://vitepress.dev/guide/markdown#custom-containers
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.dialects.attribute_lists import Attributes
from blogsvc.transfer.formats.removals import InSource, Removals, source

_FENCE = re.compile(
    r"(?P<before>[ \t>]{0,100}+)(?P<colons>:{3,100}+)[ \t]*+"
    r"(?:(?P<name>[a-zA-Z][\w-]{0,60}+)[ \t]*+|(?=\{\.))(?P<title>\[.*\]|[^\[\]{}]*+|[^{}]*+)"
    r"(?P<attributes>\{[^{}]*+\})?[ \t]*+"
)
_END = re.compile(r"[ \t>]{0,100}+(:{3,100}+)[ \t]*+")
_TITLE = re.compile(r"""\btitle=(?:"([^"]*+)"|'([^']*+)')""")
_CALLOUTS = {"secondary": "NOTE", "details": "NOTE", "message": "NOTE"}  # besides the names that classes have
_OF_ZENN_AND_QIITA = {"message alert": "CAUTION", "note info": "NOTE", "note warn": "WARNING", "note alert": "CAUTION"}
_FOLDED = "details"
_OURS = "gallery"
_MAX_DEPTH = 10


def plain(text: str, source_text: str, removals: Removals) -> str:
    """Return a text whose admonitions are callouts. Code stays as it is.

    Args:
        source_text: the text that `removals` is about.
    """
    if ":::" not in text:
        return text
    code, lines, place, in_source = code_places(text), text.split("\n"), 0, InSource(source_text)
    opened: list[_Opening] = []
    for number, line in enumerate(lines):
        if ":::" in line and code.end_at(place) is None:
            if (end := _END.fullmatch(line)) is not None:
                _close(lines, number, len(end[1]), opened, removals)
            elif (fence := _FENCE.fullmatch(line)) is not None and len(opened) < _MAX_DEPTH:
                opened.append(_Opening(number, line, fence, in_source.place_of(line)))
        place += len(line) + 1
    return "\n".join(lines)


@dataclass(frozen=True)
class _Opening:
    """The line that begins an admonition, and where that is in the text before any conversion."""

    number: int
    line: str
    fence: re.Match[str]
    place: int

    @property
    def name(self) -> str:
        return (self.fence["name"] or "").lower()

    @property
    def callout(self) -> str:
        """Return the kind of our callouts; "" for containers of another kind."""
        if not self.name:
            return Attributes.of((self.fence["attributes"] or "{}")[1:-1]).callout
        if known := _OF_ZENN_AND_QIITA.get(f"{self.name} {self.fence['title'].strip()}"):
            return known
        return _CALLOUTS.get(self.name) or Attributes(classes=(self.name,)).callout

    @property
    def title(self) -> str:
        words = self.fence["title"].strip()
        if f"{self.name} {words}" in _OF_ZENN_AND_QIITA:
            return ""
        named = _TITLE.search(self.fence["attributes"] or "")
        words = words[1:-1].strip() if words.startswith("[") and words.endswith("]") else words
        return words or ((named[1] or named[2] or "").strip() if named else "")


def _close(lines: list[str], number: int, colons: int, opened: list[_Opening], removals: Removals) -> None:
    """Write the innermost admonition that so many colons end."""
    found = next((index for index in reversed(range(len(opened))) if len(opened[index].fence["colons"]) <= colons), -1)
    if found < 0:
        return
    opening = opened[found]
    del opened[found:]
    if opening.name == _OURS:
        return
    before = opening.fence["before"]
    blank = before.rstrip()
    if opening.callout:
        fold = "-" if opening.name == _FOLDED else ""
        title = opening.title or ("Details" if fold else "")
        head = f"{before}> [!{opening.callout}]{fold} {title}".rstrip()
        for index in range(opening.number + 1, number):
            lines[index] = "\n".join(_quoted(line, before) for line in lines[index].split("\n"))
    else:
        head = f"{before}**{opening.title}**\n{blank}" if opening.title else blank
        removals.note(f"The container {source(opening.line.strip())} was removed; its content was kept.", opening.place)
    is_below_words = opening.number > 0 and lines[opening.number - 1].strip(" \t>")
    lines[opening.number] = f"{blank}\n{head}" if is_below_words else head
    lines[number] = blank


def _quoted(line: str, before: str) -> str:
    """Return a line of a quotation that begins after what is `before` it."""
    shared = 0
    while shared < min(len(line), len(before)) and line[shared] == before[shared]:
        shared += 1
    return f"{before}> {line[shared:]}".rstrip() if line[shared:].strip() else f"{before}>"
