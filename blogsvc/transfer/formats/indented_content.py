"""Take the indentation from the content of components, which would make it code in Markdown."""

from __future__ import annotations

from collections.abc import Iterable

MAX_DEPTH = 10  # of components in components
_FENCES = ("```", "~~~")


def dedented(text: str, contents: Iterable[tuple[int, int]]) -> str:
    """Return the text with the lines of each content moved to the left, as far as all of them can be.

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
        depth = min(indents, default=0)
        if depth:
            lines[before + 1 : after] = [line[min(depth, len(line) - len(line.lstrip(" "))) :] for line in content]
    return "\n".join(lines)


def _with_spaces(line: str) -> str:
    """Return a line whose indentation has no tabs; none at all if it has no words."""
    words = line.lstrip(" \t")
    return line[: len(line) - len(words)].expandtabs(4) + words if words else ""
