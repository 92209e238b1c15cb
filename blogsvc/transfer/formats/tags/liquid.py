"""Find the tags and values of Liquid, the template language of Jekyll: `{% name arguments %}` and `{{ value }}`."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from blogsvc.lib.markdown.code_places import Places
from blogsvc.transfer.formats.text_search import TextSearch

MAX_ARGUMENTS = 2000  # characters; what is longer is text with braces
MAX_VALUE = 300
_OPEN, _CLOSE = re.compile(r"\{%-?\s*+(\w{1,40}+|#)"), re.compile(r"-?%\}")
_OPEN_VALUE, _CLOSE_VALUE = re.compile(r"\{\{-?"), re.compile(r"-?\}\}")
_QUOTED_VALUE = re.compile(r"""\{\{-?\s*+(?:"([^"\n]{1,300}+)"|'([^'\n]{1,300}+)')\s*+-?\}\}""")
# The tags with code, also of Octopress and Hexo.
_CODE = ("highlight", "ihighlight", "codeblock", "code")
QUOTATIONS = ("blockquote", "quote", "pullquote")
_CODE_ENDS, _QUOTATION_ENDS = (
    {name: re.compile(rf"\{{%-?\s*+end{name}\s*+-?%\}}") for name in names} for names in (_CODE, QUOTATIONS)
)
_RAW = ("raw", "verbatim")  # the latter in Nunjucks
_ENDS_OF_RAW = {name: re.compile(rf"(?<!\{{)\{{%-?\s*+end{name}\s*+-?%\}}") for name in _RAW}
_RAW_OR_QUOTED = re.compile(rf"(?<!\{{)\{{%-?\s*+(?P<raw>raw|verbatim)\s*+-?%\}}|{_QUOTED_VALUE.pattern}")
LITERAL = (*_RAW, *(f"end{name}" for name in _RAW), "comment", "endcomment")
_COMMENT = re.compile(r"(?<!\{)\{%-?\s*+(end)?(?:comment|doc)\b[^{}]{0,2000}?%\}")
_OF_READER = re.compile(r"\{%-?\s*+comment\s++\w{1,20}+\s*+-?%\}")
# A comment of Nunjucks and Jinja, which Hexo and Eleventy have.
_OPEN_HASH, _CLOSE_HASH = re.compile(r"\{#-?\s"), re.compile(r"\s-?#\}")


@dataclass(frozen=True)
class LiquidTag:
    name: str
    arguments: str
    end: int  # where the text after it begins


def tag_at(search: TextSearch, place: int) -> LiquidTag | None:
    """Return the tag at a place. The name of a comment of one tag, `{% # words %}`, is "#"."""
    opened = _OPEN.match(search.text, place)
    closed = search.after(_CLOSE, opened.end()) if opened else None
    if opened is None or closed is None:
        return None
    arguments = arguments_between(search.text, opened.end(), closed.start(), MAX_ARGUMENTS)
    return None if arguments is None else LiquidTag(opened[1].lower(), arguments, closed.end())


def end_of_code(search: TextSearch, tag: LiquidTag, literal: Places) -> re.Match[str] | None:
    """Return the end tag, outside of literal parts, of a tag with code; None for other tags, and without an end."""
    closed = search.after(_CODE_ENDS[tag.name], tag.end) if tag.name in _CODE_ENDS else None
    while closed and (end := literal.end_at(closed.start())) is not None:
        closed = search.after(_CODE_ENDS[tag.name], end)
    return closed


def end_of_quotation(search: TextSearch, tag: LiquidTag) -> re.Match[str] | None:
    """Return the end tag of a tag with a quotation."""
    return search.after(_QUOTATION_ENDS[tag.name], tag.end) if tag.name in _QUOTATION_ENDS else None


def end_of_hash_comment(search: TextSearch, place: int) -> int | None:
    """Return where a comment such as `{# words #}` at a place ends."""
    opened = _OPEN_HASH.match(search.text, place)
    closed = search.after(_CLOSE_HASH, opened.end() - 1) if opened else None
    return closed.end() if closed else None


def value_at(search: TextSearch, place: int) -> tuple[str, int] | None:
    """Return the value at a place, such as `site.url`, and where the text after it begins."""
    opened = _OPEN_VALUE.match(search.text, place)
    closed = search.after(_CLOSE_VALUE, opened.end()) if opened else None
    if opened is None or closed is None:
        return None
    value = arguments_between(search.text, opened.end(), closed.start(), MAX_VALUE)
    return (value, closed.end()) if value and value[0] not in "<%" and value[-1] not in ">%" else None


def quoted_value_at(text: str, place: int) -> tuple[str, int] | None:
    """Return the words of a value such as `{{ "{%" }}`, which authors write to show them, and where it ends."""
    found = _QUOTED_VALUE.match(text, place)
    return (found[1] or found[2], found.end()) if found else None


def printed_braces_at(text: str, place: int) -> tuple[str, int] | None:
    """Return the words of a quoted value with braces, which no reader has seen as it is written, not even in code."""
    quoted = quoted_value_at(text, place)
    return quoted if quoted and ("{" in quoted[0] or "}" in quoted[0]) else None


def arguments_between(text: str, start: int, end: int, max_length: int) -> str | None:
    """Return the text between two places; None if it is too long, or has braces."""
    arguments = text[start:end].strip() if end - start <= max_length else "{"
    return None if "{" in arguments or "}" in arguments else arguments


@dataclass
class Blocks:
    """The parts of a text between `raw` tags, the `raw` tags themselves, and comments. Each is a place: start and end.

    `unclosed` are the places of comments that have no end.
    """

    literal: list[tuple[int, int]] = field(default_factory=list)
    raw_tags: list[tuple[int, int]] = field(default_factory=list)
    comments: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)


def blocks_in(text: str, is_code: Callable[[int], bool], *, is_of_dev: bool = False) -> Blocks:
    """Return the literal parts and the comments of a text. Tags in code, as `is_code` says, begin no comment.

    Args:
        is_of_dev: All code is literal, as on DEV, where a comment with an id is the comment of a reader.
    """
    blocks = Blocks()
    quoted = _quoted_and_raw(text, blocks, is_code if is_of_dev else lambda _: False)
    literal = iter([*blocks.literal, (len(text), len(text))])
    start, end = next(literal)
    opened: list[int] = []
    for tag in _COMMENT.finditer(text):
        while tag.start() >= end < len(text):
            start, end = next(literal)
        if start <= tag.start() < end or quoted.end_at(tag.start()) is not None:
            continue
        if is_of_dev and _OF_READER.fullmatch(tag[0]):
            continue
        if not tag[1] and (opened or not is_code(tag.start())):
            opened.append(tag.start())
        elif tag[1] and opened:
            blocks.comments.append((opened.pop(), tag.end()))
    blocks.unclosed = opened
    return blocks


def _quoted_and_raw(text: str, blocks: Blocks, is_literal: Callable[[int], bool]) -> Places:
    """Find the `raw` tags of a text and what is between them. Returns the quoted values elsewhere.

    Args:
        is_literal: returns True for places where there are no tags.
    """
    search, quoted, place = TextSearch(text), [], 0
    while found := _RAW_OR_QUOTED.search(text, place):
        place = found.end()
        if is_literal(found.start()):
            continue
        if found["raw"] is None:
            quoted.append(found.span())
        elif closed := search.after(_ENDS_OF_RAW[found["raw"]], place):
            blocks.raw_tags += [found.span(), closed.span()]
            blocks.literal.append((place, closed.start()))
            place = closed.end()
    return Places(quoted)
