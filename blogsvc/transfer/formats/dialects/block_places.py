"""Find the blocks of Markdown: the one that a line is about which follows it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token

from blogsvc.lib.markdown.render import LINES, environment, grammar

_LISTS = ("bullet_list", "ordered_list")
_PREFIX = re.compile(r"(?P<quotes>(?:[ ]{0,3}>[ ]?)*+)(?P<indentation>[ \t]*+)")


@dataclass(frozen=True)
class Block:
    """A block: its kind, as the parser names it, its first line and the one after it, and the blocks in it."""

    kind: str
    first: int
    end: int
    level: int = 0
    inner: list[Block] = field(default_factory=list)

    @property
    def is_list(self) -> bool:
        return self.kind in _LISTS


def blocks_of(text: str) -> list[Block]:
    """Return the outer blocks of a text, each with those in it; none if it has too many lines."""
    if text.count("\n") > LINES:
        return []
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["block"])
    return _tree(parser.parse(text, environment(text)))


def _tree(tokens: Sequence[Token]) -> list[Block]:
    outer: list[Block] = []
    around = [outer]
    for token in tokens:
        first, end = token.map or (0, 0)
        block = Block(token.type.removesuffix("_open"), first, end, len(around) - 1)
        if token.nesting >= 0 and token.map and token.type != "inline":
            around[-1].append(block)
        if token.nesting > 0:
            around.append(block.inner)
        elif token.nesting < 0 and len(around) > 1:
            around.pop()
    return outer


def block_before(blocks: Sequence[Block], lines: Sequence[str], line: int) -> Block | None:
    """Return the block that a line ends or goes on after, as far to the right as the line is.

    A line is about a block in an item of a list only if it is further to the right than the item, and about a block in
    a quotation only if it is in the quotation, too.
    """
    quotes, indentation = prefix_of(lines[line])
    found: Block | None = None
    while block := _at(blocks, line - 1):
        if block.kind == "list_item":
            if indentation <= prefix_of(lines[block.first])[1]:
                return found
        else:
            found = block
        if block.kind == "blockquote":
            quotes -= 1
        if quotes < 0 or not (block.is_list or block.kind in ("blockquote", "list_item")):
            return found
        blocks = block.inner
    return found


def places_of_words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the lines with words begin and end: of each paragraph, heading and row of a table."""
    if text.count("\n") > LINES:
        return
    breaks = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["block"])
    lines: dict[tuple[int, int], None] = {}
    for token in parser.parse(text, environment(text)):
        if token.map and token.type in ("inline", "tr_open"):
            lines[token.map[0], token.map[1]] = None
    done = 0
    for first, end in lines:
        if first >= done:
            yield breaks[first], breaks[min(end, len(breaks) - 1)]
            done = end


def _at(blocks: Sequence[Block], line: int) -> Block | None:
    number = bisect_right(blocks, line, key=lambda block: block.first) - 1
    return blocks[number] if number >= 0 and line < blocks[number].end else None


def prefix_of(line: str) -> tuple[int, int]:
    """Return how many marks of quotations a line begins with, and the width of the spaces after them."""
    prefix = _PREFIX.match(line)
    assert prefix is not None
    return prefix["quotes"].count(">"), len(prefix["indentation"].expandtabs(4))
