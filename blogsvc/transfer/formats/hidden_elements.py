"""Remove the HTML elements in Markdown that browsers do not show: our pages have no hidden elements."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from blogsvc.lib.html_to_markdown.hidden import is_hidden
from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.removals import Removals, source

_MAYBE = re.compile(
    r"<[a-z][\w-]{0,40}+\s[^<>]{0,1000}?\b(?:hidden|display|mso-hide)\b|<(?:head|template|title)[\s>]", re.IGNORECASE
)
_NOT_SHOWN = ("head", "template", "title")
_TAG = re.compile(r"""<(/?)([a-z][\w-]{0,40}+)((?:\s(?:[^<>"']|"[^"]*+"|'[^']*+')*+)?)>""", re.IGNORECASE)
_VOID = frozenset("area br col embed hr img input link meta source track wbr".split())


def without_hidden(text: str, source_text: str, removals: Removals) -> str:
    """Return Markdown without its hidden elements. An element without an end makes `removals` uncertain.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    if not _MAYBE.search(text):
        return text
    code = code_places(text)
    parts, place = [], 0
    hidden, name, depth, noted = -1, "", 0, 0  # where the hidden element begins, its name, and how many of it are open
    for tag in _TAG.finditer(text):
        if hidden < 0 and not tag[1] and code.end_at(tag.start()) is None and _is_hidden(tag):
            noted = max(source_text.find(tag[0], noted), noted)
            hidden, name, depth = tag.start(), tag[2].lower(), 1
        elif hidden >= 0 and tag[2].lower() == name:
            depth += -1 if tag[1] else 1
        if hidden >= 0 and (depth == 0 or name in _VOID):
            removals.note(f"The hidden element {source(text[hidden : tag.end()])} was removed.", noted)
            parts.append(text[place:hidden])
            place, hidden = tag.end(), -1
    if hidden >= 0:
        removals.note_uncertain("a hidden element without an end", noted)
    return "".join([*parts, text[place:]])


def _is_hidden(tag: re.Match[str]) -> bool:
    return tag[2].lower() in _NOT_SHOWN or is_hidden(_attributes(tag[0]))


class _Attributes(HTMLParser):
    found: dict[str, Any]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found = dict(attrs)

    handle_startendtag = handle_starttag


def _attributes(tag: str) -> dict[str, Any]:
    parser = _Attributes()
    parser.found = {}
    parser.feed(tag)
    return parser.found
