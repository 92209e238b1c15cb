"""A table for `str.translate` that is filled as characters are met: many times as fast as a match for each."""

from __future__ import annotations

from collections.abc import Callable

# More than a language has characters, and fewer than the million that hostile text could have.
_MOST_KEPT = 30_000


class CharacterTable(dict[int, str | None]):
    """Translates each character by a function of it alone, which returns "" to remove it."""

    def __init__(self, translated: Callable[[str], str]) -> None:
        super().__init__()
        self._translated = translated

    def __missing__(self, code: int) -> str | None:
        text = self._translated(chr(code)) or None  # None is removed several times as fast as ""
        if len(self) < _MOST_KEPT:
            self[code] = text
        return text
