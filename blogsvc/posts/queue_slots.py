"""Slots: places in the week that posts go out at, and which of them are still open.

Slots recur by the clocks on the wall of the blog's zone. A place that a change of the clocks skips is taken past the
gap, one that it repeats is the first of the two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import islice

from sqlalchemy import select

from blogsvc.errors import Fault, Invalid, NotFound
from blogsvc.lib.time import UnknownZone, resolve, wall, zone
from blogsvc.models import Post, QueueSlot, Setting, db, transaction

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MOST_SLOTS = 100
# How far ahead an open place is looked for.
HORIZON = timedelta(days=731)
_TIME = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)
_DAY = timedelta(days=1)
# A day's slot may come so long after the day by the clocks has begun in UTC, or before: no offset is longer.
_MARGIN = timedelta(days=2)


@dataclass(frozen=True)
class SlotOccurrence:
    """One time of a slot. `wall` is naive, what clocks in `time_zone` show at `at` (UTC); `fold` says which of two."""

    wall: datetime
    time_zone: str
    fold: int | None
    at: datetime
    # What the slot says, where the clocks skip that.
    moved_from: time | None = None


def blog_zone() -> str:
    """The IANA name of the zone in which slots recur."""
    return str(Setting.read("time_zone"))


def change_zone(name: str) -> None:
    """Slots keep their times, by the clocks there. Posts that have a time already keep their instant.

    Raises Invalid.
    """
    try:
        zone(name)
    except UnknownZone as error:
        raise Invalid(Fault("#/time_zone", "unknown_zone", str(error))) from error
    with transaction():
        Setting.write("time_zone", name)


def add_slot(weekday: int, time: str) -> QueueSlot:
    """A slot on `weekday` (0 is Monday) at `time` ("09:00"). One that is there already stays. Raises Invalid."""
    if not 0 <= weekday <= 6:
        raise Invalid(Fault("#/weekday", "out_of_range", "A weekday is 0 (Monday) to 6 (Sunday)."))
    if not _TIME.fullmatch(time):
        raise Invalid(Fault("#/time", "not_a_time", "Write a time of the day such as 09:00 or 17:30."))
    with transaction():
        slots = QueueSlot.all()
        slot = next((slot for slot in slots if (slot.weekday, slot.time) == (weekday, time)), None)
        if slot is not None:
            return slot
        if len(slots) >= MOST_SLOTS:
            raise Invalid(Fault("#/time", "too_many", f"There are {MOST_SLOTS} slots, and no more can be; remove one."))
        slot = QueueSlot(weekday=weekday, time=time)
        db.session.add(slot)
        return slot


def remove_slot(weekday: int, time: str) -> None:
    """Posts that stand there keep their time. Raises NotFound."""
    with transaction():
        slot = db.session.get(QueueSlot, (weekday, time))
        if slot is None:
            raise NotFound("There is no such slot any more.")
        db.session.delete(slot)


def occurrences(after: datetime, until: datetime) -> list[SlotOccurrence]:
    """Every time of every slot from `after` on and before `until`, in order, whether it is taken or not."""
    found = []
    for occurrence in _from(after):
        if occurrence.at >= until:
            break
        found.append(occurrence)
    return found


def open_occurrences(after: datetime, until: datetime) -> list[SlotOccurrence]:
    """Those of them that no scheduled post has taken."""
    return _open(occurrences(after, until), after)


def next_slot(now: datetime) -> SlotOccurrence | None:
    """The next open place; None where there are no slots, or all are taken for two years."""
    return next(iter(next_slots(now, 1)), None)


def next_slots(now: datetime, n: int) -> list[SlotOccurrence]:
    """The next `n` open places after `now`, or as many as there are in two years."""
    taken = _taken(now)
    ahead = (occurrence for occurrence in _from(now) if occurrence.at > now and occurrence.at not in taken)
    return list(islice(ahead, n))


def _open(places: list[SlotOccurrence], after: datetime) -> list[SlotOccurrence]:
    taken = _taken(after) if places else set()
    return [place for place in places if place.at not in taken]


def _taken(after: datetime) -> set[datetime]:
    times = select(Post.scheduled_at).where(
        Post.state == "scheduled", Post.deleted_at.is_(None), Post.scheduled_at >= after
    )
    return {at for at in db.session.scalars(times) if at is not None}


def _from(after: datetime) -> Iterator[SlotOccurrence]:
    """Every time of every slot from `after` on, in order, as far as the horizon."""
    time_zone, week = blog_zone(), _week()
    after = after.astimezone(UTC)
    # In order of the clocks on the wall; by instant that is the order too, but where the clocks change.
    ahead: list[SlotOccurrence] = []
    day = wall(after, time_zone).replace(hour=0, minute=0, second=0, microsecond=0, fold=0) - _MARGIN
    end = day + HORIZON
    last = after - timedelta(microseconds=1)
    while week and day < end:
        ahead += [_occurrence(day, slot_time, time_zone) for slot_time in week.get(day.weekday(), ())]
        day += _DAY
        # What is before this cannot be preceded by anything of a later day.
        settled = day.replace(tzinfo=UTC) - _MARGIN
        due = sorted((place for place in ahead if place.at < settled), key=lambda place: place.at)
        ahead = [place for place in ahead if place.at >= settled]
        for place in due:
            if place.at > last:  # two that the clocks have pushed together are one
                last = place.at
                yield place


def _week() -> dict[int, list[time]]:
    week: dict[int, list[time]] = {}
    for slot in QueueSlot.all():
        week.setdefault(slot.weekday, []).append(time.fromisoformat(slot.time))
    return week


def _occurrence(day: datetime, slot_time: time, time_zone: str) -> SlotOccurrence:
    local = datetime.combine(day, slot_time)
    first, second = (resolve(local, time_zone, fold) for fold in (0, 1))
    if first > second:  # skipped: `first` is past the gap
        return SlotOccurrence(wall(first, time_zone).replace(fold=0), time_zone, None, first, moved_from=slot_time)
    return SlotOccurrence(local, time_zone, 0 if first < second else None, first)
