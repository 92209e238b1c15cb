"""Name the characters in texts of JSON that are not valid, which are replaced or removed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from blogsvc.transfer.formats.parsed_post import counted

_INVALID = re.compile("[\ud800-\udfff\x00-\x08\x0e-\x1f]")


def noted(texts: Iterable[str]) -> Iterator[str]:
    """Yield a sentence if texts have such characters, which are lone surrogates and control characters."""
    count = sum(1 for text in texts for _ in _INVALID.finditer(text))
    if count:
        yield f"{counted(count, 'character was', 'characters were')} not valid and replaced or removed."
