"""The names of places in a text, to which links such as `#faq-1` lead."""

from __future__ import annotations

import re
from unicodedata import category
from urllib.parse import unquote

# What our pages show as an id.
IS_NAME = re.compile(r"[\w:.-]{1,100}")
_NOT_IN_NAME = re.compile(r"[^\w:.-]++")


def place_name(text: str) -> str:
    """Return an id, or the fragment of a link, as our pages write it: decoded, with hyphens for spaces."""
    name = unquote(text)
    return name if IS_NAME.fullmatch(name) else _NOT_IN_NAME.sub("-", name)[:100]


def github_name(heading: str) -> str:
    """Return the fragment with which GitHub names a heading: its letters of all scripts, with hyphens for spaces."""
    kept = (one for one in heading.strip().lower() if one in "-_" or one.isalnum() or category(one)[0] in "MZ")
    return re.sub(r"\s", "-", "".join(kept))
