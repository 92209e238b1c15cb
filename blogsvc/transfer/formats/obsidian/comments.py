"""Remove the comments of Obsidian, `%% words %%`, which it does not show."""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.transfer.formats.removals import InSource, Removals

# The first mark of a comment follows a space, unlike that of "100%% sure".
_MARK = re.compile(r"(?P<begins>(?<![^\s>(])%%(?!%))|(?<=[^%\n])%%(?![^\s.,;:!?)])")


def without(text: str, source_text: str, removals: Removals) -> str:
    """Return the text without its comments, in one line or over several. Code stays as it is.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    marks = list(_MARK.finditer(text)) if text.count("%%") > 1 else []
    if len(marks) < 2:
        return text
    code, kept, place, in_source = code_places(text), list[str](), 0, InSource(source_text)
    begun: int | None = None
    for mark in marks:
        if code.end_at(mark.start()) is not None:
            continue
        if begun is None:
            begun = mark.start() if mark["begins"] else None
            continue
        comment = text[begun : mark.end()]
        removals.note("A comment, which Obsidian does not show, was removed.", in_source.place_of(comment[:200]))
        kept.append(text[place:begun])
        place, begun = mark.end(), None
    return "".join([*kept, text[place:]])
