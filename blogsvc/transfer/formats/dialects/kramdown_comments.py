"""Find the comments of Kramdown, the Markdown of Jekyll: `{::comment}` words `{:/comment}`."""

from __future__ import annotations

import re

from blogsvc.transfer.formats.text_search import TextSearch

_OPEN = re.compile(r"\{::comment(?:\s[^{}]{0,500}?)?(/?)\}")
_CLOSE = re.compile(r"\{:/(?:comment)?\s?\}")


def comment_at(search: TextSearch, place: int) -> tuple[int, bool] | None:
    """Return where the text after a comment begins, and False if it has no end; None if there is no comment."""
    opened = _OPEN.match(search.text, place)
    if opened is None or opened[1]:
        return (opened.end(), True) if opened else None
    closed = search.after(_CLOSE, opened.end())
    return (closed.end(), True) if closed else (opened.end(), False)
