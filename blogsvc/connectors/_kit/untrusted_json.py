"""Reading what a platform answers without trusting its shape: each part is what it should be, or missing."""

from __future__ import annotations

from typing import Any

from blogsvc.lib.net.http import HttpResponse

MAX_TEXT_LENGTH = 2000  # characters of what is kept of it: an id, an address, a version


def data(answer: HttpResponse) -> Any:
    """The JSON of an answer; None where it has none."""
    try:
        return answer.json()
    except ValueError:
        return None


def as_object(answer: HttpResponse) -> dict[str, Any]:
    """The JSON object of an answer; an empty one where it has none."""
    value = data(answer)
    return value if isinstance(value, dict) else {}


def at(value: Any, path: str) -> Any:
    """`at(v, "data.id")` is `v["data"]["id"]`, or None."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def whole(value: Any) -> int | None:
    """The whole number that this is."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def part(value: Any, name: str) -> dict[str, Any]:
    """The object at this key; an empty one where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def objects(value: Any, name: str) -> list[dict[str, Any]]:
    """The objects in the list at this key."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def first(value: Any, name: str) -> dict[str, Any]:
    """The first object in the list at this key; an empty one where there is none."""
    return next(iter(objects(value, name)), {})


def text(value: Any, name: str) -> str | None:
    """The text at this key, where it is one that could be kept."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) and 0 < len(found) <= MAX_TEXT_LENGTH and "\0" not in found else None


def count(value: Any, name: str) -> int | None:
    """The whole number at this key, from 0 up."""
    found = whole(at(value, name))
    return found if found is not None and found >= 0 else None
