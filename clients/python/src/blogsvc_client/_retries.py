"""Decides whether a request is retried, and after how long."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

# Seconds.
INITIAL_DELAY = 0.5
MAX_DELAY = 4.0
# More doublings than this only risk an overflow.
MAX_DOUBLINGS = 10


def is_retryable(status: int, slug: str | None) -> bool:
    """Return True if the same request may succeed later."""
    return status in (429, 503) or (status == 409 and slug == "request-in-progress")


def is_gateway_error(status: int, slug: str | None) -> bool:
    """Return True if a proxy could not reach the server, or lost its response. The API itself names the problem."""
    return status in (502, 504) and slug is None


def backoff(retry: int) -> float:
    """Return the seconds to wait before a retry, counted from 0. Jitter keeps clients from retrying at once."""
    delay = min(MAX_DELAY, INITIAL_DELAY * 2.0 ** min(retry, MAX_DOUBLINGS))
    return random.uniform(0.5, 1) * delay  # noqa: S311, not used for security


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Return the seconds that the header Retry-After asks for, given as a number or as an HTTP date."""
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", value, re.ASCII):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError):  # TypeError before Python 3.10
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return max(0.0, (when - (now or datetime.now(timezone.utc))).total_seconds())
