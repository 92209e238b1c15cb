"""Find the code in Markdown: code blocks, code between backticks, and HTML elements with code."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.render import LINES, environment, grammar

Place = tuple[int, int]  # where it begins and ends
_TICKS = re.compile(r"(?:\\\\)++|\\`|`++")
_CODE_TAG = re.compile(r"<(/?)(pre|code|kbd|samp)\b[^<>]*+>", re.IGNORECASE)
_CODE_BLOCKS = ("fence", "code_block")
_SIGNS = ("`", "~~~", "    ", "\t")  # a text with none of them, nor a tag, has no code


class Places:
    """Parts of a text."""

    def __init__(self, places: Iterable[Place]) -> None:
        merged: list[Place] = []
        for start, end in sorted(places):
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        self._starts = [start for start, _ in merged]
        self._places = merged

    def __iter__(self) -> Iterator[Place]:
        return iter(self._places)

    def end_at(self, place: int) -> int | None:
        """Return the end of the part that a place is in; None if it is in none."""
        number = bisect_right(self._starts, place) - 1
        if number < 0 or self._places[number][1] <= place:
            return None
        return self._places[number][1]

    def between(self, start: int, end: int) -> list[Place]:
        """Return the parts that begin at or after a place, and before another one."""
        return self._places[bisect_left(self._starts, start) : bisect_left(self._starts, end)]


def code_places(text: str) -> Places:
    """Return the parts of Markdown that are code, in a text without carriage returns."""
    if text.count("\n") > LINES or not (any(sign in text for sign in _SIGNS) or _CODE_TAG.search(text)):
        return Places(())
    code, lines = code_blocks(text)
    for start, end in lines:
        code += between_ticks(text, start, end)
    return Places([*code, *_elements(text, Places(code))])


def code_blocks(text: str, *, is_mdx: bool = False) -> tuple[list[Place], list[Place]]:
    """Return the code blocks of Markdown, and the lines in which there can be code between backticks.

    With `is_mdx`, lines that begin with four spaces are no code, and there is Markdown between all tags.
    """
    breaks = [0, *(found.end() for found in re.finditer("\n", text)), len(text)]
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["block"])
    if is_mdx:
        parser.disable(["code", "html_block"])
    code: list[Place] = []
    lines: dict[Place, None] = {}
    for token in parser.parse(text, environment(text)):
        if token.map and token.type in _CODE_BLOCKS:
            code.append((breaks[token.map[0]], breaks[min(token.map[1], len(breaks) - 1)]))
        elif token.map and token.type in ("inline", "tr_open", "html_block"):
            lines[token.map[0], token.map[1]] = None
    return code, [(breaks[first], breaks[min(last, len(breaks) - 1)]) for first, last in lines]


def between_ticks(text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the code between equal runs of backticks, as CommonMark pairs them."""
    runs = [found for found in _TICKS.finditer(text, start, end) if found[0][0] == "`" or found[0] == "\\`"]
    closings: dict[int, list[int]] = {}
    for number, run in enumerate(runs):
        # A backslash escapes the backtick only outside of code, so that this run can also close code.
        closings.setdefault(len(run[0].lstrip("\\")), []).append(number)
    next_closing = dict.fromkeys(closings, 0)
    number = 0
    while number < len(runs):
        run = runs[number]
        length = len(run[0])
        number += 1
        if run[0][0] == "\\":
            continue
        same = closings[length]
        while next_closing[length] < len(same) and same[next_closing[length]] < number:
            next_closing[length] += 1
        if next_closing[length] < len(same):
            number = same[next_closing[length]] + 1
            yield run.start(), runs[number - 1].end()


def _elements(text: str, code: Places) -> Iterator[Place]:
    """Yield the HTML elements with code."""
    opened: dict[str, int] = {}
    for tag in _CODE_TAG.finditer(text):
        name = tag[2].lower()
        if code.end_at(tag.start()) is not None:
            continue
        if not tag[1]:
            opened.setdefault(name, tag.start())
        elif name in opened:
            yield opened.pop(name), tag.end()
