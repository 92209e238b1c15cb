"""Find what browsers do not show of HTML: hidden elements, comments, and processing instructions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag

MAX_WORDS = 60  # characters of a removed element that a warning repeats
_NOT_SHOWN = re.compile(r"\bdisplay\s*+:\s*+none\b|\bmso-hide\s*+:\s*+all\b", re.IGNORECASE)

# The beginnings of what is no element, and the ends of those that do not end with the first ">".
_NO_ELEMENT = re.compile(r"<!--|<!\[CDATA\[|<\?php\b|<\?=|<[!?]", re.IGNORECASE)
_BEGINS_WORD = re.compile(r"[A-Za-z\[]")
_NO_ELEMENTS = {"<!--": "-->", "<![cdata[": "]]>", "<?php": "?>", "<?=": "?>"}


def is_hidden(attributes: Mapping[str, Any]) -> bool:
    """Return True for the attributes of an element that is not shown."""
    return "hidden" in attributes or _NOT_SHOWN.search(str(attributes.get("style") or "")) is not None


def remove(soup: BeautifulSoup) -> list[str]:
    """Remove hidden elements. Returns a warning for each that has words."""
    warnings = []
    for tag in [one for one in soup.descendants if isinstance(one, Tag) and is_hidden(one.attrs)]:
        if not tag.decomposed:
            if words := " ".join(tag.get_text(" ").split()):
                cut = words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"
                warnings.append(f"A hidden element was removed, because the old blog did not show it: “{cut}”.")
            tag.decompose()
    return warnings


def has_php(html: str) -> bool:
    return re.search(r"<\?(?:php\b|=)", html, re.IGNORECASE) is not None


def without_comments(html: str) -> str:
    """Return HTML without comments, declarations and processing instructions such as PHP, none of which browsers show.

    An unclosed one becomes text, because the parser would scan to the end of the text for each of them.
    """
    parts: list[str] = []
    position = 0
    unclosed: set[str] = set()
    while begun := _NO_ELEMENT.search(html, position):
        mark = _NO_ELEMENTS.get(begun[0].lower(), ">")
        is_typed = mark == ">" and not _BEGINS_WORD.match(html, begun.end())  # as in "5 <? 6"
        end = -1 if mark in unclosed or is_typed else html.find(mark, begun.end())
        parts.append(html[position : begun.start()])
        position = end + len(mark) if end >= 0 else begun.end()
        if end < 0:
            unclosed |= set() if is_typed else {mark}
            parts.append(f"&lt;{begun[0][1:]}")
    return "".join([*parts, html[position:]])
