"""Find the shortcodes of Zola: `{{ name(key="value") }}`, and `{% name() %}` words `{% end %}`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SHORTCODE = re.compile(r"\{(?:\{|%)-?\s*+(?:((?<=%)end|(?<=%[\s-])end)|(\w{1,40}+)\(([^{}]{0,1000}?)\))\s*+-?[}%]\}")


@dataclass(frozen=True)
class ZolaShortcode:
    name: str  # "" for the end of another one
    arguments: str
    has_content: bool
    end: int  # where the text after it begins


def shortcode_at(text: str, place: int) -> ZolaShortcode | None:
    """Return the shortcode at a place. Its arguments are separated by spaces, as Hugo's are."""
    found = _SHORTCODE.match(text, place)
    if found is None:
        return None
    arguments = re.sub(r",\s*+(?=\w{1,40}\s*=|$)", " ", (found[3] or "").strip())
    return ZolaShortcode(found[2] or "", arguments, found[0].startswith("{%") and not found[1], found.end())
