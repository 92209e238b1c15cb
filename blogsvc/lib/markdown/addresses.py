"""Find the addresses in Markdown where the renderer finds them: of images, of links, and in the tags of raw HTML.

The parser of Markdown reads the text, with addresses that remember where they are written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, Literal

from markdown_it import MarkdownIt, helpers
from markdown_it.rules_inline import StateInline, html_inline
from markdown_it.token import Token

from blogsvc.lib.markdown.contents import text_of
from blogsvc.lib.markdown.render import LINES, environment, grammar, normalised
from blogsvc.lib.markdown.tag_addresses import in_tags

_LINE_END = re.compile(r"\r\n|\r|\n")
STEPS = ["block", "long_paragraphs", "inline"]
_BEFORE_PIPE = re.compile(r"(?=\|)")
Notation = Literal["markdown", "attribute", "bare attribute"]
CELLS = ("td_open", "th_open")


@dataclass(frozen=True)
class Address:
    """An address without escapes and entities, and its place in the text, with the angle brackets around it."""

    url: str
    start: int
    end: int
    is_image: bool  # or audio or video, which are embedded in the same way
    notation: Notation = "markdown"
    alt: str = ""


class Located(str):
    """An address as the parser writes it, and the place in a string where it is written."""

    url: str
    source: str
    start: int
    end: int

    def at(self, url: str, source: str, start: int, end: int) -> Located:
        self.url, self.source, self.start, self.end = url, source, start, end
        return self


def _located_destination(source: str, start: int, end: int) -> Any:
    result = helpers.parseLinkDestination(source, start, end)
    if result.ok:
        result.str = Located(result.str).at(result.str, source, start, result.pos)
    return result


def _located_tag(state: StateInline, silent: bool) -> bool:
    start = state.pos
    found = html_inline(state, silent)
    if found and not silent:
        state.tokens[-1].meta["start"] = start
    return found


class LocatedParser(MarkdownIt):
    """A parser whose tokens know where their addresses are written."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        known = {name: getattr(helpers, name) for name in helpers.__all__}
        self.helpers: Any = SimpleNamespace(**{**known, "parseLinkDestination": _located_destination})

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        link = super().normalizeLink(url)
        return Located(link).at(url.url, url.source, url.start, url.end) if isinstance(url, Located) else link


def addresses_in(text: str) -> list[Address]:
    """Return the addresses in Markdown, in order. Several images can have one that is defined in one place."""
    source = Source(text)
    if len(source.lines) > LINES:
        return []
    parser, written = grammar(LocatedParser()), normalised(text)
    parser.inline.ruler.at("html_inline", _located_tag)
    parser.core.ruler.enableOnly(STEPS)
    env = environment(written)
    tokens = parser.parse(written, env)
    images: dict[int, list[str]] = {}  # the alt texts of the images whose addresses are defined elsewhere
    found = list(_in_blocks(tokens, source, images))
    for defined in env["references"].values():
        link = defined["href"]
        place = source.places(link.source, defined["map"][0])
        start, end, alts = place(link.start), place(link.end - 1) + 1, images.get(id(link), [])
        found += [Address(link.url, start, end, True, alt=alt) for alt in alts] or [
            Address(link.url, start, end, False)
        ]
    return sorted((one for one in found if 0 <= one.start < one.end), key=lambda one: one.start)


def _in_blocks(tokens: Sequence[Token], source: Source, images: dict[int, list[str]]) -> Iterator[Address]:
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.map is None or token.type not in ("html_block", "inline"):
            continue
        is_cell = before is not None and before.type in CELLS
        found = list(_in_html(token.content, 0) if token.type == "html_block" else _in_line(token, images))
        if found or is_cell:
            place = source.places(token.content, token.map[0], is_cell=is_cell)
            for one in found:
                yield replace(one, start=place(one.start), end=place(one.end - 1) + 1)


def _in_line(inline: Token, images: dict[int, list[str]]) -> Iterator[Address]:
    """Yield the addresses in a line of text with their places there. Notes the images whose addresses are not."""
    for token in inline.children or ():
        if token.type == "html_inline":
            yield from _in_html(token.content, token.meta["start"])
            continue
        is_image = token.type == "image"
        link = token.attrs.get("src" if is_image else "href")
        if not isinstance(link, Located):
            continue
        alt = text_of(token).strip() if is_image else ""
        if link.source is inline.content:
            yield Address(link.url, link.start, link.end, is_image, alt=alt)
        elif is_image:
            images.setdefault(id(link), []).append(alt)


def _in_html(html: str, start: int) -> Iterator[Address]:
    for one in in_tags(html):
        notation: Notation = "bare attribute" if one.is_bare else "attribute"
        yield Address(one.url, start + one.start, start + one.end, one.is_image, notation, one.alt)


class Source:
    """A text, and where the lines are in it that the parser took from their lists, quotations and tables."""

    def __init__(self, text: str) -> None:
        ends = [*_LINE_END.finditer(text)]
        self.starts = [0, *(end.end() for end in ends)]
        last = [*(end.start() for end in ends), len(text)]
        self.lines = [normalised(text[start:end]) for start, end in zip(self.starts, last, strict=True)]
        self._last_cell = (-1, 0)  # the line of the last cell of a table, and where it ends there

    def places(self, content: str, first: int, *, is_cell: bool = False) -> Callable[[int], int]:
        """Return a function for the place in the text of a place in the content of a block. It is negative if unknown.

        Args:
            first: the number of the first line.
        """
        begins: list[int] = []
        places: list[int] = []
        begin = 0
        for number, line in enumerate(content.split("\n"), first):
            words = line.strip()
            place = self._place_in(number, words, is_cell=is_cell)
            # A cell has pipes that are escaped in the text.
            parts = _BEFORE_PIPE.split(words) if is_cell and place >= 0 else [words]
            indent = begin + len(line) - len(line.lstrip())
            for part in parts:
                begins.append(indent)
                places.append(place)
                indent += len(part)
                place += len(part) + 1
            begin += len(line) + 1
        return lambda offset: places[(at := bisect_right(begins, offset) - 1)] + offset - begins[at]

    def _place_in(self, number: int, words: str, *, is_cell: bool) -> int:
        """Return the place of words in a line; a negative number if they are not there."""
        if number >= len(self.lines):
            return -len(words) - 1
        line, start = self.lines[number], 0
        if is_cell:
            last, end = self._last_cell
            words, start = words.replace("|", "\\|"), end if last == number else 0
        place = line.find(words, start) if is_cell else line.rfind(words)
        if is_cell and place >= 0:
            self._last_cell = number, place + len(words)
        return self.starts[number] + place if place >= 0 else -len(words) - 1
