"""Encodes request values for JSON bodies, queries, paths and headers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timezone
from enum import Enum
from typing import Any, Final
from urllib.parse import quote, urlencode

from ._errors import ConfigurationError


class NotGiven(Enum):
    """The type of NOT_GIVEN. An argument that is not given leaves its field unchanged; None clears the field."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        return False


NOT_GIVEN: Final = NotGiven.NOT_GIVEN


def body(fields: Mapping[str, Any]) -> bytes:
    """Encode the given fields as JSON. Raises ConfigurationError."""
    given = {name: _json_value(value, name) for name, value in fields.items() if value is not NOT_GIVEN}
    try:
        # Escaping as \\u... would triple the size of non-Latin text, and the server limits the size of the body.
        return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"The fields cannot be encoded as JSON: {error}") from error


def query(fields: Mapping[str, Any]) -> str:
    """Encode the given fields as a query string with a leading `?`. Raises ConfigurationError."""
    try:
        text = urlencode([(name, _query_value(one, name)) for name, value in fields.items() for one in _as_list(value)])
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"The query cannot be encoded: {error}") from error
    return f"?{text}" if text else ""


def path(segments: Sequence[str | int]) -> str:
    """Encode a path, so that no segment can change its structure. Raises ConfigurationError."""
    return "".join(f"/{_segment(one)}" for one in segments)


def header(name: str, value: str) -> str:
    """Return the value if it is valid in a header. Raises ConfigurationError without showing the value."""
    if not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", value):
        raise ConfigurationError(
            f"{name} is not a valid header value: it is empty, or contains a line break or a non-ASCII character."
        )
    return value


def time(value: datetime, name: str) -> str:
    """Encode a time as RFC 3339 in UTC. Raises ConfigurationError if it has no UTC offset."""
    if value.utcoffset() is None:
        raise ConfigurationError(f"{name} has no UTC offset. Pass a datetime with a tzinfo, not {value!r}.")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _json_value(value: Any, name: str) -> Any:
    """Convert Python types to JSON values. Unknown types are left for `json` to reject."""
    if isinstance(value, datetime):
        return time(value, name)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _json_value(one, f"{name}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(one, f"{name}.{index}") for index, one in enumerate(value)]
    return value


def _as_list(value: Any) -> Iterator[Any]:
    """Yield the values of a query parameter, which is repeated for each."""
    if isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif value is not None:
        yield value


def _query_value(value: Any, name: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return time(value, name)
    return value.isoformat() if isinstance(value, date) else str(value)


def _segment(value: str | int) -> str:
    if not isinstance(value, (str, int)) or value in ("", ".", ".."):
        raise ConfigurationError(f"{value!r} is not a valid id.")
    try:
        return quote(str(value), safe="")
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"{value!r} is not a valid id.") from error
