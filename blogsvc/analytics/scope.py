"""The scope of a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from blogsvc.models import SITE

METRICS = ("views", "visitors", "likes", "comments", "shares", "clicks")


@dataclass(frozen=True)
class ReportScope:
    """The scope of a report: a period, its intervals in a time zone, and filters by post and platform."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    interval: str = "day"
    post_ids: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    metrics: tuple[str, ...] = METRICS
    # The only grouping to report (day, platform or post); None for all.
    group_by: str | None = None

    def day_of(self, moment: datetime) -> date:
        """Return the first day of the interval that contains this instant."""
        day = moment.astimezone(self.zone).date()
        if self.interval == "week":
            return day - timedelta(days=day.weekday())
        return day.replace(day=1) if self.interval == "month" else day

    @property
    def last_day(self) -> date:
        """Return the day on which the scope ends, in its time zone."""
        return (self.end - timedelta(microseconds=1)).astimezone(self.zone).date()

    def days(self) -> Iterator[date]:
        """Yield the first day of every interval, including empty ones."""
        day, last = self.day_of(self.start), self.day_of(self.end - timedelta(microseconds=1))
        while day <= last:
            yield day
            day = self._next_interval(day)

    def _next_interval(self, day: date) -> date:
        if self.interval == "month":
            return (day + timedelta(days=32)).replace(day=1)
        return day + timedelta(days=7 if self.interval == "week" else 1)

    @property
    def includes_site(self) -> bool:
        return not self.platforms or SITE in self.platforms

    def groups_by(self, group: str) -> bool:
        """Return True if the report has this grouping."""
        return self.group_by in (None, group)
