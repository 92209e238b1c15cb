"""HTML without the line breaks that its templates have inside tags and texts."""

from __future__ import annotations

import re

# Tags, and elements whose line breaks are shown, with their content.
_TAG = re.compile(r"(<(?:textarea|pre|template)\b.*?</(?:textarea|pre|template)>|<[a-z/][^<>]*>)", re.DOTALL)
_BLOCK = re.compile(
    r"</?(?:p|div|h[1-6]|ul|ol|li|dl|dt|dd|form|legend|summary|details|section|aside|nav|td|th|option)\b"
)
_START = re.compile(r"<[a-z][^<>]*>")


def without_breaks(html: str) -> str:
    """Return HTML with each tag and each text on one line. Line breaks between tags stay."""
    parts = _TAG.split(html)
    for at, part in enumerate(parts):
        if at % 2:
            parts[at] = _START.sub(lambda tag: " ".join(tag[0].split()).replace(" >", ">"), part, count=1)
        elif "\n" in part and part.strip():
            before, after = parts[at - 1] if at else "", parts[at + 1] if at + 1 < len(parts) else ""
            text = re.sub(r"\s*\n\s*", " ", part)
            text = text.removeprefix(" ") if _BLOCK.match(before) and part[0] == "\n" else text
            parts[at] = text.removesuffix(" ") if _BLOCK.match(after) and part[-1] == "\n" else text
    return "".join(parts)
