"""Links in the plain text that an author typed for one destination, written as in Markdown: `[words](address)`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from blogsvc.lib.text.autolinks import Autolink

_ADDRESS = r"(?:https?://|mailto:)(?:[^\s()<>]|\([^\s()<>]*+\))++"
_LINK = re.compile(
    rf"""!?\[(?P<words>(?:\\[^\n]|[^\[\]\\\n])++)\]
         \(\s*+(?:<(?P<angled>(?:https?://|mailto:)[^\s<>]++)>|(?P<address>{_ADDRESS}))(?:\s++"[^"\n]*+")?\s*+\)""",
    re.VERBOSE | re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\([^\w\s])")


def links_in(typed: str) -> Iterator[Autolink]:
    """Yield the links, with their places in the text as typed."""
    for found in _LINK.finditer(typed):
        yield Autolink(found.start(), found.end(), _address(found))


def as_plain_text(typed: str, *, has_links: bool) -> tuple[str, tuple[Autolink, ...]]:
    """Return the text without brackets, and its links.

    Args:
        has_links: words can be links on the platform. If not, each address is written after its words.
    """
    parts, links, size, done = [], [], 0, 0
    for found in _LINK.finditer(typed):
        words, address = _ESCAPED.sub(r"\1", found["words"]), _address(found)
        before = typed[done : found.start()]
        if has_links:
            links.append(Autolink(size + len(before), size + len(before) + len(words), address))
        elif words.casefold() not in (address.casefold(), address.partition("://")[2].casefold().rstrip("/")):
            words = f"{words} ({address})"
        else:
            words = address
        parts += [before, words]
        size += len(before) + len(words)
        done = found.end()
    return "".join([*parts, typed[done:]]), tuple(links)


def _address(found: re.Match[str]) -> str:
    return found["angled"] or found["address"]
