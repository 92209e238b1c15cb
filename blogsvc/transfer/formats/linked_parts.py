"""The parts of posts to which links in other posts of an export lead: their ids stay in the imported text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import unescape

from blogsvc.lib.markdown.fragments import place_name

MAX_NAMES = 100_000
_LINK = re.compile(r"""[\w/?&=;.-]\#([^\s\#"'<>()\\]{1,300}+)\\?["'>)\s]""")
_ID = re.compile(r"""\s(?:id|name)\s*+=\s*+["']?([^\s"'<>]{1,300}+)""", re.IGNORECASE)


class LinkedParts:
    """The names of parts, collected from the texts of an export before the first of them is converted."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._names: set[str] = set()
        for text in texts:
            self.learn(text)

    def learn(self, text: str) -> None:
        """Collect the fragments of the links in a text. A text with too many names adds none."""
        if "#" in text and len(self._names) < MAX_NAMES:
            self._names.update(map(_name, _LINK.findall(text)))

    def inside(self, html: str) -> list[str]:
        """Return the ids in a text to which a link leads."""
        return sorted({name for name in map(_name, _ID.findall(html)) if name in self._names}) if self._names else []


def _name(written: str) -> str:
    return place_name(unescape(written))
