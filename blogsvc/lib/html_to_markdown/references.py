"""Read bare ampersands as browsers do, where the parsers of Python's library find references."""

from __future__ import annotations

import re
from html import unescape
from html.entities import html5

# Before "=" or a letter, a name without ";" in an attribute is no reference, as in "?a=1&copy=2".
# Source: https://html.spec.whatwg.org/multipage/parsing.html#named-character-reference-state
_BARE = re.compile(r"&(?=[a-zA-Z][a-zA-Z0-9]{0,31}=)")
_NAMED = re.compile(r"&(?=([a-zA-Z][a-zA-Z0-9]{1,31};))")


def with_plain_ampersands(html: str) -> str:
    """Return HTML in which each ampersand that begins no reference is written as one."""
    if "&" not in html:
        return html
    html = _BARE.sub("&amp;", html)
    return _NAMED.sub(lambda found: "&" if found[1] in html5 else "&amp;", html)


def address(written: str) -> str:
    """Return an address that is written in HTML."""
    return unescape(_BARE.sub("&amp;", written))
