"""Recognize shortcodes, components and tags that show their content to some readers only."""

from __future__ import annotations

import re

_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORDS = frozenset(
    "access draft exclusive hide hidden invisible logged login loggedin member memberonly members membership paid"
    " password paywall patreon patron premium private protect protected restrict restricted role secret subscriber"
    " subscribers visibility visitor wishlist".split()
)


def is_restricted(name: str) -> bool:
    """Return True if a name says that readers do not see all of what is in it, such as `members_only`."""
    return any(part.lower() in _WORDS for part in _PART.findall(name))
