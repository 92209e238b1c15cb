"""Planning: where posts stand in the calendar. Move one to another day, queue one at a slot, put one before another.

A post that has a time keeps the words that are pinned; only its time changes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.time import resolve, wall
from blogsvc.models import Person, Post, transaction
from blogsvc.posts import publishing, queue_slots
from blogsvc.posts.calendar_entries import CalendarEntry, planned
from blogsvc.posts.publishing import WallTime
from blogsvc.posts.schedule_rules import MAX_SCHEDULE_AHEAD, check_time

# When a draft goes out that is put on a day without an open place.
DEFAULT_TIME = time(9)


@dataclass(frozen=True)
class QueueEntry:
    """A time ahead at which a post stands, or could. Without `is_slot` it is the post's own, and stays where it is."""

    at: datetime
    is_slot: bool
    post: CalendarEntry | None = None


def demand_movable(post: Post) -> None:
    """Raises StateConflict for what is out, and for whatever else cannot be given a time."""
    if post.is_live:
        raise StateConflict(f"“{post.title}” is out already; what is out stays where it is.", state=post.state)
    post.may("schedule")


def move(post: Post, when: date | datetime, time_zone: str, now: datetime, fold: int | None = None) -> Post:
    """Give a post another day, or another time too, as clocks in `time_zone` show it.

    To a day (a `date`) it takes its time of the day along, which a draft gets from the first open place there, else
    the usual one. Raises Invalid for what is past or too far ahead, StateConflict for what is out, and SkippedTime or
    RepeatedTime where the clocks ask which time is meant; `fold` answers as in `lib.time.resolve`.
    """
    with transaction():
        demand_movable(post)
        _demand_near(when, now)
        if isinstance(when, datetime):
            wish = WallTime(when, time_zone, fold)
        elif post.scheduled_at is None:
            wish = _first_place(when, time_zone, now, fold)
        else:
            wish = _same_time(post, post.scheduled_at, when, time_zone, fold)
        check_time(wish.instant(), now, "#/time")
        return publishing.reschedule(post, wish, now)


def enqueue(post: Post, now: datetime) -> Post:
    """Schedule a post at the next open place. Raises StateConflict where there is none, or the post is out."""
    with transaction():
        demand_movable(post)
        place = queue_slots.next_slot(now)
        if place is None:
            raise StateConflict("The queue has no open place. Add a slot, or choose a time.", state=post.state)
        return publishing.reschedule(post, WallTime(place.wall, place.time_zone, place.fold), now)


def use_slot(post: Post, at: datetime, now: datetime) -> Post:
    """Schedule a post at an open place. Raises StateConflict where that is taken or no place any more."""
    with transaction():
        demand_movable(post)
        there = [place for place in queue_slots.open_occurrences(at, at + timedelta(seconds=1)) if place.at == at > now]
        if not there:
            raise StateConflict("This place is not open any more; choose another.", state=post.state)
        return publishing.reschedule(post, WallTime(there[0].wall, there[0].time_zone, there[0].fold), now)


def queue(now: datetime, author_id: str | None = None) -> list[QueueEntry]:
    """What is scheduled from now on, in order; those on slots are the queue, the others have times of their own."""
    entries = planned(now, now + MAX_SCHEDULE_AHEAD, author_id)
    waiting = [entry for entry in entries if entry.state == "scheduled" and entry.at is not None]
    if not waiting:
        return []
    last = max(entry.at for entry in waiting if entry.at is not None)
    places = {place.at for place in queue_slots.occurrences(now, last + timedelta(seconds=1))}
    return [QueueEntry(entry.at, entry.at in places, entry) for entry in waiting if entry.at is not None]


def swap_before(post: Post, other: Post, now: datetime) -> Post:
    """Put a post where another stands in the queue; that one and those between move over by one place.

    Raises StateConflict where one of the two is not in the queue.
    """
    with transaction():
        line = [place.post.post_id for place in queue(now) if place.is_slot and place.post is not None]
        for one in (post, other):
            if one.id not in line:
                raise StateConflict(f"“{one.title}” is not in the queue any more.", state=one.state)
        there, here = line.index(other.id), line.index(post.id)
        first, last = min(here, there), max(here, there)
        between = line[first : last + 1]
        between.remove(post.id)
        between.insert(there - first, post.id)
        _deal([Post.get(post_id) for post_id in between], now)
        return post


def _deal(posts: list[Post], now: datetime) -> None:
    """Share the times of some posts out among them: the first of these gets the first of those."""
    times = sorted((_time_of(post) for post in posts), key=lambda wish: wish.instant())
    for post, wish in zip(posts, times, strict=True):
        publishing.reschedule(post, wish, now)


def _time_of(post: Post) -> WallTime:
    assert post.scheduled_at is not None
    if post.wall_time is None or post.time_zone is None:
        zone = queue_slots.blog_zone()
        local = wall(post.scheduled_at, zone)
        return WallTime(local.replace(fold=0), zone, local.fold)
    # As it was reckoned last, where the clocks skip or repeat it.
    return WallTime(datetime.fromisoformat(post.wall_time), post.time_zone, post.fold or 0)


def _demand_near(when: date, now: datetime) -> None:
    """Days alone, so that what follows reckons with dates that there are."""
    day = when.date() if isinstance(when, datetime) else when
    if day < now.date() - timedelta(days=1):
        raise Invalid(Fault("#/day", "in_past", "This day has passed; choose one ahead."))
    if day > (now + MAX_SCHEDULE_AHEAD).date():
        raise Invalid(Fault("#/day", "too_far_ahead", "This is more than five years ahead; choose a day before that."))


def _same_time(post: Post, at: datetime, day: date, time_zone: str, fold: int | None) -> WallTime:
    """The post's time of the day, by the clocks it was meant for, as many days on as its reader sees it moved."""
    shown = wall(at, time_zone)
    days = day - shown.date()
    if post.wall_time is None or post.time_zone is None:
        return WallTime(shown.replace(fold=0) + days, time_zone, fold)
    return WallTime(datetime.fromisoformat(post.wall_time) + days, post.time_zone, fold)


def _first_place(day: date, time_zone: str, now: datetime, fold: int | None) -> WallTime:
    midnight = datetime.combine(day, time())
    start, end = (resolve(midnight + timedelta(days=days), time_zone, 0) for days in (0, 1))
    for place in _ahead(queue_slots.open_occurrences(start, end), now):
        return WallTime(place.wall, place.time_zone, place.fold)
    local, today = datetime.combine(day, DEFAULT_TIME), wall(now, time_zone)
    if day == today.date() and local <= today:
        local = today.replace(minute=0, second=0, microsecond=0, fold=0) + timedelta(hours=1)
    if local.date() > day:
        raise Invalid(Fault("#/day", "in_past", "This day is nearly over; choose another, or publish now."))
    return WallTime(local, time_zone, fold)


def _ahead(places: Iterable[queue_slots.SlotOccurrence], now: datetime) -> Iterable[queue_slots.SlotOccurrence]:
    return (place for place in places if place.at > now)


def start_week(person: Person, weekday: int | None) -> None:
    """Show a person weeks that begin on `weekday` (0 is Monday); None as is usual where they are."""
    with transaction():
        there = Person.get(person.id)
        there.preferences = {**there.preferences, "week_starts": weekday}
