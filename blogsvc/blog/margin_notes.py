"""Footnotes in the margin: whether each one of a text has room beside it, near its mark.

The style sheet puts notes into the margin by CSS anchors, each at its mark or below the note before it. It can't know
whether they fit, so this is estimated here, in lines of the text.
"""

from __future__ import annotations

import re

from blogsvc.lib.text.plain import text_between_tags

# The style sheet has rules for this many notes.
MOST = 24
# Characters in a line, as rendered at 1280 px: the text column and the margin. Margin lines are lower.
_TEXT_LINE, _NOTE_LINE, _NOTE_HEIGHT = 68, 22, 0.78
# Lines that a heading or the space between blocks take, and the height of an image or an embedded page.
_BLOCK, _IMAGE = 0.7, 12
# How far below its mark a note may begin.
_FARTHEST = 8

_LIST = '<section class="footnotes">'
_NOTE = re.compile(r'<li [^>]*class="footnote-item"[^>]*>(.*?)</li>', re.DOTALL)
_MARK = re.compile(r'id="in-fnref[0-9]+"')
_FULL = re.compile(r'<figure class="[^"]*\bfull\b')
_BLOCK_END = re.compile(r"</(?:p|h[1-6]|li|pre|figure|tr|blockquote)>")


def fit(html: str) -> bool:
    """Return True if all notes of a rendered text have room in the margin, and none reaches into a full-width image.

    A mark that can be folded away has no place on the page, so nothing can stand beside it.
    """
    text, _, notes = html.partition(_LIST)
    bodies = _NOTE.findall(notes)
    marks, images = ([found.start() for found in pattern.finditer(text)] for pattern in (_MARK, _FULL))
    if not 0 < len(bodies) <= min(len(marks), MOST):
        return False
    if any(_can_be_folded(text, mark) for mark in marks[: len(bodies)]):
        return False
    lines = _lines_before(text, [*marks, *images, len(text)])
    free_from = 0.0
    for mark, body in zip(marks, bodies, strict=False):
        start = max(lines[mark], free_from)
        free_from = start + _NOTE_HEIGHT * (1 + len(text_between_tags(body)) // _NOTE_LINE) + 1
        is_far, is_beyond = start - lines[mark] > _FARTHEST, free_from > lines[len(text)]
        if is_far or is_beyond or any(lines[mark] <= lines[image] < free_from for image in images):
            return False
    return True


def _can_be_folded(html: str, place: int) -> bool:
    return html.count("<details", 0, place) > html.count("</details>", 0, place)


def _lines_before(html: str, places: list[int]) -> dict[int, float]:
    """Return about how many lines of the text column are before each of some places in the HTML."""
    found, lines, start = {}, 0.0, 0
    for place in sorted(places):
        part = html[start:place]
        words = len(text_between_tags(part)) / _TEXT_LINE
        lines += words + _BLOCK * len(_BLOCK_END.findall(part)) + _IMAGE * part.count("<img ")
        found[place], start = lines, place
    return found
