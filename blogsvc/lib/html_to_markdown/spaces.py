"""Spaces that are not ASCII, such as no-break spaces: kept as they are, also where Markdown would remove them.

During the conversion, characters that no text has stand for these spaces, so that nothing trims or collapses them.
"""

from __future__ import annotations

import re

from bs4 import BeautifulSoup
from bs4.element import NavigableString

_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
_FIRST = 0xFDD8  # of the noncharacters of Unicode, the first of which stand for marks
STAND_INS = "".join(chr(_FIRST + index) for index in range(len(_SPACES)))
_PROTECTED = str.maketrans(_SPACES, STAND_INS)
_PLAIN = str.maketrans(STAND_INS, _SPACES)
_ENTITIES = {stand_in: f"&#{ord(space)};" for stand_in, space in zip(STAND_INS, _SPACES, strict=True)}
_ENTITIES[chr(_FIRST + _SPACES.index("\xa0"))] = "&nbsp;"
_NOT_IN_TEXT = re.compile("[\ufdd0-\ufdef]")
_OTHER_SPACES = re.compile("[\x0b\x1c-\x1f]")
# What Markdown puts before the text of a line: quotations, list items, headings.
_BEFORE = r"(?:[ >]|#{1,6} |[-*] |\d{1,9}[.)] )*+"
_EDGE = re.compile(rf"^(?P<before>{_BEFORE})[{STAND_INS}]++(?P<rest>[ ]*$)?|[{STAND_INS}]++$", re.MULTILINE)
_CELL_EDGE = re.compile(rf"^(?P<before>)[{STAND_INS}]++(?P<rest>[ ]*$)?|[{STAND_INS}]++$")
_RUN = re.compile(f"[{STAND_INS}]")


def without_stand_ins(html: str) -> str:
    """Return HTML without the characters that stand for spaces and marks during a conversion."""
    return _OTHER_SPACES.sub(" ", _NOT_IN_TEXT.sub("", html))


def protect(soup: BeautifulSoup) -> None:
    """Replace the spaces in the text of a document by their stand-ins."""
    for text in [one for one in soup.descendants if isinstance(one, NavigableString) and not one.isascii()]:
        if (new := protected(text)) != text:
            text.replace_with(type(text)(new))


def protected(text: str) -> str:
    """Return a text with stand-ins instead of its spaces."""
    return text.translate(_PROTECTED)


def plain(text: str) -> str:
    """Return a text with its spaces, as it is shown."""
    return text.translate(_PLAIN)


def written(markdown: str) -> str:
    """Return Markdown with its spaces. At the start and the end of a line, they are character references."""
    return plain(_EDGE.sub(_at_edge, markdown))


def written_in_cell(markdown: str) -> str:
    """Return the Markdown of a table's cell with its spaces."""
    return plain(_CELL_EDGE.sub(_at_edge, markdown))


def _at_edge(edge: re.Match[str]) -> str:
    before = edge["before"] or ""
    if edge["rest"] is not None:  # the line has no text
        return before.rstrip(" ")
    return before + "".join(_ENTITIES[one] for one in _RUN.findall(edge[0]))
