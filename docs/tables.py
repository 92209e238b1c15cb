"""What the pages that are made are made of: tables, code, first sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from inspect import getdoc
from typing import Any


def table(head: str, rows: Iterable[Iterable[str]]) -> Iterator[str]:
    names = head.split(" | ")
    yield f"| {head} |"
    yield f"|{'---|' * len(names)}"
    for row in rows:
        yield f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
    yield ""


def code(texts: Iterable[Any]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def sentence(of: Any) -> str:
    """The first paragraph of a docstring."""
    return " ".join((getdoc(of) or "").partition("\n\n")[0].split())
