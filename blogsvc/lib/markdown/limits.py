"""Limits for hostile Markdown, so that every text is rendered in about two seconds (`tests/siege/texts.py`).

Most limits are silent: what exceeds them is shown as text. Raw HTML that the HTML parser would repeat in every
paragraph is refused (`TextRefused`), because showing it as text would hide the mistake.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from blogsvc.errors import TextRefused

_PARAGRAPH = 16 * 1024  # characters to search for inline markup, which takes quadratic time
_MARKS = 100_000  # characters that may be inline markup, in all; each takes up to 20 µs
_SEARCHED = "*_~[]!<&:@"
_BLOCK_TOKENS = 100_000  # after which no list and no quotation starts
_QUOTED_LINES = 200_000  # for all quotations, of which each parses the lines of those in it again
_NESTING_IN_PARAGRAPH = 20  # of links and images; each level searches the paragraph again
_REPEATED = 4_000_000  # characters of elements that the HTML parser may repeat
_REPEATED_PER_CHARACTER = 8  # more, for each character of the text
_ELEMENT = 60  # characters, for what an element takes besides its tag
_GROWTH = 20  # the HTML of a text can be this many times as long, plus a constant
_GROWTH_MORE = 100_000

# Elements that the HTML parser opens again in every block if they are not closed ("formatting elements").
_FORMATTING = "a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
_ATTRIBUTES = r"""(?:\s+[\w:-]+(?:=(?:"[^"<>]*"|'[^'<>]*'|[^\s"'=<>`]+))?)*+\s*"""
_OPENING = re.compile(rf"<({_FORMATTING})(?=[\s/>]|\Z)({_ATTRIBUTES}/?>)?", re.IGNORECASE)
_PAIR = re.compile(rf"<({_FORMATTING}){_ATTRIBUTES}>[^<>]*+</\1\s*>|<(?:br|img|wbr){_ATTRIBUTES}/?>", re.IGNORECASE)
_PAIRS_IN_PAIRS = 5
_SAME = 3  # of the elements with the same tag, the parser opens only this many again


def limit_blocks(parser: MarkdownIt) -> None:
    """Limit lists, quotations and inline markup of a parser for one text."""
    parser.block.ruler.at("list", _list, {"alt": ["paragraph", "reference", "blockquote"]})
    parser.block.ruler.at("blockquote", _blockquote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    parser.core.ruler.before("inline", "long_paragraphs", _skip_long_paragraphs)


def _list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    return len(state.tokens) < _BLOCK_TOKENS and list_block(state, start, end, silent)


def _blockquote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    quoted = state.env.get("quoted", 0)
    if len(state.tokens) >= _BLOCK_TOKENS or quoted > _QUOTED_LINES:
        return False
    if not silent and state.src.startswith(">", state.bMarks[start] + state.tShift[start]):
        line = start
        while line < end and not state.isEmpty(line):
            line += 1
        state.env["quoted"] = quoted + line - start
    return blockquote(state, start, end, silent)


def _skip_long_paragraphs(state: StateCore) -> None:
    state.md.options["maxNesting"] = _NESTING_IN_PARAGRAPH  # blocks are done; this parser is for one text
    left = _MARKS
    for token in state.tokens:
        if token.type == "inline":
            marks = sum(map(token.content.count, _SEARCHED))
            if len(token.content) > _PARAGRAPH or marks > left:
                token.type = "text"
            else:
                left -= marks


def require_closed(tokens: Iterable[Token], length: int) -> None:
    """Raise TextRefused if raw HTML opens elements that the HTML parser would have to repeat too often.

    The parser opens a formatting element that is not closed again in every block that follows: 3,000 such elements
    and 3,000 blocks are 9 million elements. This is an upper bound: an element counts as closed only if its closing
    tag follows in the same paragraph or block, with nothing but text and such elements in between.

    Args:
        length: the characters of the text.
    """
    limit = _REPEATED + _REPEATED_PER_CHARACTER * length
    openings: Counter[str] = Counter()
    open_length = repeated = link_length = 0
    first: tuple[str, int] | None = None
    line = 1
    for token in tokens:
        line = token.map[0] + 1 if token.map else line
        raw = token.content if token.type == "html_block" else _raw_of(token.children or ())
        for tag, size, is_link in _unclosed(raw, openings):
            first = first or (tag, line)
            if is_link:  # opening a link closes the one before it
                size, link_length = max(0, size - link_length), max(link_length, size)
            open_length += size
        repeated += open_length * (1 + raw.count("<"))
        if repeated > limit and first is not None:
            raise TextRefused(
                f"Line {first[1]} opens {first[0]} and does not close it. Unclosed elements are repeated in every"
                " paragraph, which would make the page too large. Close each element in the paragraph that opens it."
            )


def _raw_of(children: Sequence[Token]) -> str:
    return "x".join(child.content for child in children if child.type == "html_inline")


def _unclosed(raw: str, openings: Counter[str]) -> Iterable[tuple[str, int, bool]]:
    """Yield the tag of each formatting element that may stay open, its length, and True for a link."""
    if "<" not in raw:
        return
    for _ in range(_PAIRS_IN_PAIRS):
        raw, found = _PAIR.subn("", raw)
        if not found:
            break
    for match in _OPENING.finditer(raw):
        # Without a simple end, the tag may go on to the end of the raw HTML.
        openings[match[0]] += bool(match[2])
        if openings[match[0]] <= _SAME:
            length = len(match[0]) if match[2] else len(raw) - match.start()
            yield match[0][:40], length + _ELEMENT, match[1].lower() == "a"


def require_moderate(html: str, text: str) -> str:
    """Return the HTML of a text. Raises TextRefused if it is far longer than the text."""
    if len(html) <= _GROWTH * len(text) + _GROWTH_MORE:
        return html
    raise TextRefused(
        f"The HTML of this text would be {len(html) // max(1, len(text))} times as long as the text. Close all HTML"
        " elements in the paragraph that opens them, and split long tables and lists."
    )
