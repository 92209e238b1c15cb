"""Callouts with a title of their own, and folded ones: `> [!NOTE] Title` and `> [!tip]- Title`, as in Obsidian.

The parser knows those of GitHub, such as `> [!NOTE]`, which have no title. The tokens of all are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

KINDS = ("note", "tip", "important", "warning", "caution")
# The kind, "-" for a closed or "+" for an open fold, and the title.
_MARKER = re.compile(rf"\[!({'|'.join(KINDS)})\]([-+]?)(?:[ \t]+([^\n]*))?(?:\n|\Z)", re.IGNORECASE)


def find_callouts(state: StateCore) -> None:
    """Make alerts of the quotations that begin with a marker."""
    state.tokens = list(_with_callouts(state.src, state.tokens))


def _with_callouts(text: str, tokens: Sequence[Token]) -> Iterator[Token]:
    closing_tags: list[str] = []  # of the open quotations, "" for those that stay
    done = 0
    for index, token in enumerate(tokens):
        if index < done:
            continue
        marker = _marker_of(tokens[index : index + 3])
        if token.type == "blockquote_open":
            closing_tags.append(("details" if marker[2] else "div") if marker else "")
        elif token.type == "blockquote_close" and (tag := closing_tags.pop()):
            token.type, token.tag = "alert_close", tag
        if marker is None:
            yield token
        else:
            yield from _opening(token, marker)
            yield from _rest(text, tokens[index + 1 : index + 4], marker.end())
            done = index + 4


def _marker_of(tokens: Sequence[Token]) -> re.Match[str] | None:
    if [token.type for token in tokens] != ["blockquote_open", "paragraph_open", "inline"]:
        return None
    return _MARKER.match(tokens[2].content)


def _opening(quotation: Token, marker: re.Match[str]) -> Iterator[Token]:
    kind, fold = marker[1].lower(), marker[2]
    quotation.type, quotation.tag = "alert_open", "details" if fold else "div"
    quotation.attrSet("class", f"markdown-alert markdown-alert-{kind}")
    if fold == "+":
        quotation.attrSet("open", "")
    quotation.meta |= {"kind": kind, "is_titled": True}
    yield quotation
    tag, level = "summary" if fold else "p", quotation.level + 1
    yield Token("alert_title_open", tag, 1, attrs={"class": "markdown-alert-title"}, level=level, block=True)
    title = (marker[3] or "").strip() or kind.capitalize()
    yield Token("inline", "", 0, content=title, children=[], level=level + 1, block=True)
    yield Token("alert_title_close", tag, -1, level=level, block=True)


def _rest(text: str, paragraph: Sequence[Token], end: int) -> Sequence[Token]:
    """Return what is left of the first paragraph, without the marker."""
    opening, inline, _ = paragraph
    rest = inline.content[end:].lstrip()
    if not rest:
        return ()
    inline.content = rest
    if opening.map:
        opening.map = inline.map = [opening.map[0] + 1, opening.map[1]]
    if (at := opening.meta.get("at")) is not None:
        opening.meta["at"] = text.index(rest.partition("\n")[0], text.index("\n", at))
    return paragraph
