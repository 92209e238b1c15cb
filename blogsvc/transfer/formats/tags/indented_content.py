"""Take the indentation from the content of components, which would make it code in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_DEPTH = 10  # of components in components
_FENCES = ("```", "~~~")
_MARKERS = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,200}+")


def dedented(text: str, contents: Iterable[tuple[int, int]]) -> str:
    """Return the text with the lines of each content moved to the left, to where the component begins.

    Args:
        contents: the lines before and after each content, counted from 0. At most `MAX_DEPTH` have a line in common.
    """
    lines = text.split("\n")
    for before, after in sorted(contents, key=lambda content: (content[0], -content[1])):
        content = [_with_spaces(line) for line in lines[before + 1 : after]]
        indents, fence = [], ""
        for line in content:
            words = line.lstrip(" ")
            if words and not fence:
                indents.append(len(line) - len(words))
            if words.startswith(_FENCES) and (not fence or words.startswith(fence)):
                fence = "" if fence else words[:3]
        depth = min(indents, default=0) - len(indentation(lines[before]).expandtabs(4))
        if depth > 0:
            lines[before + 1 : after] = [line[min(depth, len(line) - len(line.lstrip(" "))) :] for line in content]
    return "\n".join(lines)


def markers(line: str) -> str:
    """Return the indentation of a line, with the marks of quotations and list items that it begins with."""
    return _MARKERS.match(line)[0]  # type: ignore[index]


def indentation(line: str) -> str:
    """Return what a next line in the same list items and quotations begins with."""
    return re.sub(r"[^\s>]", " ", markers(line))


def _with_spaces(line: str) -> str:
    """Return a line whose indentation has no tabs; none at all if it has no words."""
    words = line.lstrip(" \t")
    return line[: len(line) - len(words)].expandtabs(4) + words if words else ""
