"""A month or a week of the calendar: days in the user's time zone, with their posts and free queue slots."""

from __future__ import annotations

import re
from calendar import Calendar, monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import TypeVar

from flask import request

from blogsvc.lib.time import resolve, utc_offset, wall
from blogsvc.models.user import User
from blogsvc.posts import queue_slots
from blogsvc.posts.calendar_entries import CalendarEntry, planned, published
from blogsvc.posts.post_filter import PostFilter
from blogsvc.posts.queue_slots import SlotOccurrence

# Where weeks do not start on Monday, by region. A language without a region uses the region in SPOKEN_IN (CLDR).
SATURDAY = frozenset("AE AF BH DJ DZ EG IQ IR JO KW LY OM QA SD SY".split())
SUNDAY = frozenset(
    "AG AS BD BR BS BT BW BZ CA CO DM DO ET GT GU HK HN ID IL IN JM JP KE KH KR LA MH MM MO MT MX MZ NI NP PA PE PH PK"
    " PR PT PY SA SG SV TH TT TW UM US VE VI WS YE ZA ZW".split()
)
SPOKEN_IN = {"ar": "EG", "fa": "IR", "he": "IL", "hi": "IN", "ja": "JP", "ko": "KR", "pt": "BR", "th": "TH"}

_MONTH = re.compile(r"(20[0-9]{2})-(0[1-9]|1[0-2])", re.ASCII)
T = TypeVar("T")


@dataclass(frozen=True)
class CalendarDay:
    date: date
    is_past: bool
    is_today: bool
    # In the previous or next month, shown to complete the week.
    is_other: bool
    # Minutes by which clocks change that day.
    shift: int
    entries: tuple[CalendarEntry, ...]
    slots: tuple[SlotOccurrence, ...]


@dataclass(frozen=True)
class Span:
    """The days of a month, completed to whole weeks, or of one week. `first` is the first day of either."""

    first: date
    days: tuple[CalendarDay, ...]

    @property
    def is_week(self) -> bool:
        return len(self.days) == 7

    @property
    def last(self) -> date:
        if self.is_week:
            return self.days[-1].date
        return self.first.replace(day=monthrange(self.first.year, self.first.month)[1])

    @property
    def name(self) -> str:
        """Return "November 2026", or "23 Nov to 29 Nov 2026"."""
        if not self.is_week:
            return f"{self.first:%B %Y}"
        year = "" if self.first.year == self.last.year else f" {self.first.year}"
        return f"{self.first.day} {self.first:%b}{year} to {self.last.day} {self.last:%b %Y}"

    @property
    def here(self) -> dict[str, str]:
        """Return this month or week, as a parameter of the address."""
        return self._named(self.first)

    @property
    def previous(self) -> dict[str, str]:
        return self._named(self.first - timedelta(days=1))

    @property
    def next(self) -> dict[str, str]:
        return self._named(self.last + timedelta(days=1))

    def _named(self, day: date) -> dict[str, str]:
        return {"week": f"{day:%Y-%m-%d}"} if self.is_week else {"month": f"{day:%Y-%m}"}

    def has(self, day: date) -> bool:
        return self.first <= day <= self.last

    def offsets(self, zone: str) -> str:
        """Return "UTC+1", or "UTC+1, then UTC+2" if clocks change in this time."""
        noons = (resolve(datetime.combine(day, time(12)), zone, 0) for day in (self.first, self.last))
        return ", then ".join(dict.fromkeys(utc_offset(noon, zone) for noon in noons))

    @property
    def is_bare(self) -> bool:
        return not any(day.entries or day.slots for day in self.days if not day.is_other)


def first_of(text: str, today: date) -> date | None:
    """Return the first day of a month such as "2026-11", of this month for "", and None if it is malformed."""
    if not text:
        return today.replace(day=1)
    found = _MONTH.fullmatch(text)
    return date(int(found[1]), int(found[2]), 1) if found else None


def day_of(text: str, today: date) -> date | None:
    """Return a day such as "2026-11-23", today for "", and None if it is malformed."""
    if not text:
        return today
    found = _MONTH.match(text)
    try:
        return date.fromisoformat(text) if found else None
    except ValueError:
        return None


def week_starts(user: User) -> int:
    """Return the first day of the week, 0 for Monday: the user's choice, or the default of the browser's language."""
    said = user.preferences.get("week_starts")
    return said if isinstance(said, int) else usual_start(request.accept_languages.best or "")


def usual_start(language: str) -> int:
    tongue, *parts = re.split("[-_]", language)
    regions = [part.upper() for part in parts if len(part) == 2]
    region = regions[0] if regions else SPOKEN_IN.get(tongue.lower(), "")
    return 5 if region in SATURDAY else 6 if region in SUNDAY else 0


def dates_of_month(first: date, starts: int) -> list[date]:
    """Return the days of a month, completed to whole weeks."""
    return list(Calendar(starts).itermonthdates(first.year, first.month))


def dates_of_week(day: date, starts: int) -> list[date]:
    """Return the seven days of the week with this day."""
    first = day - timedelta(days=(day.weekday() - starts) % 7)
    return [first + timedelta(days=number) for number in range(7)]


def span_of(dates: list[date], zone: str, now: datetime, author_id: str | None, wanted: PostFilter) -> Span:
    """Return these days in the time zone `zone`, with their posts, and the free slots from now on."""
    today = wall(now, zone).date()
    start, end = midnight(dates[0], zone), midnight(dates[-1] + timedelta(days=1), zone)
    entries = [*published(start, end, author_id, wanted), *planned(start, end, author_id, wanted)]
    entries.sort(key=lambda entry: (entry.at or start, entry.post_id))
    on = _by_day(entries, lambda entry: entry.at or start, zone)
    slots = queue_slots.open_occurrences(max(now, start), end) if now < end else []
    open_on = _by_day(slots, lambda slot: slot.at, zone)
    # A month has more days than a week, and its middle is in that month.
    first = dates[0] if len(dates) == 7 else dates[len(dates) // 2].replace(day=1)
    days = [
        CalendarDay(
            day,
            is_past=day < today,
            is_today=day == today,
            is_other=len(dates) > 7 and day.month != first.month,
            shift=_shift(day, zone),
            entries=on[day],
            slots=open_on[day],
        )
        for day in dates
    ]
    return Span(first, tuple(days))


def _shift(day: date, zone: str) -> int:
    """Return the minutes by which clocks change on a day."""
    length = midnight(day + timedelta(days=1), zone) - midnight(day, zone)
    return (timedelta(days=1) - length) // timedelta(minutes=1)


def midnight(day: date, zone: str) -> datetime:
    """Return the instant at which a day begins in a time zone."""
    return resolve(datetime.combine(day, time()), zone, 0)


def _by_day(things: Iterable[T], at: Callable[[T], datetime], zone: str) -> defaultdict[date, tuple[T, ...]]:
    """Group sorted items by their local date."""
    days = groupby(things, lambda thing: wall(at(thing), zone).date())
    return defaultdict(tuple, {day: tuple(found) for day, found in days})
