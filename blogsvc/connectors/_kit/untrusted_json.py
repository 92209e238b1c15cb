"""Read JSON from platforms without trusting its structure: values of the wrong type count as missing."""

from __future__ import annotations

from typing import Any

from blogsvc.lib.net.http import HttpResponse

MAX_TEXT_LENGTH = 2000  # in characters, for stored values such as ids and URLs


def data(answer: HttpResponse) -> Any:
    """Return the JSON of a response, None if it has none."""
    try:
        return answer.json()
    except ValueError:
        return None


def as_object(answer: HttpResponse) -> dict[str, Any]:
    """Return the JSON object of a response, {} if it has none."""
    value = data(answer)
    return value if isinstance(value, dict) else {}


def at(value: Any, path: str) -> Any:
    """Return the value at a path: `at(v, "data.id")` is `v["data"]["id"]`, or None."""
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def whole(value: Any) -> int | None:
    """Return the value if it is an integer, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def part(value: Any, name: str) -> dict[str, Any]:
    """Return the object at this key, else {}."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def objects(value: Any, name: str) -> list[dict[str, Any]]:
    """Return the objects in the list at this key."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def first(value: Any, name: str) -> dict[str, Any]:
    """Return the first object in the list at this key, else {}."""
    return next(iter(objects(value, name)), {})


def text(value: Any, name: str) -> str | None:
    """Return the text at this key, None if it is missing or can't be stored."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) and 0 < len(found) <= MAX_TEXT_LENGTH and "\0" not in found else None


def count(value: Any, name: str) -> int | None:
    """Return the integer at this key if it is 0 or more, else None."""
    found = whole(at(value, name))
    return found if found is not None and found >= 0 else None
