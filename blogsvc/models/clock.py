"""The clocks as the scheduler read them last, in each of the last boots, so that a leap between two runs is noticed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from blogsvc.lib.clocks import MIN_LEAP, Reading, ServerDates
from blogsvc.lib.time import parse, stamp
from blogsvc.models.setting import Setting

# Several machines may have used the database, each with boots of its own.
BOOTS_KEPT = 8


def keep_clocks(reading: Reading, said: Mapping[str, tuple[datetime, float]] | None = None) -> None:
    """Store a reading of the clocks of this boot, and what other servers said the time is (`ServerDates.said`)."""
    servers = {host: [stamp(date), seconds] for host, (date, seconds) in (said or {}).items()}
    row = {"boot": reading.boot, "at": stamp(reading.at), "seconds": reading.seconds, "servers": servers}
    others = [one for one in Setting.read("clocks") if one["boot"] != reading.boot]
    Setting.write("clocks", [*others, row][-BOOTS_KEPT:])


def last_clocks(boot: str) -> Reading | None:
    """Return the last reading of the clocks in this boot, or None."""
    row = _row(boot)
    return None if row is None else Reading(boot, parse(row["at"]), row["seconds"])


def last_server_dates(boot: str) -> dict[str, tuple[datetime, float]]:
    """Return what other servers said the time is in this boot, as in `ServerDates.said`."""
    row = _row(boot)
    return {} if row is None else {host: (parse(at), seconds) for host, (at, seconds) in row["servers"].items()}


def _row(boot: str) -> dict[str, Any] | None:
    rows: list[dict[str, Any]] = Setting.read("clocks")
    return next((row for row in rows if row["boot"] == boot), None)


def ahead_of_servers(now: datetime, dates: ServerDates, boot: str) -> timedelta | None:
    """Return how far the system time is ahead of other servers, as this or another process noted; negative if behind.

    None if it is about right, or if no server said the time in this boot.
    """
    all_dates = ServerDates(dates.steady, {**dates.said})
    all_dates.add(last_server_dates(boot))
    ahead = all_dates.ahead(now)
    return None if ahead is None or abs(ahead) < MIN_LEAP else ahead
