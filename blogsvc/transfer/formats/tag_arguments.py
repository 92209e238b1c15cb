"""Read the arguments of template tags, such as `a.png alt="An \\"alt\\" text"`, in Liquid and in Hugo."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ARGUMENT = re.compile(
    r"""(?:([\w-]++)\s*+=\s*+)?(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'|`([^`]*+)`|(\S++))""", re.DOTALL
)
_ESCAPED_QUOTE = re.compile(r"""\\(["'])""")


def by_name(text: str) -> Mapping[str, str]:
    """Return the arguments of a tag: named ones by name, the others by position."""
    found: dict[str, str] = {}
    position = 0
    for match in _ARGUMENT.finditer(text):
        name, double, single, raw, bare = match.groups()
        quoted = double if double is not None else single
        value = _ESCAPED_QUOTE.sub(r"\1", quoted) if quoted is not None else raw if raw is not None else bare
        found[name or str(position)] = value
        position += not name
    return found
