"""Make anchors of the ids that Obsidian gives to blocks, `^id` at the end of a block or below it, and hides."""

from __future__ import annotations

import re
from collections.abc import Callable

from blogsvc.lib.markdown.code_places import code_places

_NAME = re.compile(r"[A-Za-z0-9-]{1,100}")
_LINKED = re.compile(r"#(?:\^|%5E)([A-Za-z0-9-]{1,100}+)", re.IGNORECASE)
_AT_END = re.compile(r"(?<=[ \t])\^([A-Za-z0-9-]{1,100}+)\Z")
_MARKERS = re.compile(r"(?:[ \t>]|#{1,6}[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t](?:[ \t]*+\[[^\[\]]\][ \t])?)*+")
_QUOTED = re.compile(r"[ \t>]*+")
_PART = re.compile(r"#{1,6}[ \t]|(?:[-*+]|\d{1,9}[.)])[ \t]")
# What an anchor before it would turn into words of a paragraph.
_NO_WORDS = re.compile(r"\||```|~~~|<|\$\$|!|https?:|\[[!^]|\[[^\[\]]{1,200}\]:|(?:[-*_][ \t]?){3}", re.IGNORECASE)


def anchor_name(block_id: str) -> str:
    """Return the name of the anchor of a block, which no heading has; "" if this is no id of a block."""
    return f"block-{block_id.lower()}" if _NAME.fullmatch(block_id) else ""


def with_anchors(text: str, *, is_vault: bool, may_be_note: bool) -> str:
    """Return the text with anchors in place of the ids of blocks, each where its block begins.

    What looks like an id is one if it is in a vault, or if the text has a link to it. Else it may be a power, as in
    "2 ^8", unless `may_be_note` and it is a word.
    """
    if "^" not in text:
        return text
    linked = {block_id.lower() for block_id in _LINKED.findall(text)}

    def is_block_id(written: str) -> bool:
        is_word = len(written) > 1 and not written.isdecimal()
        return is_vault or (may_be_note and is_word) or written.lower() in linked

    return _Blocks(text, is_block_id).converted()


class _Blocks:
    """A text, converted line by line."""

    def __init__(self, text: str, is_block_id: Callable[[str], bool]) -> None:
        self.text, self.is_block_id = text, is_block_id
        self.lines: list[str] = []
        self.block: int | None = None  # where the last block begins, between empty lines
        self.part = 0  # where its last item, heading or paragraph begins
        self.is_ended = True

    def converted(self) -> str:
        code, place = code_places(self.text), 0
        lines = self.text.split("\n")
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            is_code = (code.end_at(place) or 0) >= place + max(len(line), 1)
            written = line.rstrip()
            words = written.lstrip(" \t>")
            found = _AT_END.search(written) if not is_code else None
            if found and (code.end_at(place + found.start()) is not None or not self.is_block_id(found[1])):
                found = None
            if not words and not is_code:
                self.is_ended = True
                self.lines.append(line)
            elif not is_code and words[:1] == "^" and _NAME.fullmatch(words[1:]) and self.is_block_id(words[1:]):
                self._below(words[1:], written)
            else:
                self._begin(words)
                if found and _ends_block(words, following):
                    self.lines.append(written[: found.start()].rstrip())
                    self._add_anchor(self.part, found[1])
                else:
                    self.lines.append(line)
            place += len(line) + 1
        return "\n".join(self.lines)

    def _begin(self, words: str) -> None:
        if self.is_ended:
            self.block = self.part = len(self.lines)
            self.is_ended = False
        elif _PART.match(words):
            self.part = len(self.lines)

    def _below(self, block_id: str, line: str) -> None:
        """Add the anchor of the block above, or of its last item if the id is indented as that is."""
        if self.block is None:
            self.block = self.part = len(self.lines)
            self.lines.append("")
        self._add_anchor(self.part if line[:1] in " \t" else self.block, block_id)
        if self.lines[-1].strip(" \t>"):
            self.lines.append(_quoted(line).rstrip())
        self.is_ended = True

    def _add_anchor(self, number: int, block_id: str) -> None:
        anchor = f'<a id="{anchor_name(block_id)}"></a>'
        line = self.lines[number]
        end = len(_MARKERS.match(line)[0])  # type: ignore[index]
        if _NO_WORDS.match(line, end):
            quoted = _quoted(line)
            if line.startswith("[!", end):  # of a callout, before which the anchor is
                quoted = quoted[: max(quoted.rfind(">"), 0)]
            self.lines[number:number] = [f"{quoted}{anchor}", quoted.rstrip()]
            self.part += 2 if number <= self.part else 0
            self.block = self.block + 2 if self.block is not None and number <= self.block else self.block
        else:
            self.lines[number] = f"{line[:end]}{anchor}{line[end:]}"


def _quoted(line: str) -> str:
    """Return the markers of quotations, and the indentation, with which a line begins."""
    return _QUOTED.match(line)[0]  # type: ignore[index]


def _ends_block(words: str, following: str) -> bool:
    """Return True if a line is the last one of its block."""
    below = following.strip(" \t>")
    return not below or words.startswith("#") or bool(_PART.match(below) or _NO_WORDS.match(below))
