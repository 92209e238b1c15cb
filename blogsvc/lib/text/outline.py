"""The headings of a text, and the markers of missing text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.render import LINES, environment, grammar, normalised

# "To come", a printers' mark. No English word contains these letters in capitals.
_TK = re.compile(r"\b(?:TK)+\b")


@dataclass(frozen=True)
class Heading:
    """A heading. `line` counts from 0."""

    level: int
    text: str
    line: int


def outline(text: str) -> list[Heading]:
    """Return the headings of a Markdown text, in order."""
    text = normalised(text)
    return list(_headings(text)) if text.count("\n") <= LINES else []


def _headings(text: str) -> Iterator[Heading]:
    parser = grammar(MarkdownIt("commonmark"))
    parser.core.ruler.enableOnly(["normalize", "block"])
    tokens = parser.parse(text, environment(text))
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open" and heading.map is not None:
            words = " ".join(_MARKS.sub(lambda mark: mark[1] or "", inline.content).split())
            yield Heading(int(heading.tag[1]), words, heading.map[0])


# Markup in a heading: emphasis, code, and links except for their text.
_MARKS = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\))?|[*`~]+")


def to_come(text: str) -> list[int]:
    """Return the line, counted from 0, of each `TK` marker (missing text)."""
    return [number for number, line in enumerate(text.split("\n")) for _ in _TK.finditer(line)]
