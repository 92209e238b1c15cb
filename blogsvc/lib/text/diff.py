"""Compare two texts by line, and changed lines by word.

A paragraph of Markdown is one line, so most edits are a `changed` line whose runs show the difference.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile
from typing import Literal

from blogsvc.lib.text.plain import UNSPACED, UNSPACED_MARKS

# Limits for hostile text, because comparison takes quadratic time. Beyond them, everything counts as replaced.
_LINES = 4_000
_WORDS = 1_500  # per line
_PAIRS = 20_000_000  # of lines or words that may be compared with each other in all; about 2 s at worst
_PAIRED = 40  # lines replaced in one place that are compared with each other
_ALIKE = 0.4  # the share of common words from which a line counts as changed, not replaced

_WORD = re.compile(rf"[{UNSPACED}][{UNSPACED_MARKS}]*+|[^\W{UNSPACED}]+[ ]?|[^\w\s]|\s+")


@dataclass(frozen=True)
class DiffRun:
    """A part of a line. `same` is in both texts, `added` only in the new one, `removed` only in the old one."""

    kind: Literal["same", "added", "removed"]
    text: str


@dataclass(frozen=True)
class DiffLine:
    """A line of one or both texts. Line numbers count from 1; None if the text does not have the line."""

    kind: Literal["same", "added", "removed", "changed"]
    runs: tuple[DiffRun, ...]
    old_number: int | None = None
    new_number: int | None = None


@dataclass(frozen=True)
class DiffHunk:
    """A number of skipped equal lines, then the lines to show. The last hunk may have none to show."""

    skipped: int
    lines: tuple[DiffLine, ...]


def difference(old: str, new: str) -> list[DiffLine]:
    """Return the lines of both texts in order; removed lines come before the added lines that replace them."""
    olds, news = old.splitlines(), new.splitlines()
    effort = _Effort()
    found = list(_stretches(olds, news, _LINES, effort))
    return [line for tag, a, b in found for line in _lines(tag, a, b, olds, news, effort)]


@dataclass
class _Effort:
    """The comparisons that are left for two texts."""

    left: int = _PAIRS

    def allows(self, pairs: int) -> bool:
        if pairs > self.left:
            return False
        self.left -= pairs
        return True


def changes(old: str, new: str) -> list[DiffHunk]:
    """Return the differences with some equal lines around them, [] if the texts are equal."""
    return hunks(difference(old, new))


def is_different(lines: Sequence[DiffLine]) -> bool:
    return any(line.kind != "same" for line in lines)


def hunks(lines: Sequence[DiffLine], context: int = 3) -> list[DiffHunk]:
    """Return the differences with `context` equal lines around them, [] if the texts are equal."""
    if not is_different(lines):
        return []
    near = _shown_indexes(lines, context)
    result, skipped, hunk_lines = [], 0, list[DiffLine]()
    for index, line in enumerate(lines):
        if index in near:
            hunk_lines.append(line)
            continue
        if hunk_lines:
            result.append(DiffHunk(skipped, tuple(hunk_lines)))
            skipped, hunk_lines = 0, []
        skipped += 1
    return [*result, DiffHunk(skipped, tuple(hunk_lines))]


def _shown_indexes(lines: Sequence[DiffLine], context: int) -> set[int]:
    """Return the indexes of lines within `context` lines of a difference."""
    changed = (index for index, line in enumerate(lines) if line.kind != "same")
    near = {place for index in changed for place in range(index - context, index + context + 1)}
    # A fold that hides only one line would be as long as the line.
    return near | {place for place in range(len(lines)) if {place - 1, place + 1} <= near | {-1, len(lines)}}


def _lines(tag: str, a: range, b: range, olds: list[str], news: list[str], effort: _Effort) -> Iterator[DiffLine]:
    if tag == "equal":
        yield from (DiffLine("same", _whole("same", news[j]), i + 1, j + 1) for i, j in zip(a, b, strict=True))
        return
    for i, j in _pairs(a, b, olds, news):
        if j is None:
            assert i is not None
            yield DiffLine("removed", _whole("removed", olds[i]), i + 1, None)
        elif i is None:
            yield DiffLine("added", _whole("added", news[j]), None, j + 1)
        else:
            yield DiffLine("changed", tuple(_runs(olds[i], news[j], effort)), i + 1, j + 1)


def _whole(kind: Literal["same", "added", "removed"], text: str) -> tuple[DiffRun, ...]:
    return (DiffRun(kind, text),) if text else ()


def _pairs(a: range, b: range, olds: list[str], news: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Match removed with added lines, in order: each old line with the next new line that is similar."""
    rest = list(b)
    is_compared = max(len(a), len(b)) <= _PAIRED
    for i in a:
        like = next((n for n, j in enumerate(rest) if _are_similar(olds[i], news[j])), None) if is_compared else None
        if like is None:
            yield i, None
            continue
        yield from ((None, j) for j in rest[:like])
        yield i, rest[like]
        del rest[: like + 1]
    yield from ((None, j) for j in rest)


def _are_similar(old: str, new: str) -> bool:
    ours, theirs = (set(_WORD.findall(text)) - {" "} for text in (old, new))
    return bool(ours and theirs) and len(ours & theirs) >= _ALIKE * max(len(ours), len(theirs))


def _runs(old: str, new: str, effort: _Effort) -> Iterator[DiffRun]:
    olds, news = _WORD.findall(old), _WORD.findall(new)
    for tag, a, b in _stretches(olds, news, _WORDS, effort):
        before, after = "".join(olds[a.start : a.stop]), "".join(news[b.start : b.stop])
        if tag == "equal":
            yield DiffRun("same", after)
            continue
        if before:
            yield DiffRun("removed", before)
        if after:
            yield DiffRun("added", after)


def _stretches(
    olds: list[str], news: list[str], max_length: int, effort: _Effort
) -> Iterator[tuple[str, range, range]]:
    """Yield the equal and different ranges of two lists, as (tag, old range, new range)."""
    head = _common(zip(olds, news, strict=False))
    tail = _common(zip(reversed(olds[head:]), reversed(news[head:]), strict=False))
    a, b = range(head, len(olds) - tail), range(head, len(news) - tail)
    if head:
        yield "equal", range(head), range(head)
    if max(len(a), len(b)) > max_length or not effort.allows(len(a) * len(b)):
        yield "replace", a, b
    elif a or b:
        yield from _matching_ranges(a, b, olds, news)
    if tail:
        yield "equal", range(a.stop, len(olds)), range(b.stop, len(news))


def _common(pairs: Iterator[tuple[str, str]] | zip[tuple[str, str]]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _matching_ranges(a: range, b: range, olds: list[str], news: list[str]) -> Iterator[tuple[str, range, range]]:
    matcher = SequenceMatcher(None, olds[a.start : a.stop], news[b.start : b.stop])
    for tag, i, i_end, j, j_end in matcher.get_opcodes():
        yield tag, range(a.start + i, a.start + i_end), range(b.start + j, b.start + j_end)
