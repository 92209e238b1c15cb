"""Links in the text that an author typed for one destination, written as in Markdown: `[words](address)`.

They are found where Markdown has them. All other text stays as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from blogsvc.lib.text.autolinks import Autolink
from blogsvc.lib.text.plain import with_address

if TYPE_CHECKING:
    from blogsvc.lib.markdown.link_places import PlacedLink

_WEB_OR_MAIL = re.compile(r"(?:https?://|mailto:)[^\s]", re.IGNORECASE)


def links_in(typed: str) -> Iterator[Autolink]:
    """Yield the links, with their places in the text as typed."""
    for found in _found(typed)[0]:
        yield Autolink(found.start, found.end, found.url)


def as_plain_text(typed: str, *, has_links: bool) -> tuple[str, tuple[Autolink, ...]]:
    """Return the text without brackets and definitions of links, and its links.

    Args:
        has_links: words can be links on the platform. If not, each address is written after its words.
    """
    parts, links, size, done = [], [], 0, 0
    found, definitions = _found(typed)
    changes: list[tuple[int, int, PlacedLink | None]] = [(start, end, None) for start, end in definitions]
    changes += ((one.start, one.end, one) for one in found)
    for start, end, link in sorted(changes, key=lambda change: change[:2]):
        before = typed[done:start]
        words = _words(link, has_links=has_links) if link else ""
        if link and has_links:
            links.append(Autolink(size + len(before), size + len(before) + len(words), link.url))
        parts += [before, words]
        size += len(before) + len(words)
        done = end
    text = "".join([*parts, typed[done:]])
    return (text.rstrip() if definitions else text), tuple(links)


def _found(typed: str) -> tuple[list[PlacedLink], list[tuple[int, int]]]:
    """Return the links that lead to the web or to a mailbox, and the places of the definitions of links."""
    if "](" not in typed and "]:" not in typed:
        return [], []
    from blogsvc.lib.markdown.link_places import links_in  # loads the parser of Markdown, which few texts need

    links, definitions = links_in(typed)
    found = (one._replace(url=one.url.replace(" ", "%20")) for one in links)
    return [one for one in found if _WEB_OR_MAIL.match(one.url)], definitions


def _words(link: PlacedLink, *, has_links: bool) -> str:
    if not link.words:
        return link.url
    return link.words if has_links else with_address(link.words, link.url)
