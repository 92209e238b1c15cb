"""Find the text of an article in a web page. Run it in a confined process (`lib/workers/text_jobs.py`)."""

from __future__ import annotations

from html.parser import HTMLParser
from itertools import accumulate

from blogsvc.errors import TextRefused
from blogsvc.lib.markdown.tidy_html import VOID, tidy

MAX_LENGTH = 4 * 1024 * 1024  # characters
# What contains the text, the most exact first: classes (microformats2 and WordPress themes), then elements.
CLASSES = ("e-content", "entry-content", "post-content")
TAGS = ("article", "main")


def article_in(page: str) -> str | None:
    """Return the HTML of the article in a page, None if it can't be recognised. Raises TextRefused."""
    if len(page) > MAX_LENGTH:
        raise TextRefused("The page is too long.")
    html = tidy(page)
    finder = _Finder(html)
    finder.feed(html)
    finder.close()
    found = next((finder.ranges[name] for name in (*CLASSES, *TAGS) if name in finder.ranges), None)
    return None if found is None else html[slice(*found)]


class _Finder(HTMLParser):
    """Finds where the first element of each class and name begins and ends, in tidy HTML."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lines = [0, *accumulate(len(line) + 1 for line in html.split("\n"))]
        self.open: list[tuple[int, list[str]]] = []
        self.ranges: dict[str, tuple[int, int]] = {}
        self.begun: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in VOID:
            return
        classes = (dict(attrs).get("class") or "").split()
        names = [name for name in (*CLASSES, *TAGS) if (name in classes or name == tag) and name not in self.begun]
        self.begun.update(names)
        self.open.append((self._at(), names))

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID or not self.open:
            return
        start, names = self.open.pop()
        for name in names:
            self.ranges[name] = (start, self._at())

    def _at(self) -> int:
        line, column = self.getpos()
        return self.lines[line - 1] + column
