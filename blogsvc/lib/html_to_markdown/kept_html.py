"""Write an element that Markdown can't express as one line of HTML: tables with blocks, definitions, summaries."""

from __future__ import annotations

import re

from bs4.element import NavigableString, Tag

from blogsvc.lib.html_to_markdown import embeds, figures, spaces
from blogsvc.lib.html_to_markdown.tidying import BLOCKS, elements
from blogsvc.lib.markdown.clean_html import cleaned
from blogsvc.lib.markdown.raw_html import ATTRIBUTES, TAGS

_TAGS = TAGS - {"section"}
_ATTRIBUTES = {**ATTRIBUTES, "*": {"dir", "lang", "title"}, "a": {"href", "id"}}
# The blocks of which our pages show only the content.
_UNKNOWN = BLOCKS - _TAGS - {"iframe"}
_LINE_END = "\ufdd7"  # in preformatted text; no text has this character


def line_of(element: Tag, *, content_only: bool = False) -> tuple[str, list[str]]:
    """Return an element, or only its content, as one line of HTML, and a warning for each embedded page."""
    warnings = _with_known_elements(element)
    for text in element.find_all(string=re.compile("\n")):
        if text.find_parent("pre") is not None:
            text.replace_with(text.replace("\n", _LINE_END))
    html = element.decode_contents() if content_only else str(element)
    html = cleaned(spaces.plain(html), tags=_TAGS, attributes=_ATTRIBUTES, link_rel=None)
    line = " ".join(filter(None, (line.strip(" \t\r") for line in html.split("\n"))))
    return line.replace(_LINE_END, "&#10;"), warnings


def _with_known_elements(element: Tag) -> list[str]:
    """Turn all blocks into those that our pages show. Returns a warning for each embedded page."""
    warnings: list[str] = []
    for block in elements(element, {*_UNKNOWN, "iframe", "img", "newline", "pre"}):
        match block.name:
            case "iframe":
                link, warning = embeds.link_to(block)
                warnings.append(warning)
                block.replace_with(link or "")
                if link is not None:
                    link.wrap(Tag(name="p"))
            case "h1":
                block.name = "h2"
            case "toc":
                block.decompose()
            case "newline":
                block.replace_with(NavigableString(" "))
            case "img" | "pre":
                figures.show_caption(block)
            case _:
                block.name = "div"
    return warnings
