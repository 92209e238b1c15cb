"""Decide whether the content of a component or a shortcode with an address can be the words of a link."""

from __future__ import annotations

import re

MAX_WORDS = 500  # characters


def closing(text: str, content: int, end: re.Pattern[str]) -> int | None:
    """Return where the end tag `end` begins, if what is between it and `content` can be the words of a link."""
    closed = end.search(text, content, content + MAX_WORDS)
    words = text[content : closed.start()] if closed else ""
    is_plain = words.strip() and not re.search(r"\n[ \t]*+\n|[\[\]]|https?:|^[ \t]*+[#>*+-]", words)
    return closed.start() if closed and is_plain else None
