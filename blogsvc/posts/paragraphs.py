"""Paragraphs of an older text: find those that a newer text lacks or has changed, and put one back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from blogsvc.lib.text.diff import DiffHunk, DiffLine


def lost_paragraphs(hunks: Iterable[DiffHunk]) -> list[range]:
    """Return the line numbers of each paragraph of the old text that was removed or changed, from 1."""
    paragraphs: list[range] = []
    for line in _lines(hunks):
        number = line.old_number
        if number is None or line.kind == "same" or not _old_text(line).strip():
            continue
        if paragraphs and paragraphs[-1].stop == number:
            paragraphs[-1] = range(paragraphs[-1].start, number + 1)
        else:
            paragraphs.append(range(number, number + 1))
    return paragraphs


def with_paragraph(old: str, new: str, hunks: list[DiffHunk], first: int) -> str | None:
    """Return the new text with a paragraph of the old one, which starts in line `first`. None if it has no such one.

    Changed lines are replaced, removed ones are added where they were. All other lines stay as they are.
    """
    paragraph = next((lines for lines in lost_paragraphs(hunks) if lines.start == first), None)
    if paragraph is None:
        return None
    lines, place = new.splitlines(keepends=True), 0
    added: defaultdict[int, list[str]] = defaultdict(list)  # by the number of the new lines above
    for line in _lines(hunks):
        if line.old_number in paragraph:
            if line.new_number is None:
                added[place].append(_old_text(line) + "\n")
            else:
                was = lines[line.new_number - 1]
                lines[line.new_number - 1] = _old_text(line) + was[len(was.splitlines()[0]) :]
        place = line.new_number or place
    _part(added, lines, old.splitlines(), paragraph)
    return _joined(lines, added)


def _part(added: defaultdict[int, list[str]], lines: list[str], olds: list[str], paragraph: range) -> None:
    """Add the empty lines around a removed paragraph that it had in the old text."""
    if not added:
        return
    top, bottom = min(added), max(added)
    is_parted_above = paragraph.start == 1 or not olds[paragraph.start - 2].strip()
    is_parted_below = paragraph.stop > len(olds) or not olds[paragraph.stop - 1].strip()
    if is_parted_above and top > 0 and lines[top - 1].strip():
        added[top].insert(0, "\n")
    if is_parted_below and bottom < len(lines) and lines[bottom].strip():
        added[bottom].append("\n")


def _joined(lines: list[str], added: defaultdict[int, list[str]]) -> str:
    text = "".join(added[0])
    for number, line in enumerate(lines, 1):
        text += line
        if number in added:
            text += ("" if line.endswith("\n") else "\n") + "".join(added[number])
    return text if lines and lines[-1].endswith("\n") else text.removesuffix("\n")


def _lines(hunks: Iterable[DiffHunk]) -> Iterator[DiffLine]:
    for hunk in hunks:
        yield from hunk.lines


def _old_text(line: DiffLine) -> str:
    return "".join(run.text for run in line.runs if run.kind != "added")
