"""Write the tables of Kramdown as our pages read them: with a header, as wide as the longest row, and `\\|` in code."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from blogsvc.lib.markdown.code_places import Places, between_ticks, code_places
from blogsvc.lib.markdown.writer import table
from blogsvc.transfer.formats.dialects.block_places import Block, blocks_of

_PREFIX = re.compile(r"[ \t>]*+")
_PIPE = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(r"[+|: \t-]*+")
_FOOTER = re.compile(r"[+|: \t=]*+")
_COLUMN = re.compile(r"(:?)-++(:?)")
_PLAIN_COLUMN = re.compile(r"[ \t]*+:?-++:?[ \t]*+")
_CODE_ELEMENT = re.compile(r"<code\b[^<>]{0,200}+>[^<]{0,1000}+</code>")
_OTHER_BLOCK = re.compile(r"[ \t>]*+(?:[-*+:][ \t]|\d{1,9}[.)][ \t]|\[\^|\$\$|<)")
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]")
_ALIGNMENTS = {("", ""): "---", (":", ""): ":--", ("", ":"): "--:", (":", ":"): ":-:"}


def plain(text: str) -> str:
    """Return a text of Kramdown whose tables are ours. Tables that our pages show as Kramdown does stay as written."""
    if "|" not in text:
        return text
    code, lines, starts = code_places(text), text.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)

    def is_row(number: int) -> bool:
        line, start = lines[number], starts[number]
        pipes = (start + pipe.start() for pipe in _PIPE.finditer(line))
        return not _OTHER_BLOCK.match(line) and any(code.end_at(place) is None for place in pipes)

    kept: list[str | None] = list(lines)
    for first, end in _runs(blocks_of(text), is_row):
        prefix, words = _parted(lines[first])
        found = _Table.of([words, *(_parted(line)[1] for line in lines[first + 1 : end])])
        before, after = lines[first - 1 : first], lines[end : end + 1]
        is_apart = all(_is_blank(line) or _HEADING.match(line) for line in before) and all(map(_is_blank, after))
        if found.is_shown_otherwise(is_apart=is_apart):
            written = found.written().replace("\n", f"\n{prefix}")
            kept[first:end] = [f"{prefix}{written}", *[None] * (end - first - 1)]
    return "\n".join(line for line in kept if line is not None)


def _runs(blocks: Sequence[Block], is_row: Callable[[int], bool]) -> Iterator[tuple[int, int]]:
    """Yield the first line of what can be a table, and the line after it."""
    first = end = 0
    for block in _with_words(blocks):
        for number in range(block.first, block.end):
            if first < end == number and is_row(number):
                end += 1
            elif is_row(number):
                if first < end:
                    yield first, end
                first, end = number, number + 1
    if first < end:
        yield first, end


def _with_words(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.kind in ("paragraph", "table"):
            yield block
        elif block.kind in ("blockquote", "list_item") or block.is_list:
            yield from _with_words(block.inner)


def _parted(line: str) -> tuple[str, str]:
    """Return the spaces and the marks of quotations that a line begins with, and what is after them."""
    end = len(_PREFIX.match(line)[0])  # type: ignore[index]
    return line[:end], line[end:]


def _is_blank(line: str) -> bool:
    return not line.strip(" \t>")


@dataclass
class _Table:
    """The rows of a table, the first of which are its header, and the lines between them."""

    lines: Sequence[str]
    rows: list[list[str]] = field(default_factory=list)
    header: int = 0  # how many rows it has
    columns: list[str] = field(default_factory=list)
    separators: list[int] = field(default_factory=list)
    has_pipe_in_code: bool = False

    @classmethod
    def of(cls, lines: Sequence[str]) -> _Table:
        found = cls(lines)
        has_first_pipe, has_footer = lines[0].startswith("|"), False
        for number, line in enumerate(lines):
            is_separator = _SEPARATOR.fullmatch(line) and "-" in line
            if is_separator and found.rows and not found.columns and not has_footer:
                found.header = len(found.rows)
                found.columns = [_ALIGNMENTS[one] for one in _COLUMN.findall(line)]
            is_footer = "=" in line and _FOOTER.fullmatch(line) is not None
            has_footer = has_footer or is_footer
            if is_separator or is_footer:
                found.separators.append(number)
            else:
                found.rows.append(found._cells(line, has_first_pipe=has_first_pipe))
        return found

    @property
    def width(self) -> int:
        return max((len(row) for row in self.rows), default=0)

    def is_shown_otherwise(self, *, is_apart: bool) -> bool:
        """Return True if Kramdown shows a table which our pages would not show in the same way."""
        if len(self.rows) <= self.header:
            return False
        is_plain = self.separators[:1] == [1] and self._is_plain(self.lines[1])
        if is_plain:
            return self.has_pipe_in_code or len(self.separators) > 1 or self.width > len(self.rows[0])
        if not is_apart:
            return False
        is_between_pipes = all(line.startswith("|") for line in self.lines)
        is_one = len(self.lines) == 1 and not self.lines[0].rstrip().endswith("|")
        return bool(self.separators) or (is_between_pipes and not is_one) or len(self.lines) > 1

    def _is_plain(self, line: str) -> bool:
        columns = line.strip().removeprefix("|").removesuffix("|").split("|")
        return len(columns) == len(self.rows[0]) and all(_PLAIN_COLUMN.fullmatch(column) for column in columns)

    def written(self) -> str:
        header = self.rows[0] if self.header else []
        return table(header, self.rows[1 if self.header else 0 :], self.columns[: self.width])

    def _cells(self, line: str, *, has_first_pipe: bool) -> list[str]:
        code = Places([*between_ticks(line, 0, len(line)), *(found.span() for found in _CODE_ELEMENT.finditer(line))])
        cells, place = list[str](), 0
        for pipe in _PIPE.finditer(line):
            if code.end_at(pipe.start()) is not None:
                self.has_pipe_in_code = True
                continue
            cells.append(line[place : pipe.start()])
            place = pipe.end()
        cells.append(line[place:])
        if has_first_pipe and not cells[0].strip():
            del cells[0]
        if cells and not cells[-1].strip():
            del cells[-1]
        return [cell.strip().replace(r"\|", "|") for cell in cells]
