"""Shorten a part of a post to what a platform allows, and say so."""

from __future__ import annotations

from blogsvc.lib.text.length import Unit, shorten, unit_name


def shortened(text: str, limit: int, unit: Unit, name: str) -> tuple[str, tuple[str, ...]]:
    """Return the text in at most `limit` units, and a warning if it was longer. `name` is what it is: "The summary"."""
    short = shorten(text, limit, unit)
    return short, () if short == text else (f"{name} is shortened to {limit:,} {unit_name(unit)}.",)
