"""What was copied from a page or a word processor, as Markdown."""

from __future__ import annotations

import re
from typing import Any

import nh3
from markdownify import ATX, MarkdownConverter

LONGEST = 500_000  # characters; a parser of HTML takes its time
_TAGS = set(
    "a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i img li ol p pre s strong"
    " table tbody td th thead tr ul".split()
)
_ATTRIBUTES = {"a": {"href"}, "img": {"src", "alt"}, "ol": {"start"}}
_BLANK_LINES = re.compile(r"\n{3,}")


class _Writer(MarkdownConverter):
    """Marks as the rest of the pages write them."""

    class Options:
        heading_style = ATX
        bullets = "-"
        strong_em_symbol = "*"
        escape_misc = False
        table_infer_header = True


def markdown(html: str) -> str:
    """The words of pasted HTML with the marks that Markdown has for them; what it has none for is left out.

    Raises ValueError where it is too long.
    """
    if len(html) > LONGEST:
        raise ValueError("There is too much of it.")
    clean = nh3.clean(html, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"}, link_rel=None)
    written: Any = _Writer().convert(clean)
    return _BLANK_LINES.sub("\n\n", str(written).replace("\xa0", " ")).strip()
