"""Queue slots: weekly times at which posts are published, and which of them are free.

Slots are in local time of the blog's time zone. If a clock change skips a slot's time, the post is published
after the gap; if it repeats the time, at the first occurrence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import islice, takewhile

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.time import UnknownZone, readings, wall, zone
from blogsvc.models import Post, QueueSlot, Setting, db, transaction
from blogsvc.models.post import IS_WAITING

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MAX_SLOTS = 100
# How far ahead to search for a free slot.
HORIZON = timedelta(days=731)
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)
_DAY = timedelta(days=1)
# More than the largest UTC offset, so that a local day always lies within this margin of the UTC day.
_MARGIN = timedelta(days=2)


@dataclass(frozen=True)
class SlotOccurrence:
    """One occurrence of a weekly slot.

    `wall` is the naive local time in `time_zone`, `at` the instant in UTC, and `fold` is 0 for a repeated
    time.
    """

    wall: datetime
    time_zone: str
    fold: int | None
    at: datetime
    # The slot's own time, if a clock change skips it that day.
    moved_from: time | None = None


def blog_zone() -> str:
    """Return the IANA name of the time zone that slots use."""
    return str(Setting.read("time_zone"))


def change_zone(name: str) -> None:
    """Set the blog's time zone. Slots keep their local times; scheduled posts keep their instants.

    Raises Invalid for an unknown time zone.
    """
    try:
        zone(name)
    except UnknownZone as error:
        raise Invalid(Fault("#/time_zone", "unknown_zone", str(error))) from error
    with transaction():
        Setting.write("time_zone", name)


def add_slot(weekday: int, time: str) -> QueueSlot:
    """Add a weekly slot, or return the one that exists. Raises Invalid.

    Args:
        weekday: 0 is Monday.
        time: such as "09:00".
    """
    if not 0 <= weekday <= 6:
        raise Invalid(Fault("#/weekday", "out_of_range", "The weekday must be a number from 0 (Monday) to 6 (Sunday)."))
    if not _TIME.fullmatch(time):
        raise Invalid(Fault("#/time", "not_a_time", "Enter a time of day such as 09:00 or 17:30."))
    with transaction():
        slots = QueueSlot.all()
        slot = next((slot for slot in slots if (slot.weekday, slot.time) == (weekday, time)), None)
        if slot is not None:
            return slot
        if len(slots) >= MAX_SLOTS:
            raise Invalid(Fault("#/time", "too_many", f"You can have at most {MAX_SLOTS} slots. Remove one first."))
        slot = QueueSlot(weekday=weekday, time=time)
        db.session.add(slot)
        return slot


def remove_slot(weekday: int, time: str) -> None:
    """Remove a slot. Posts scheduled in it keep their time. Raises NotFound."""
    with transaction():
        slot = db.session.get(QueueSlot, (weekday, time))
        if slot is None:
            raise NotFound("This slot no longer exists.")
        db.session.delete(slot)


def occurrences(after: datetime, until: datetime) -> list[SlotOccurrence]:
    """Return all occurrences of slots in [after, until), taken or free, in order."""
    return list(takewhile(lambda occurrence: occurrence.at < until, _occurrences_from(after)))


def open_occurrences(after: datetime, until: datetime) -> list[SlotOccurrence]:
    """Return the free occurrences in [after, until), in order."""
    found = occurrences(after, until)
    taken = _taken(after, until) if found else set()
    return [occurrence for occurrence in found if occurrence.at not in taken]


def next_slot(now: datetime) -> SlotOccurrence | None:
    """Return the next free occurrence, or None if there are no slots or all are taken for two years."""
    return next(iter(next_slots(now, 1)), None)


def next_slots(now: datetime, n: int) -> list[SlotOccurrence]:
    """Return the next `n` free occurrences after `now`, fewer if two years do not have that many."""
    taken = _taken(now)
    ahead = (occurrence for occurrence in _occurrences_from(now) if occurrence.at > now and occurrence.at not in taken)
    return list(islice(ahead, n))


def _taken(after: datetime, until: datetime | None = None) -> set[datetime]:
    times = select(Post.scheduled_at).where(IS_WAITING, Post.scheduled_at >= after)
    if until is not None:
        times = times.where(Post.scheduled_at < until)
    return {at for at in db.session.scalars(times) if at is not None}


def _occurrences_from(after: datetime) -> Iterator[SlotOccurrence]:
    """Yield all occurrences from `after` to the horizon, in order."""
    time_zone, week = blog_zone(), _times_by_weekday()
    after = after.astimezone(UTC)
    # Days are visited in local order; near a clock change, this may differ from the order of instants.
    ahead: list[SlotOccurrence] = []
    day = wall(after, time_zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0) - _MARGIN
    end = day + HORIZON
    last = after - timedelta(microseconds=1)
    while week and day < end:
        ahead += [_occurrence(day, slot_time, time_zone) for slot_time in week.get(day.weekday(), ())]
        day += _DAY
        # No occurrence of a later day can be before this instant.
        settled = day.replace(tzinfo=UTC) - _MARGIN
        due = sorted(
            (occurrence for occurrence in ahead if occurrence.at < settled), key=lambda occurrence: occurrence.at
        )
        ahead = [occurrence for occurrence in ahead if occurrence.at >= settled]
        for occurrence in due:
            if occurrence.at > last:  # a clock change can move two slots to the same instant
                last = occurrence.at
                yield occurrence


def _times_by_weekday() -> dict[int, list[time]]:
    week: dict[int, list[time]] = {}
    for slot in QueueSlot.all():
        week.setdefault(slot.weekday, []).append(time.fromisoformat(slot.time))
    return week


def _occurrence(day: datetime, slot_time: time, time_zone: str) -> SlotOccurrence:
    local = datetime.combine(day, slot_time)
    first, second = readings(local, time_zone)
    if first > second:  # skipped by a clock change: `first` is after the gap
        return SlotOccurrence(wall(first, time_zone).replace(fold=0), time_zone, None, first, moved_from=slot_time)
    return SlotOccurrence(local, time_zone, 0 if first < second else None, first)
