"""Write notes in a line, `^[words]`, as footnotes. Obsidian, Pandoc and markdown-it-footnote have them."""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import code_places

_SIGN = re.compile(r"\\.|(?<!\[)\^\[|\[|\](?P<target>\()?|\n[ \t>]*+\n", re.DOTALL)
_USED = re.compile(r"\[\^inline(\d{0,9})-")  # the numbers of labels like ours
_LINE_START = re.compile(r"\n[ \t>]*+")
_MAX_LENGTH = 5000  # characters of a note


def plain(text: str) -> str:
    """Return Markdown in which notes in a line are footnotes, which are defined at its end. Code stays as it is."""
    if "^[" not in text:
        return text
    notes = _notes_in(text)
    if not notes:
        return text
    parts, defined, place = list[str](), list[str](), 0
    used = set(_USED.findall(text))
    prefix = "inline" + next(number for number in ("", *map(str, range(2, len(used) + 3))) if number not in used)
    for number, (start, end) in enumerate(notes, 1):
        parts += [text[place:start], f"[^{prefix}-{number}]"]
        defined.append(f"[^{prefix}-{number}]: {_LINE_START.sub(' ', text[start + 2 : end - 1]).strip()}")
        place = end
    shown, definitions = "".join([*parts, text[place:]]).rstrip("\n"), "\n\n".join(defined)
    closed = f"{shown}\n\nx"
    if code_places(closed).end_at(len(closed) - 1) is not None:  # the text ends within code
        return f"{definitions}\n\n{shown}"
    return f"{shown}\n\n{definitions}"


def _notes_in(text: str) -> list[tuple[int, int]]:
    """Return where the notes begin and end. Those within another one are not among them."""
    code, opened, found = code_places(text), list[int | None](), list[tuple[int, int]]()
    for sign in _SIGN.finditer(text):
        if sign[0][0] == "\\" or code.end_at(sign.start()) is not None:
            continue
        if sign[0][0] == "\n":
            opened.clear()
        elif sign[0][-1] == "[":
            opened.append(sign.start() if sign[0][0] == "^" else None)
        elif opened and (start := opened.pop()) is not None:
            end = sign.start() + 1
            is_note = text[start + 2 : end - 1].strip() and not sign["target"] and end - start <= _MAX_LENGTH
            if is_note:
                while found and found[-1][0] > start:
                    found.pop()
                found.append((start, end))
    return found
