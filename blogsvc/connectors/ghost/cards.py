"""Prepare HTML for Ghost's editor: elements that it has no block for become HTML cards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html import escape

BEGIN, END = "<!--kg-card-begin: html-->", "<!--kg-card-end: html-->"
# Elements that the editor would split or drop. Footnotes are a section.
LOST = frozenset({"audio", "details", "dl", "section", "table", "video"})
VOID_ELEMENTS = frozenset({"br", "hr", "img"})
HTML_TAG = re.compile(r"""<(?P<end>/?)(?P<name>[a-z][a-z0-9]*)(?:"[^"]*"|[^">])*>""")


def kept(html: str) -> str:
    """Return sanitised HTML with an HTML card around each top-level element that the editor would change."""
    return "".join(f"{BEGIN}\n{text}\n{END}" if LOST & set(tags) else text for text, tags in _blocks(html))


def mark(operation: str) -> str:
    """Return a hidden element that the editor keeps. It names the operation that wrote this version."""
    return f'{BEGIN}\n<div hidden="" data-blogsvc="{escape(operation)}"></div>\n{END}'


def has_mark(html: str, operation: str) -> bool:
    return f'data-blogsvc="{escape(operation)}"' in html


def _blocks(html: str) -> Iterator[tuple[str, Collection[str]]]:
    """Yield the top-level elements with the names of all tags in them, and the text between them."""
    start, depth, tags = 0, 0, list[str]()
    for tag in HTML_TAG.finditer(html):
        if depth == 0:
            yield html[start : tag.start()], ()
            start, tags = tag.start(), []
        tags.append(tag["name"])
        if tag["name"] not in VOID_ELEMENTS:
            depth += -1 if tag["end"] else 1
        if depth == 0:
            yield html[start : tag.end()], tags
            start = tag.end()
    yield html[start:], tags if depth else ()
