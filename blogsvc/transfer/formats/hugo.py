"""Find the shortcodes of Hugo: `{{< name arguments >}}` and `{{% name arguments %}}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from blogsvc.transfer.formats.liquid import MAX_ARGUMENTS, arguments_between
from blogsvc.transfer.formats.text_search import TextSearch

_OPEN = re.compile(r"\{\{([<%])\s*+(/?)\s*+([\w./-]{1,60}+)")
_CLOSE = {"<": re.compile(r">\}\}"), "%": re.compile(r"%\}\}")}
_OPEN_COMMENT, _CLOSE_COMMENT = re.compile(r"\{\{([<%])/\*"), re.compile(r"\*/([>%])\}\}")
_END_HIGHLIGHT = re.compile(r"\{\{[<%]\s*+/\s*+highlight\s*+[>%]\}\}")


@dataclass(frozen=True)
class Shortcode:
    name: str
    arguments: str
    is_closing: bool
    end: int  # where the text after it begins


def shortcode_at(search: TextSearch, place: int) -> Shortcode | None:
    """Return the shortcode at a place."""
    opened = _OPEN.match(search.text, place)
    closed = search.after(_CLOSE[opened[1]], opened.end()) if opened else None
    if opened is None or closed is None:
        return None
    arguments = arguments_between(search.text, opened.end(), closed.start(), MAX_ARGUMENTS)
    if arguments is None:
        return None
    return Shortcode(opened[3].rstrip("/").lower(), arguments.removesuffix("/").rstrip(), bool(opened[2]), closed.end())


def content_of(search: TextSearch, shortcode: Shortcode) -> tuple[str, int] | None:
    """Return the content of a `highlight` shortcode, and where the text after its end begins."""
    if shortcode.name != "highlight" or shortcode.is_closing:
        return None
    closed = search.after(_END_HIGHLIGHT, shortcode.end)
    return (search.text[shortcode.end : closed.start()], closed.end()) if closed else None


def escaped_at(search: TextSearch, place: int) -> tuple[str, int] | None:
    """Return a shortcode that Hugo shows as text, `{{</* name */>}}`, as it is shown, and where the text goes on."""
    opened = _OPEN_COMMENT.match(search.text, place)
    closed = search.after(_CLOSE_COMMENT, opened.end()) if opened else None
    if opened is None or closed is None or closed.start() - opened.end() > MAX_ARGUMENTS:
        return None
    return f"{{{{{opened[1]}{search.text[opened.end() : closed.start()]}{closed[1]}}}}}", closed.end()
