"""Values as the API wants them: in JSON, in a query, in a path, in a header."""

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
    """The kind of NOT_GIVEN, which is left alone, whereas None clears."""

    NOT_GIVEN = "NOT_GIVEN"

    def __repr__(self) -> str:
        return self.name

    def __bool__(self) -> bool:
        return False


NOT_GIVEN: Final = NotGiven.NOT_GIVEN


def body(fields: Mapping[str, Any]) -> bytes:
    """JSON of the fields that are given. Raises ConfigurationError."""
    given = {name: _plain(value, name) for name, value in fields.items() if value is not NOT_GIVEN}
    try:
        # Not as \\u...: what may be as long as 1 MiB in UTF-8 would be three times that.
        return json.dumps(given, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"This cannot be written as JSON: {error}") from error


def query(fields: Mapping[str, Any]) -> str:
    """The fields that are given, `?` before them. Raises ConfigurationError."""
    try:
        text = urlencode([(name, _word(one, name)) for name, value in fields.items() for one in _listed(value)])
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"This cannot be written in an address: {error}") from error
    return f"?{text}" if text else ""


def path(parts: Sequence[str | int]) -> str:
    """The path to these parts, of which none can become two or lead upwards. Raises ConfigurationError."""
    return "".join(f"/{_part(part)}" for part in parts)


def header(name: str, value: str) -> str:
    """The value, if it may be in a header. Raises ConfigurationError, which does not show it."""
    if not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", value):
        raise ConfigurationError(f"{name} is empty, or holds what a header cannot: a line break, a space, an accent.")
    return value


def time(value: datetime, name: str) -> str:
    """A time by RFC 3339, in UTC. Raises ConfigurationError where it has no offset."""
    if value.utcoffset() is None:
        raise ConfigurationError(f"{name} has no offset, so it could be any hour. Give it a tzinfo: {value!r}.")
    return value.astimezone(timezone.utc).isoformat().replace("+00:00", "Z")


def _plain(value: Any, name: str) -> Any:
    """JSON for a value that is Python's; what is none is left for `json` to refuse."""
    if isinstance(value, datetime):
        return time(value, name)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {key: _plain(one, f"{name}.{key}") for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one, f"{name}.{index}") for index, one in enumerate(value)]
    return value


def _listed(value: Any) -> Iterator[Any]:
    """The values of a parameter, which is given as often as it has any."""
    if isinstance(value, (list, tuple, set, frozenset)):
        yield from value
    elif value is not None:
        yield value


def _word(value: Any, name: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return time(value, name)
    return value.isoformat() if isinstance(value, date) else str(value)


def _part(part: str | int) -> str:
    if not isinstance(part, (str, int)) or part in ("", ".", ".."):
        raise ConfigurationError(f"{part!r} is no id.")
    try:
        return quote(str(part), safe="")
    except UnicodeEncodeError as error:
        raise ConfigurationError(f"{part!r} is no id.") from error
