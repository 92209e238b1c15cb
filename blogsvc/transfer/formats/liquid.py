"""Find the tags and values of Liquid, the template language of Jekyll: `{% name arguments %}` and `{{ value }}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.transfer.formats.text_search import TextSearch

MAX_ARGUMENTS = 2000  # characters; what is longer is text with braces
MAX_VALUE = 300
_OPEN, _CLOSE = re.compile(r"\{%-?\s*+(\w{1,40}+)"), re.compile(r"-?%\}")
_OPEN_VALUE, _CLOSE_VALUE = re.compile(r"\{\{-?"), re.compile(r"-?\}\}")
# The tags that have an end, whose content is kept, dropped, or code.
_ENDS = {name: re.compile(rf"\{{%-?\s*+end{name}\s*+-?%\}}") for name in ("raw", "comment", "highlight")}


@dataclass(frozen=True)
class LiquidTag:
    name: str
    arguments: str
    end: int  # where the text after it begins


def tag_at(search: TextSearch, place: int) -> LiquidTag | None:
    """Return the tag at a place."""
    opened = _OPEN.match(search.text, place)
    closed = search.after(_CLOSE, opened.end()) if opened else None
    if opened is None or closed is None:
        return None
    arguments = arguments_between(search.text, opened.end(), closed.start(), MAX_ARGUMENTS)
    return None if arguments is None else LiquidTag(opened[1].lower(), arguments, closed.end())


def content_of(search: TextSearch, tag: LiquidTag) -> tuple[str, int] | None:
    """Return the content of a `raw`, `comment` or `highlight` tag, and where the text after its end tag begins."""
    closed = search.after(_ENDS[tag.name], tag.end) if tag.name in _ENDS else None
    return (search.text[tag.end : closed.start()], closed.end()) if closed else None


def value_at(search: TextSearch, place: int) -> tuple[str, int] | None:
    """Return the value at a place, such as `site.url`, and where the text after it begins."""
    opened = _OPEN_VALUE.match(search.text, place)
    closed = search.after(_CLOSE_VALUE, opened.end()) if opened else None
    if opened is None or closed is None:
        return None
    value = arguments_between(search.text, opened.end(), closed.start(), MAX_VALUE)
    return (value, closed.end()) if value and not set("<%") & set(value) else None


def arguments_between(text: str, start: int, end: int, max_length: int) -> str | None:
    """Return the text between two places; None if it is too long, or has braces."""
    arguments = text[start:end].strip() if end - start <= max_length else "{"
    return None if "{" in arguments or "}" in arguments else arguments
