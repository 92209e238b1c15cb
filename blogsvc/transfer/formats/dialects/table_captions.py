"""Write the captions of Pandoc below tables, `: Caption` or `Table: Caption`, as paragraphs in italics."""

from __future__ import annotations

import re
from itertools import pairwise

from blogsvc.transfer.formats.dialects.attribute_lists import LIST, Attributes
from blogsvc.transfer.formats.dialects.block_places import Block, blocks_of

_CAPTION = re.compile(r"[ ]{0,3}(?:[Tt]able)?:[ \t]++(?P<words>\S.*)")
_MAYBE = re.compile(r"^[ ]{0,3}(?:[Tt]able)?:[ \t]", re.MULTILINE)
_AT_END = re.compile(rf"({LIST})\Z")
_MARKS = re.compile(r"[*_]")


def plain(text: str) -> str:
    """Return a text whose captions of tables, if they are not in lists or quotations, have no mark before them."""
    if "|" not in text or not _MAYBE.search(text):
        return text
    lines, blocks = text.split("\n"), blocks_of(text)
    for table, block in pairwise(blocks):
        caption = _CAPTION.fullmatch(lines[block.first])
        if table.kind == "table" and block.kind == "paragraph" and caption:
            lines[block.first : block.end] = _written(caption["words"], lines, block)
    return "\n".join(lines)


def _written(first: str, lines: list[str], block: Block) -> list[str]:
    """Return the lines of a caption, as many as the block has."""
    words = "\n".join([first, *lines[block.first + 1 : block.end]]).rstrip()
    anchor = ""
    if found := _AT_END.search(words, max(0, len(words) - 600)):
        words = words[: found.start()].rstrip()
        name = Attributes.of(found[1][1:-1]).id
        anchor = f'<a id="{name}"></a>' if name else ""
    shown = anchor + (words if not words or _MARKS.search(words) else f"*{words}*")
    return [*shown.split("\n"), *[""] * (block.end - block.first)][: block.end - block.first]
