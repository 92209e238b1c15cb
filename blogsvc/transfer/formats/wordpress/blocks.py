"""The blocks of WordPress, whose attributes are JSON in HTML comments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

# The attributes of Otter Blocks and Conditional Blocks with the conditions of a block.
_CONDITIONS = ("otterConditions", "conditionalBlocks", "UAGDisplayConditions")
# Words of a sentence, not of a style such as "1px solid".
_WORDS = re.compile(r"[^\W\d_]{2}[^<>{};\s]{0,50}+\s[^\W\d_]")
MAX_TEXTS, MAX_WORDS = 10, 300  # texts, and characters of each
MAX_DEPTH, MAX_ADDRESSES = 10, 100


def attributes_of(data: str) -> dict[str, Any] | None:
    """Return the attributes of a block; None if they can't be read."""
    try:
        attributes = json.loads(data.strip() or "{}")
    except (ValueError, RecursionError):
        return None
    return attributes if isinstance(attributes, dict) else None


def is_hidden(attributes: dict[str, Any]) -> bool:
    """Return True for a block that its author has hidden."""
    metadata, visibility = attributes.get("metadata"), attributes.get("blockVisibility")
    if isinstance(metadata, dict) and metadata.get("blockVisibility") is False:
        return True
    return isinstance(visibility, dict) and visibility.get("hideBlock") is True


def is_conditional(attributes: dict[str, Any]) -> bool:
    """Return True for a block that plug-ins show only sometimes, or to some readers."""
    visibility = attributes.get("blockVisibility")
    has_rules = isinstance(visibility, dict) and bool(visibility.get("controlSets"))
    return has_rules or any(attributes.get(name) not in (None, False, "", "none") for name in _CONDITIONS)


def words_in(attributes: dict[str, Any]) -> str:
    """Return what the attributes of a block say in words, for the report; "" if there is nothing."""
    found = [text for text in _texts(attributes) if not text.startswith("field_") and _WORDS.search(text)]
    shown = "; ".join(f"“{' '.join(text.split())[:MAX_WORDS]}”" for text in dict.fromkeys(found[:MAX_TEXTS]))
    return f": {shown}" if shown else ""


def _texts(value: Any, name: str = "", depth: int = 0) -> Iterator[str]:
    if isinstance(value, str) and name not in ("className", "anchor", "style"):
        yield value
    elif isinstance(value, dict | list) and depth < MAX_DEPTH:
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(one, str(key), depth + 1)


def language_in(attributes: dict[str, Any]) -> str:
    """Return the language that a block of a plug-in for code has only in its attributes; "" for others."""
    language = attributes.get("language") or attributes.get("codeLanguage")
    return language if isinstance(language, str) and re.fullmatch(r"[\w+#.-]{1,30}", language) else ""


def addresses_in(value: Any, depth: int = 0) -> Iterator[str]:
    """Yield the web addresses among the attributes of a block."""
    if isinstance(value, str):
        if value.startswith(("https://", "http://")) and not any(map(str.isspace, value)):
            yield value
    elif isinstance(value, dict | list) and depth < MAX_DEPTH:
        for one in value.values() if isinstance(value, dict) else value:
            yield from addresses_in(one, depth + 1)
