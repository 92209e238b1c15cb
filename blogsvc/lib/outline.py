"""What a text is made of, for its author: its headings, and the places that are still to be written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from blogsvc.lib.markdown import LINES, environment, grammar, normalised
from blogsvc.lib.text import strip_front_matter

# Printers' "to come": the letters stand together in no word of English.
_TK = re.compile(r"\b(?:TK)+\b")


@dataclass(frozen=True)
class Heading:
    """`line` counts from 0, in the whole text."""

    level: int
    text: str
    line: int


def outline(text: str) -> list[Heading]:
    """The headings of a Markdown text, in order."""
    text = normalised(text)
    body = strip_front_matter(text)
    above = text.count("\n") - body.count("\n")
    return list(_headings(body, above)) if text.count("\n") <= LINES else []


def _headings(body: str, above: int) -> Iterator[Heading]:
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(body, environment(body))
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open" and heading.map is not None:
            yield Heading(int(heading.tag[1]), _plainly(inline.content), heading.map[0] + above)


# Of a heading these are marks and not words: emphasis, code, and all of a link but its text.
_MARKS = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\))?|[*`~]+")


def _plainly(heading: str) -> str:
    return " ".join(_MARKS.sub(lambda mark: mark[1] or "", heading).split())


def to_come(text: str) -> list[int]:
    """The lines, from 0, on which there is a `TK`: something that is still to be written. One for each."""
    return [number for number, line in enumerate(text.split("\n")) for _ in _TK.finditer(line)]
