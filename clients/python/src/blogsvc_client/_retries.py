"""Whether a request is sent again, and when."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 8.0
# 2 to the power of more is far beyond the longest pause.
MOST_DOUBLINGS = 10


def is_worth_it(status: int, slug: str | None) -> bool:
    """Whether the same request may fare better a little later."""
    return status in (429, 503) or (status == 409 and slug == "request-in-progress")


def back_off(retry: int) -> float:
    """Seconds before a retry (from 0) of which the server says nothing; at random, so that clients come apart."""
    longest = min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(retry, MOST_DOUBLINGS))
    return random.uniform(0.5, 1) * longest  # noqa: S311, it hides nothing


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds until the time that the server names, as such or as an HTTP date."""
    said = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d{1,9}(\.\d+)?", said, re.ASCII):
        return float(said)
    try:
        when = parsedate_to_datetime(said)
    except (TypeError, ValueError, IndexError):  # the first before Python 3.10
        return None
    if when.tzinfo is None:
        when = when.replace(tzinfo=timezone.utc)
    return max(0.0, (when - (now or datetime.now(timezone.utc))).total_seconds())
