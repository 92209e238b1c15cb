"""Write the emphasis of Kramdown where our Markdown would not read it, and its single tildes, which strike nothing.

Kramdown reads `**「words」**です` as bold text, whatever is beside the delimiters, and `H~2~O` as it stands. Source:
https://github.com/gettalong/kramdown/blob/master/lib/kramdown/parser/kramdown/emphasis.rb
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it.common.utils import isMdAsciiPunct, isPunctChar

from blogsvc.lib.markdown.code_places import code_places
from blogsvc.lib.markdown.render import LINES
from blogsvc.transfer.formats.dialects.block_places import places_of_words

_ELEMENTS = {"*": "em", "_": "em", "**": "strong", "__": "strong", "~~": "del"}
_PARTS = {"***": ("**", "*"), "___": ("__", "_")}
# Escaped characters, tags, addresses and formulas come first, so that marks in them are none.
_RUN = re.compile(
    r"""\\. | <[a-zA-Z/!][^<>]{0,1000}+> | \]\((?:<[^<>\n]{0,1000}+>|[^\s()<]{0,1000}+)(?:\s[^()]{0,300}+)?\)
      | \$\$[^$]{1,1000}+\$\$ | (?:https?://|www\.)[^\s<*]{1,1000}+ | (?P<run>\*++|_++|~++)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True)
class _Mark:
    """A delimiter, and the characters beside the run that it is in."""

    sign: str
    place: int
    before: str
    after: str

    @property
    def opens(self) -> bool:
        """Return True if our Markdown could read it as the beginning of emphasis."""
        return _is_flanking(self.after, self.before) and not (self.sign[0] == "_" and _is_letter(self.before))

    @property
    def closes(self) -> bool:
        return _is_flanking(self.before, self.after) and not (self.sign[0] == "_" and _is_letter(self.after))


def plain(text: str) -> str:
    """Return a text of Kramdown in which our Markdown reads the same emphasis."""
    if not any(mark in text for mark in "*_~") or text.count("\n") > LINES:
        return text
    code = code_places(text)
    changes: list[tuple[int, int, str]] = []
    for first, end in places_of_words(text):
        changes += _changes(text, [run for run in _runs(text, first, end) if code.end_at(run.place) is None])
    parts, place = [], 0
    for start, after, written in sorted(changes):
        parts += [text[place:start], written]
        place = after
    return "".join([*parts, text[place:]])


def with_plain_tildes(text: str) -> str:
    """Return a text of a program in which only two tildes strike out, for our Markdown, where one does, too."""
    if "~" not in text or text.count("\n") > LINES:
        return text
    code = code_places(text)
    parts, place = [], 0
    for first, end in places_of_words(text):
        runs = [run for run in _runs(text, first, end) if code.end_at(run.place) is None]
        for start, after, written in _plain_tildes(runs):
            parts += [text[place:start], written]
            place = after
    return "".join([*parts, text[place:]])


def _runs(text: str, start: int, end: int) -> Iterator[_Mark]:
    for found in _RUN.finditer(text, start, end):
        if run := found["run"]:
            before = text[found.start() - 1] if found.start() > start else ""
            yield _Mark(run, found.start(), before, text[found.end() : found.end() + 1] if found.end() < end else "")


def _changes(text: str, runs: list[_Mark]) -> Iterator[tuple[int, int, str]]:
    """Yield what is to be written instead of the text between two places."""
    for opening, closing in _pairs(text, runs):
        if not (opening.opens and closing.closes):
            name = _ELEMENTS[opening.sign]
            for mark, tag in ((opening, f"<{name}>"), (closing, f"</{name}>")):
                yield mark.place, mark.place + len(mark.sign), tag
    yield from _plain_tildes(runs)


def _plain_tildes(runs: list[_Mark]) -> Iterator[tuple[int, int, str]]:
    may_strike = False
    for run in runs:
        if run.sign == "~":
            if may_strike and run.closes:
                yield run.place, run.place + 1, r"\~"
            may_strike = may_strike or run.opens


def _pairs(text: str, runs: list[_Mark]) -> Iterator[tuple[_Mark, _Mark]]:
    """Yield the marks that Kramdown pairs. Each is within another one, or apart from it."""
    opened: list[_Mark] = []
    for run in runs:
        sign, place = run.sign, run.place
        if run.before and not run.before.isspace() and not (sign[0] == "_" and run.after.isalnum()):
            for number in range(len(opened) - 1, -1, -1):
                mark = opened[number]
                is_inner = number == len(opened) - 1
                fits = sign.startswith(mark.sign) and (mark.sign == sign or (is_inner and len(sign) == 3))
                if fits and place > mark.place + len(mark.sign):
                    yield mark, _Mark(mark.sign, place, run.before, run.after)
                    del opened[number:]
                    sign, place = sign[len(mark.sign) :], place + len(mark.sign)
                    if not sign:
                        break
        is_within_word = sign[:1] == "_" and run.before.isalpha() and run.after.isalpha()
        if not sign or not run.after or run.after.isspace() or is_within_word:
            continue
        for part in _PARTS.get(sign, (sign,)):
            is_open = any(_ELEMENTS[mark.sign] == _ELEMENTS.get(part) for mark in opened)
            if part in _ELEMENTS and not is_open:
                opened.append(_Mark(part, place, run.before, run.after))
            place += len(part)


def _is_flanking(inside: str, outside: str) -> bool:
    if not inside or inside.isspace():
        return False
    return not _is_punctuation(inside) or not outside or outside.isspace() or _is_punctuation(outside)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _is_letter(character: str) -> bool:
    return bool(character) and not character.isspace() and not _is_punctuation(character)
