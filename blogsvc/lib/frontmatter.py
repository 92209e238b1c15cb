"""Front matter: the YAML head of a Markdown file, as Hugo, Jekyll and Astro read it.

Text is written as JSON, because a JSON string is a YAML string too and leaves nothing to guess: no
title becomes a number, a date or a second key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

Value = str | bool | datetime | Sequence[str] | None

# YAML allows fewer characters in the raw than JSON does.
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def front_matter(fields: Mapping[str, Value]) -> str:
    """The head between its two lines of `---`. Fields that are None or an empty list are left out."""
    lines = [f"{name}: {_scalar(value)}" for name, value in fields.items() if value not in (None, [], ())]
    return "\n".join(["---", *lines, "---", ""])


def text(value: str) -> str:
    """A string as a quoted scalar on one line."""
    clean = value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    quoted = json.dumps(clean, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _scalar(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    if isinstance(value, str):
        return text(value)
    return "[" + ", ".join(text(item) for item in value or ()) + "]"
