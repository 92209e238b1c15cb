"""Values of an answer as Python has them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any, Callable

TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)  # RFC 3339


def time(text: str) -> datetime:
    """A time as the API writes it. Raises ValueError for another text.

    `datetime.fromisoformat` takes neither a `Z` nor any number of decimals before Python 3.11.
    """
    found = TIME.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no time by RFC 3339.")
    day, clock, decimals, sign, hours, minutes = found.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    zone = timezone(offset) if offset else timezone.utc
    return datetime.fromisoformat(f"{day}T{clock}.{(decimals or '')[:6]:0<6}").replace(tzinfo=zone)


def each(read: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """A list of what `read` reads."""

    def read_all(values: list[Any]) -> list[Any]:
        return [read(value) for value in values]

    return read_all


def copied(value: Any) -> Any:
    """JSON that can be changed without changing the answer that it came with."""
    if isinstance(value, dict):
        return {key: copied(one) for key, one in value.items()}
    if isinstance(value, list):
        return [copied(one) for one in value]
    return value


def camel(name: str) -> str:
    """The name in the API of an attribute: `scheduled_at` is `scheduledAt`, `from_` is `from`."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(other[:1].upper() + other[1:] for other in others)


def snake(key: str) -> str:
    """The attribute of a name in the API, but for those that Python keeps for itself."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", key)
