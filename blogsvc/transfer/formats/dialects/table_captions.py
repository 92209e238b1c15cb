"""Write the captions of Pandoc beside tables, `: Caption` or `Table: Caption`, as paragraphs in italics."""

from __future__ import annotations

import re
from itertools import pairwise

from blogsvc.transfer.formats.dialects.attribute_lists import LIST, Attributes
from blogsvc.transfer.formats.dialects.block_places import Block, blocks_of

_CAPTION = re.compile(r"[ ]{0,3}(?:[Tt]able)?:[ \t]++(?P<words>\S.*)")
_MAYBE = re.compile(r"^[ ]{0,3}(?:[Tt]able)?:[ \t]", re.MULTILINE)
_AT_END = re.compile(rf"({LIST})\Z")
_MARKS = re.compile(r"[*_]")


def plain(text: str, *, may_be_above: bool) -> str:
    """Return a text whose captions of tables, if they are not in lists or quotations, have no mark before them.

    Args:
        may_be_above: A line with a colon above a table is its caption, not the definition of the words before it.
    """
    if "|" not in text or not _MAYBE.search(text):
        return text
    lines, blocks = text.split("\n"), blocks_of(text)
    for first, second in pairwise(blocks):
        block = second if first.kind == "table" else first
        caption = _CAPTION.fullmatch(lines[block.first]) if block.kind == "paragraph" else None
        if caption and (first.kind == "table" or (second.kind == "table" and may_be_above)):
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
