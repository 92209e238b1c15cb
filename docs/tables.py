"""Format Markdown paragraphs, tables, lists of code, and docstrings for the generated pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import getdoc
from textwrap import fill
from typing import Any


def prose(text: str) -> str:
    """Return text as a paragraph, wrapped at 120 columns."""
    return fill(" ".join(text.split()), 120, break_long_words=False, break_on_hyphens=False) + "\n"


def table(head: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table. The column names in `head` are separated by ` | `."""
    names = head.split(" | ")
    yield f"| {head} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def code(texts: Iterable[Any]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def sentence(of: Any) -> str:
    """Return the first paragraph of a docstring as one line."""
    return " ".join((getdoc(of) or "").partition("\n\n")[0].split())
