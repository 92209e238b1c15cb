"""One month of the calendar: days in the person's time zone, with their posts and free queue slots."""

from __future__ import annotations

import re
from calendar import Calendar, monthrange
from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from itertools import groupby
from typing import TypeVar

from flask import request

from blogsvc.lib.time import resolve, utc_offset, wall
from blogsvc.models.person import Person
from blogsvc.posts import queue_slots
from blogsvc.posts.calendar_entries import CalendarEntry, planned, published
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
class MonthDay:
    date: date
    is_past: bool
    is_today: bool
    # In the previous or next month, shown to complete the week.
    is_other: bool
    # Minutes by which clocks change that day.
    shift: int
    entries: tuple[CalendarEntry, ...]
    slots: tuple[SlotOccurrence, ...]

    def without_past_slots(self, now: datetime) -> MonthDay:
        return replace(self, slots=tuple(slot for slot in self.slots if slot.at >= now))

    def has(self, post_id: str) -> bool:
        return any(entry.post_id == post_id for entry in self.entries)


@dataclass(frozen=True)
class Month:
    first: date
    days: tuple[MonthDay, ...]

    @property
    def previous(self) -> str:
        return f"{self.first - timedelta(days=1):%Y-%m}"

    @property
    def next(self) -> str:
        return f"{self.first + timedelta(days=31):%Y-%m}"

    def offsets(self, zone: str) -> str:
        """Return "UTC+1", or "UTC+1, then UTC+2" if clocks change in this month."""
        last = self.first.replace(day=monthrange(self.first.year, self.first.month)[1])
        noons = (resolve(datetime.combine(day, time(12)), zone, 0) for day in (self.first, last))
        return ", then ".join(dict.fromkeys(utc_offset(noon, zone) for noon in noons))

    def without_past_slots(self, now: datetime) -> Month:
        """Return the month with only the slots that are not over yet."""
        return Month(self.first, tuple(day.without_past_slots(now) if day.is_today else day for day in self.days))

    @property
    def is_bare(self) -> bool:
        return not any(day.entries or day.slots for day in self.days if not day.is_other)


def first_of(text: str, today: date) -> date | None:
    """Return the first day of a month such as "2026-11", of this month for "", and None if it is malformed."""
    if not text:
        return today.replace(day=1)
    found = _MONTH.fullmatch(text)
    return date(int(found[1]), int(found[2]), 1) if found else None


def week_starts(person: Person) -> int:
    """Return the first day of the week, 0 for Monday: the person's choice, or the default of the browser's language."""
    said = person.preferences.get("week_starts")
    return said if isinstance(said, int) else usual_start(request.accept_languages.best or "")


def usual_start(language: str) -> int:
    tongue, *parts = re.split("[-_]", language)
    regions = [part.upper() for part in parts if len(part) == 2]
    region = regions[0] if regions else SPOKEN_IN.get(tongue.lower(), "")
    return 5 if region in SATURDAY else 6 if region in SUNDAY else 0


def month_of(first: date, starts: int, zone: str, today: date, author_id: str | None) -> Month:
    """Return all weeks of the month in the time zone `zone`, with the free slots of today and later days."""
    dates = list(Calendar(starts).itermonthdates(first.year, first.month))
    start, end = midnight(dates[0], zone), midnight(dates[-1] + timedelta(days=1), zone)
    entries = [*published(start, end, author_id), *planned(start, end, author_id)]
    entries.sort(key=lambda entry: (entry.at or start, entry.post_id))
    on = _by_day(entries, lambda entry: entry.at or start, zone)
    slots = queue_slots.open_occurrences(max(midnight(today, zone), start), end) if dates[-1] >= today else []
    open_on = _by_day(slots, lambda slot: slot.at, zone)
    days = [
        MonthDay(day, day < today, day == today, day.month != first.month, _shift(day, zone), on[day], open_on[day])
        for day in dates
    ]
    return Month(first, tuple(days))


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
