"""Write the line breaks and the ends of blocks of Kramdown, two backslashes and `^`, as those of our Markdown.

Source: https://kramdown.gettalong.org/syntax.html#paragraphs
"""

from __future__ import annotations

import re

from blogsvc.lib.markdown.code_places import Places, code_places
from blogsvc.transfer.formats.dialects.block_places import places_of_words

_BACKSLASHES = re.compile(r"(?<!\\)(?:\\\\){1,10}+(?=\n)")
_MATH = re.compile(r"\$\$[^$]{1,5000}+\$\$")
_END_OF_BLOCK = re.compile(r"^(?P<around>[ \t>]*+)\^[ \t]*+$", re.MULTILINE)
_SEPARATED = re.compile(r"[ \t>]*+\n[\n \t>]*?(?:[-*+][ \t]|\d{1,9}[.)][ \t]|[ ]{4}|\t)")
_COMMENT = "<!-- -->"  # which nobody sees: it only ends a list


def plain(text: str) -> str:
    """Return a text of Kramdown with the breaks of our Markdown. Code and formulas stay as they are."""
    return _with_line_breaks(_without_ends_of_blocks(text))


def _with_line_breaks(text: str) -> str:
    """Return a text whose line breaks, two backslashes, are one backslash."""
    if "\\\n" not in text:
        return text
    kept = Places([*code_places(text), *(found.span() for found in _MATH.finditer(text))])
    parts, place = list[str](), 0
    for start, end in places_of_words(text):
        for found in _BACKSLASHES.finditer(text, start, start + len(text[start:end].rstrip())):
            if kept.end_at(found.start()) is None:
                parts += [text[place : found.start()], found[0][1:]]
                place = found.end()
    return "".join([*parts, text[place:]])


def _without_ends_of_blocks(text: str) -> str:
    if "^" not in text:
        return text
    code = code_places(text)
    parts, place = list[str](), 0
    for found in _END_OF_BLOCK.finditer(text):
        if code.end_at(found.start("around") + len(found["around"])) is None:
            written = found["around"].rstrip()
            if _SEPARATED.match(text, found.end()):
                following = text[found.end() + 1 : found.end() + 1000].partition("\n")[0]
                gap = f"\n{written}" if following.strip("> \t") else ""
                written = f"{found['around']}{_COMMENT}{gap}"
            parts += [text[place : found.start()], written]
            place = found.end()
    return "".join([*parts, text[place:]])
