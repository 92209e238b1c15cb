"""Write the definition lists of Kramdown, Goldmark and Pandoc as HTML with Markdown in it.

A line that begins with a colon and a space defines the lines before it:

    Apple
    : A fruit
    : A *firm*

Source: https://michelf.ca/projects/php-markdown/extra/#def-list
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from blogsvc.transfer.formats.dialects.block_places import Block, blocks_of

_MAX_DEPTH = 4  # of lists in lists
_MAX_NESTED = 1_000  # lists in other lists, items and quotations of one text, each of which takes a parser
_LIKELY = re.compile(r"^[ \t>]*+:[ \t]", re.MULTILINE)
_DEFINITION = re.compile(r"(?P<mark>[ ]{0,3}:)(?P<space>[ \t]++)(?=\S)")
_MARKER = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++")
_QUOTE = re.compile(r"[ ]{0,3}>[ ]?")
_ATTRIBUTES = re.compile(r"[ ]{0,3}\{[:#.][^{}]*+\}[ \t]*+")
_OF_ENTRY = re.compile(r"\{:[^{}\n:/][^{}\n]{0,500}+\}[ \t]++(?=\S)")
# Lines that go on with no paragraph.
_ENDS_PARAGRAPH = re.compile(r"[ ]{0,3}(?:#{1,6}[ \t]|[-*+][ \t]|\d{1,9}[.)][ \t]|```|~~~|[>|]|</?[a-zA-Z]|\{[:#.])")
# Words that are the same in HTML, whatever our pages make of quotation marks and dashes.
_PLAIN = re.compile(
    r"(?!www\.|\d{1,9}[.)](?:\s|\Z))(?:[^\W_]|[ ,]|[.](?![.])|(?<=[^\W_])-(?=[^\W_])|\((?=[^\W_]{4})|\)(?!\())+", re.I
)


@dataclass
class _Entry:
    """Words, or what they mean (`is_definition`)."""

    is_definition: bool
    lines: list[str] = field(default_factory=list)


def plain(text: str) -> str:
    """Return a text whose definition lists are HTML."""
    return _converted(text, 0, iter(range(_MAX_NESTED)))


def _converted(text: str, depth: int, left: Iterator[int]) -> str:
    """Return a text that is in `depth` other blocks, if any of the texts that can be converted are `left`."""
    if not _LIKELY.search(text) or next(left, None) is None:
        return text
    lines, blocks, parts, done = text.split("\n"), blocks_of(text), list[str](), 0
    entries: list[_Entry] = []  # of the list that has been read
    for number, block in enumerate(blocks):
        if block.first < done:
            continue
        start = _first_definition(lines, block, blocks[number + 1] if number + 1 < len(blocks) else None)
        if entries and (start is None or any(map(str.strip, lines[done : block.first]))):
            done = _add(parts, entries, lines, done, depth, left)
        if start is not None:
            parts += [] if entries else lines[done : block.first]
            more, done = _read(lines, block.first, start)
            entries += more
        elif depth < _MAX_DEPTH and (block.is_list or block.kind == "blockquote"):
            for inner in block.inner if block.is_list else [block]:
                parts += lines[done : inner.first]
                parts += _within(lines[inner.first : inner.end], depth + 1, left, is_quote=not block.is_list)
                done = inner.end
    done = _add(parts, entries, lines, done, depth, left) if entries else done
    return "\n".join([*parts, *lines[done:]])


def _add(
    parts: list[str], entries: list[_Entry], lines: Sequence[str], end: int, depth: int, left: Iterator[int]
) -> int:
    """Add the lines of a list, and return where the text goes on: after the attributes of the list, if it has some."""
    parts += [""] if parts and parts[-1].strip() else []
    while end < len(lines) and _ATTRIBUTES.fullmatch(lines[end]):
        parts.append(lines[end])
        end += 1
    parts += ["<dl>", *_written(entries, depth, left), "</dl>"]
    parts += [""] if end < len(lines) and lines[end].strip() else []
    entries.clear()
    return end


def _first_definition(lines: Sequence[str], block: Block, following: Block | None) -> int | None:
    """Return the line of the first definition, if a block has or is words that are defined."""
    if block.kind != "paragraph" or _DEFINITION.match(lines[block.first]):
        return None
    found = next((line for line in range(block.first + 1, block.end) if _DEFINITION.match(lines[line])), None)
    if found is None and following is not None and following.kind == "paragraph" and following.first <= block.end + 1:
        return following.first if _DEFINITION.match(lines[following.first]) else None
    return found


def _read(lines: Sequence[str], first: int, start: int) -> tuple[list[_Entry], int]:
    """Return the entries from a line on, of which the first definition is in the line `start`, and where they end."""
    entries = [_Entry(False, _first_lines(line.strip())) for line in lines[first:start] if line.strip()]
    number, end, width = start, start, 0
    while number < len(lines):
        line = lines[number]
        definition = _DEFINITION.match(line)
        if definition and (width == 0 or len(definition["mark"]) <= width):
            width = len(definition[0].expandtabs(4))
            entries.append(_Entry(True, _first_lines(line[definition.end() :])))
        elif not line.strip():
            entries[-1].lines.append("")
        elif _width(line) >= width or (lines[number - 1].strip() and not _ENDS_PARAGRAPH.match(line)):
            entries[-1].lines.append(_without_spaces(line, width))
        else:
            break
        number += 1
        end = number if line.strip() else end
    return entries, end


def _first_lines(words: str) -> list[str]:
    """Return the first line of an entry; its attributes, which Kramdown has before the words, are one above them."""
    attributes = _OF_ENTRY.match(words)
    return [attributes[0].strip(), words[attributes.end() :]] if attributes else [words]


def _written(entries: Sequence[_Entry], depth: int, left: Iterator[int]) -> Iterator[str]:
    plain_by_kind = {
        kind: all(_is_plain(entry) for entry in entries if entry.is_definition is kind) for kind in (False, True)
    }
    for entry in entries:
        name = "dd" if entry.is_definition else "dt"
        words = "\n".join(entry.lines).strip("\n")
        if plain_by_kind[entry.is_definition]:
            yield f"<{name}>{' '.join(words.split())}</{name}>"
        else:
            inner = _converted(words, depth + 1, left) if depth < _MAX_DEPTH else words
            yield from (f"<{name}>", "", *inner.split("\n"), "", f"</{name}>")


def _is_plain(entry: _Entry) -> bool:
    words = "\n".join(entry.lines).strip()
    return "\n\n" not in words and _PLAIN.fullmatch(" ".join(words.split())) is not None


def _within(lines: Sequence[str], depth: int, left: Iterator[int], *, is_quote: bool) -> list[str]:
    """Return the lines of an item of a list, or of a quotation, with the definition lists in it."""
    marker = _QUOTE.match(lines[0]) if is_quote else _MARKER.match(lines[0])
    if marker is None:
        return list(lines)
    first, width = marker[0], len(marker[0].expandtabs(4))
    if is_quote:
        inner = [_QUOTE.sub("", line, count=1) for line in lines]
    else:
        inner = [lines[0][marker.end() :], *(_without_spaces(line, width) for line in lines[1:])]
    text = "\n".join(inner)
    converted = _converted(text, depth, left)
    if converted == text:
        return list(lines)
    others = "> " if is_quote else " " * width
    written = [f"{others if number else first}{line}" for number, line in enumerate(converted.split("\n"))]
    return [line.rstrip() if not line.strip(" >") else line for line in written]


def _width(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip())].expandtabs(4))


def _without_spaces(line: str, width: int) -> str:
    """Return a line without as many of the spaces that it begins with as an item has before its words."""
    words = line.lstrip()
    return " " * max(0, _width(line) - width) + words
