"""Decodes response values into Python types."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from typing import Any, Callable

TIMESTAMP = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII
)  # RFC 3339


def parse_time(text: str) -> datetime:
    """Parse an RFC 3339 timestamp. Raises ValueError if it is invalid.

    Before Python 3.11, `datetime.fromisoformat` accepts neither `Z` nor an arbitrary number of decimals.
    """
    match = TIMESTAMP.fullmatch(text)
    if not match:
        raise ValueError(f"{text!r} is not an RFC 3339 timestamp.")
    day, clock, decimals, sign, hours, minutes = match.groups()
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0)) * (-1 if sign == "-" else 1)
    zone = timezone(offset) if offset else timezone.utc
    return datetime.fromisoformat(f"{day}T{clock}.{(decimals or '')[:6]:0<6}").replace(tzinfo=zone)


def list_of(decode: Callable[[Any], Any]) -> Callable[[list[Any]], list[Any]]:
    """Return a decoder for a list of values that `decode` decodes."""

    def decode_list(values: list[Any]) -> list[Any]:
        return [decode(value) for value in values]

    return decode_list


def deep_copy(value: Any) -> Any:
    """Copy a JSON value, so that changing it does not change the record it comes from."""
    if isinstance(value, dict):
        return {key: deep_copy(one) for key, one in value.items()}
    if isinstance(value, list):
        return [deep_copy(one) for one in value]
    return value


def camel_case(name: str) -> str:
    """Return the API name of an attribute: `scheduledAt` for `scheduled_at`, `from` for `from_`."""
    first, *others = name.rstrip("_").split("_")
    return first + "".join(other[:1].upper() + other[1:] for other in others)


def snake_case(key: str) -> str:
    """Return the attribute name of an API name, without the underscore that reserved words need."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", key)
