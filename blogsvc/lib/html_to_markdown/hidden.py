"""Find the elements of HTML that browsers do not show."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bs4 import BeautifulSoup, Tag

MAX_WORDS = 60  # characters of a removed element that a warning repeats
_NOT_SHOWN = re.compile(r"\bdisplay\s*+:\s*+none\b|\bmso-hide\s*+:\s*+all\b", re.IGNORECASE)


def is_hidden(attributes: Mapping[str, Any]) -> bool:
    """Return True for the attributes of an element that is not shown."""
    return "hidden" in attributes or _NOT_SHOWN.search(str(attributes.get("style") or "")) is not None


def remove(soup: BeautifulSoup) -> list[str]:
    """Remove hidden elements. Returns a warning for each that has words."""
    warnings = []
    for tag in [one for one in soup.descendants if isinstance(one, Tag) and is_hidden(one.attrs)]:
        if not tag.decomposed:
            if words := " ".join(tag.get_text(" ").split()):
                cut = words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"
                warnings.append(f"A hidden element was removed, because the old blog did not show it: “{cut}”.")
            tag.decompose()
    return warnings
