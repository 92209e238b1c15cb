"""The headings of a text, and the markers of missing text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from markdown_it import MarkdownIt

from blogsvc.lib.markdown.render import LINES, environment, grammar, normalised
from blogsvc.lib.text.plain import strip_front_matter

# "To come", a printers' mark. No English word contains these letters in capitals.
_TK = re.compile(r"\b(?:TK)+\b")


@dataclass(frozen=True)
class Heading:
    """A heading. `line` counts from 0, including front matter."""

    level: int
    text: str
    line: int


def outline(text: str) -> list[Heading]:
    """Return the headings of a Markdown text, in order."""
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
            text = " ".join(_MARKS.sub(lambda mark: mark[1] or "", inline.content).split())
            yield Heading(int(heading.tag[1]), text, heading.map[0] + above)


# Markup in a heading: emphasis, code, and links except for their text.
_MARKS = re.compile(r"!?\[([^\[\]]*)\](?:\([^()\s]*\))?|[*`~]+")


def to_come(text: str) -> list[int]:
    """Return the line, counted from 0, of each `TK` marker (missing text)."""
    return [number for number, line in enumerate(text.split("\n")) for _ in _TK.finditer(line)]
