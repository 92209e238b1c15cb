"""Read the dates of platforms, and decide when a copy gets the date of its post."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from blogsvc.connectors.types import Keys

# The most that the clocks of platforms are assumed to be behind ours.
CLOCKS_DIFFER_BY = timedelta(minutes=10)


def iso_date(value: Any) -> datetime | None:
    """Return a date in ISO 8601, in UTC if it names no time zone; None if it is not one."""
    try:
        return with_zone(datetime.fromisoformat(str(value)))
    except ValueError:
        return None


def date_of_copy(published: str | None, keys: Keys) -> datetime | None:
    """Return the date for a new copy of a post that was published some time ago, such as an imported one.

    Otherwise None: the platform sets the date by its own clock, which may be behind ours, because it would schedule a
    post of the future.
    """
    at, now = iso_date(published), iso_date(keys.get("attempted_at"))
    return at.astimezone(UTC) if at and now and now - at > CLOCKS_DIFFER_BY else None


def with_zone(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
