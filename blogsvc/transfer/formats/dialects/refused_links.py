"""Write links and images as their words if Markdown refuses their addresses, such as `file:///photo.png`.

Our pages would show such a link as it is typed.
"""

from __future__ import annotations

import re

from markdown_it.common.normalize_url import normalizeLink, validateLink

from blogsvc.lib.markdown.link_places import links_in
from blogsvc.lib.markdown.safe_urls import is_safe
from blogsvc.transfer.formats.dialects.lost_links import words_of
from blogsvc.transfer.formats.removals import InSource, Removals, source

_MAYBE = re.compile(
    r"(?:\(|\]:)[ \t]{0,9}+<?(?!(?:https?|mailto|tel):)[a-z](?:[a-z0-9+.-]|&\#?\w{1,9};){1,30}+:", re.IGNORECASE
)
_MAX_DEPTH = 3  # of images in links


def plain(text: str, source_text: str, removals: Removals) -> str:
    """Return Markdown without links and images that are shown as they are typed. Code stays as it is.

    What our pages show without its link is noted, too.

    Args:
        source_text: the text that `removals` is about, before template tags in it were converted.
    """
    found = _MAYBE.search(text)
    if found is None or not (")" in text[found.end() :] or "]:" in text):
        return text
    return _Links(source_text, removals).without_refused(text)


class _Links:
    def __init__(self, source_text: str, removals: Removals) -> None:
        self.source, self.removals = InSource(source_text), removals

    def without_refused(self, text: str, depth: int = 0) -> str:
        parts, place = [], 0
        for link in links_in(text, with_refused=True).links:
            written = text[link.start : link.end]
            words, is_image = words_of(written), written.startswith("!")
            is_refused = not validateLink(normalizeLink(link.url))
            if is_refused or not (is_image or is_safe(link.url)):
                self._note(link.url, written, "image" if is_image else "link to")
            shown = words
            if not is_image and "![" in words and depth < _MAX_DEPTH:
                shown = self.without_refused(words, depth + 1)
            if not is_refused:
                shown = written.replace(words, shown, 1) if shown != words else written
            if shown != written:
                parts += [text[place : link.start], shown]
                place = link.end
        return "".join([*parts, text[place:]])

    def _note(self, url: str, written: str, what: str) -> None:
        place = self.source.place_of(written)
        self.removals.note(f"The {what} {source(url)} is only words now: no page can have it.", place)
