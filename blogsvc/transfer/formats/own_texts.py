"""The texts of a post for single destinations, in its overrides: `{"mastodon": {"content": "..."}}`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any


def own_texts(overrides: Mapping[str, Any]) -> Iterator[str]:
    """Yield the texts, of overrides in a file that can have any values."""
    for own in overrides.values():
        if isinstance(own, dict) and isinstance(own.get("content"), str):
            yield own["content"]


def with_own_texts(overrides: Mapping[str, Any], change: Callable[[str], str]) -> dict[str, Any]:
    """Return the overrides with `change` applied to each text."""
    return {
        name: {**own, "content": change(own["content"])} if any(own_texts({name: own})) else own
        for name, own in overrides.items()
    }
