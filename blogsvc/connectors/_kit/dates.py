"""Read the dates of platforms."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any


def iso_date(value: Any) -> datetime | None:
    """Return a date in ISO 8601, in UTC if it names no time zone; None if it is not one."""
    try:
        return with_zone(datetime.fromisoformat(str(value)))
    except ValueError:
        return None


def with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
