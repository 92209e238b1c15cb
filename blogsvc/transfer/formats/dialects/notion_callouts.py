"""Write the callouts of Notion, `<aside>` with Markdown directly below it, as quotations, as pasted ones are."""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places

_BEGIN = re.compile(r"(?P<before>[ \t]{0,100}+)<aside>[ \t]*+")
_END = re.compile(r"[ \t]{0,100}+</aside>[ \t]*+")
_WORDS = re.compile(r"[ \t]*+(?:<img\s|[^\s<])")
_ICON = re.compile(r"[ \t]*+<img\s[^<>]*+>[ \t]*+")
_MAX_DEPTH = 10


def plain(text: str) -> str:
    """Return a text whose callouts are quotations. Code stays as it is."""
    if "<aside>" not in text:
        return text
    code, lines, place = code_places(text), text.split("\n"), 0
    opened: list[tuple[int, str]] = []  # the lines of `<aside>`, and what is before it
    for number, line in enumerate(lines):
        begin, end = (_BEGIN.fullmatch(line), _END.fullmatch(line)) if "aside>" in line else (None, None)
        if (begin or end) and code.end_at(place + line.index("<")) is None:
            if begin:
                opened.append((number, begin["before"]))
            elif opened:
                first, before = opened.pop()
                if len(opened) < _MAX_DEPTH and _WORDS.match(lines[first + 1]):
                    _quote(lines, first, number, before)
        place += len(line) + 1
    return "\n".join(lines)


def _quote(lines: list[str], first: int, last: int, before: str) -> None:
    """Make a quotation of the lines between the two tags."""
    for number in range(first + 1, last):
        quoted = "\n".join(f"{before}> {line.removeprefix(before)}".rstrip() for line in lines[number].split("\n"))
        lines[number] = f"{quoted}\n{before}>" if number == first + 1 and _ICON.fullmatch(lines[number]) else quoted
    lines[first] = lines[last] = ""
