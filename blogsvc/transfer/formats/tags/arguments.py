"""Read the arguments of template tags, such as `a.png alt="An \\"alt\\" text"`, in Liquid and in Hugo."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Eleventy has commas between arguments, which the programs with Liquid alone do not need.
_ARGUMENT = re.compile(
    r"""(?:(?<=["'])\s*+,\s*+)?(?:([\w-]++)\s*+=\s*+)?(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|`([^`]*+)`|(\S++))""",
    re.DOTALL,
)
_ESCAPED_QUOTE = re.compile(r"""\\(["'])""")


def by_name(text: str) -> Mapping[str, str]:
    """Return the arguments of a tag: named ones by name, the others by position."""
    found: dict[str, str] = {}
    position = 0
    for match in _ARGUMENT.finditer(text):
        name = match[1]
        found[name or str(position)] = _value(match)
        position += not name
    return found


def in_order(text: str) -> list[str]:
    """Return the arguments of a tag that has no named ones, or the values of those that are named."""
    return [value for value, _ in with_ends(text)]


def with_ends(text: str) -> list[tuple[str, int]]:
    """Return the arguments of a tag, each with the place where it ends."""
    return [(_value(match), match.end()) for match in _ARGUMENT.finditer(text)]


def _value(match: re.Match[str]) -> str:
    _, double, single, raw, bare = match.groups()
    quoted = double if double is not None else single
    if quoted is not None:
        return _ESCAPED_QUOTE.sub(r"\1", quoted)
    return str(raw if raw is not None else bare)
