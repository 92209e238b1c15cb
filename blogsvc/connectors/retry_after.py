"""How long a server asks to wait.

Uses no network and no clock. If a server names a time to wait for, its Date header is the current time.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from blogsvc.connectors._kit.dates import iso_date, with_zone
from blogsvc.connectors._kit.untrusted_json import as_object, at
from blogsvc.lib.net.http import HttpResponse

EPOCH_LEAST = 1_000_000_000  # a smaller reset value is in seconds from now, a larger one a Unix timestamp


def retry_after(answer: HttpResponse) -> float | None:
    """Return the seconds to wait, at least 0; None if the platform does not say.

    Supports Retry-After in seconds or as a date, `retry_after` (Discord, Telegram) and `retry_after_ms`
    (Matrix) in the body, and reset headers in seconds from now, as a Unix timestamp or in ISO 8601
    (Mastodon).
    """
    for read in (_retry_after_header, _retry_after_body, _reset_header):
        if (seconds := read(answer)) is not None and math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _retry_after_header(answer: HttpResponse) -> float | None:
    value = answer.headers.get("retry-after", "")
    return _number(value) if _number(value) is not None else _until(answer, _date(value))


def _retry_after_body(answer: HttpResponse) -> float | None:
    body = as_object(answer)
    if (milliseconds := _number(body.get("retry_after_ms"))) is not None:
        return milliseconds / 1000
    return _number(at(body, "retry_after") or at(body, "parameters.retry_after"))


def _reset_header(answer: HttpResponse) -> float | None:
    if (seconds := _number(answer.headers.get("x-ratelimit-reset-after"))) is not None:
        return seconds
    for name in ("x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"):
        value = answer.headers.get(name, "")
        number = _number(value)
        if number is not None and number < EPOCH_LEAST:
            return number
        moment = iso_date(value) if number is None else datetime.fromtimestamp(min(number, 2**33), UTC)
        if moment is not None:
            return _until(answer, moment)
    return None


def _until(answer: HttpResponse, moment: datetime | None) -> float | None:
    now = _date(answer.headers.get("date", ""))
    return (moment - now).total_seconds() if moment and now else None


def _date(value: str) -> datetime | None:
    with suppress(ValueError, TypeError):
        return with_zone(parsedate_to_datetime(value))
    return None


def _number(value: Any) -> float | None:
    """Parse a number, or a number as text. Rejects "nan" and "1_000"."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,15}(\.\d{1,9})?\s*", value):
        return float(value)
    return None
