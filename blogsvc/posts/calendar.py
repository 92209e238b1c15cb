"""The calendar: move posts to another day, and add them to the queue or reorder it.

A scheduled post keeps its pinned revision; only its time changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from blogsvc.context import Tools
from blogsvc.errors import Fault, Invalid, StateConflict
from blogsvc.lib.time import resolve, wall
from blogsvc.models import Post, User, transaction
from blogsvc.posts import prepare, publishing, queue_slots, rules
from blogsvc.posts.calendar_entries import MAX_CALENDAR_ENTRIES, CalendarEntry, planned
from blogsvc.posts.prepare import PreparedPost
from blogsvc.posts.publish_request import PublishRequest, WallTime
from blogsvc.posts.rules import MAX_SCHEDULE_AHEAD

# The time for a draft that is moved to a day without a free queue slot.
DEFAULT_TIME = time(9)


@dataclass(frozen=True)
class QueueEntry:
    """The time of a scheduled post. `is_slot` is True if the time is a queue slot, False if the author chose it."""

    at: datetime
    is_slot: bool
    post: CalendarEntry | None = None


def require_movable(post: Post) -> None:
    """Raise StateConflict if the post is published, or its state does not allow scheduling."""
    if post.is_live:
        raise StateConflict(f"“{post.title}” is already published, so it cannot be moved.", state=post.state)
    post.require_move("schedule")


def move(
    post: Post, when: date | datetime, time_zone: str, now: datetime, tools: Tools, fold: int | None = None
) -> Post:
    """Move a post to another day or time. `when` is local time in `time_zone`.

    If `when` is a date, a scheduled post keeps its time of day; a draft gets the first free queue slot of
    that day, or DEFAULT_TIME.

    Raises Invalid if the time has passed or is too far ahead, StateConflict if the post is published, and
    SkippedTime or RepeatedTime if a clock change makes the time ambiguous; see `lib.time.resolve` for `fold`.
    """
    prepared = _prepared(post, now, tools)
    with transaction():
        require_movable(post)
        _require_in_range(when, now)
        if isinstance(when, datetime):
            wall_time = WallTime(when, time_zone, fold)
        elif post.scheduled_at is None:
            wall_time = _first_free_time(when, time_zone, now, fold)
        else:
            wall_time = _same_time_of_day(post, post.scheduled_at, when, time_zone, fold)
        return _give_time(post, wall_time, now, tools, prepared)


def enqueue(post: Post, now: datetime, tools: Tools) -> Post:
    """Schedule a post in the next free queue slot. Raises StateConflict if there is none, or the post is published."""
    prepared = _prepared(post, now, tools)
    with transaction():
        require_movable(post)
        slot = queue_slots.next_slot(now)
        if slot is None:
            raise StateConflict("The queue has no free slot. Add a slot, or choose a time.", state=post.state)
        return _give_time(post, WallTime(slot.wall, slot.time_zone, slot.fold), now, tools, prepared)


def use_slot(post: Post, at: datetime, now: datetime, tools: Tools) -> Post:
    """Schedule a post in the queue slot at `at`. Raises StateConflict if that slot is taken or was removed."""
    prepared = _prepared(post, now, tools)
    with transaction():
        require_movable(post)
        slots = [slot for slot in queue_slots.open_occurrences(at, at + timedelta(seconds=1)) if slot.at == at > now]
        if not slots:
            raise StateConflict("This slot is no longer free. Choose another one.", state=post.state)
        return _give_time(post, WallTime(slots[0].wall, slots[0].time_zone, slots[0].fold), now, tools, prepared)


def _prepared(post: Post, now: datetime, tools: Tools) -> PreparedPost | None:
    """Prepare a post to be scheduled for whichever time; None for one that only moves to another time."""
    return None if post.state == "scheduled" else prepare.publication(post, PublishRequest(when=now), tools)


def _give_time(post: Post, when: WallTime, now: datetime, tools: Tools, prepared: PreparedPost | None) -> Post:
    """Change the time of a scheduled post, or schedule another one."""
    rules.check_time(when.instant(), now, "#/time")
    if post.state == "scheduled":
        return publishing.reschedule(post, when, now)
    if prepared is None:
        raise StateConflict("This post is no longer scheduled. Try again.", state=post.state)
    return publishing.publish_request(post, PublishRequest(when=when), now, tools, prepared)


def queue(now: datetime, author_id: str | None = None, limit: int = MAX_CALENDAR_ENTRIES) -> list[QueueEntry]:
    """Return the next posts that are scheduled in order of time, in queue slots and at times of their own."""
    entries = planned(now, now + MAX_SCHEDULE_AHEAD + timedelta(days=1), author_id, limit=limit)
    waiting = [entry for entry in entries if entry.state == "scheduled" and entry.at is not None]
    if not waiting:
        return []
    last = max(entry.at for entry in waiting if entry.at is not None)
    slots = {slot.at for slot in queue_slots.occurrences(now, last + timedelta(seconds=1))}
    return [QueueEntry(entry.at, entry.at in slots, entry) for entry in waiting if entry.at is not None]


def swap_before(post: Post, other: Post, now: datetime) -> Post:
    """Move a post to the queue position of another; the posts between them move by one slot.

    Raises StateConflict if one of the two posts is not in the queue.
    """
    with transaction():
        line = [slot.post.post_id for slot in queue(now) if slot.is_slot and slot.post is not None]
        for one in (post, other):
            if one.id not in line:
                raise StateConflict(f"“{one.title}” is no longer in the queue.", state=one.state)
        new_place, old_place = line.index(other.id), line.index(post.id)
        first, last = min(old_place, new_place), max(old_place, new_place)
        between = line[first : last + 1]
        between.remove(post.id)
        between.insert(new_place - first, post.id)
        _redistribute_times([Post.get(post_id) for post_id in between], now)
        return post


def _redistribute_times(posts: list[Post], now: datetime) -> None:
    """Redistribute the scheduled times of these posts: the first post gets the earliest time."""
    times = sorted((_wall_time_of(post) for post in posts), key=lambda wall_time: wall_time.instant())
    for post, wall_time in zip(posts, times, strict=True):
        publishing.reschedule(post, wall_time, now)


def _wall_time_of(post: Post) -> WallTime:
    assert post.scheduled_at is not None
    if post.wall_time is None or post.time_zone is None:
        zone = queue_slots.blog_zone()
        local = wall(post.scheduled_at, zone)
        return WallTime(local.replace(fold=0), zone, local.fold)
    # Pass on the stored fold, which was chosen when the time was last computed.
    return WallTime(datetime.fromisoformat(post.wall_time), post.time_zone, post.fold or 0)


def _require_in_range(when: date, now: datetime) -> None:
    """Raise Invalid if the day is out of range, so that later date arithmetic cannot overflow."""
    day = when.date() if isinstance(when, datetime) else when
    if day < now.date() - timedelta(days=1):
        raise Invalid(Fault("#/day", "in_past", "This day is in the past. Choose a later day."))
    if day > (now + MAX_SCHEDULE_AHEAD).date():
        raise Invalid(Fault("#/day", "too_far_ahead", "This day is more than five years ahead. Choose an earlier day."))


def _same_time_of_day(post: Post, at: datetime, day: date, time_zone: str, fold: int | None) -> WallTime:
    """Return the post's time of day in its own time zone, moved by as many days as the viewer moved it."""
    shown = wall(at, time_zone)
    days = day - shown.date()
    if post.wall_time is None or post.time_zone is None:
        return WallTime(shown.replace(fold=0) + days, time_zone, fold)
    return WallTime(datetime.fromisoformat(post.wall_time) + days, post.time_zone, fold)


def suggested_time(day: date, time_zone: str, now: datetime) -> datetime:
    """Return the time for a new post on a day: the first free queue slot, or DEFAULT_TIME.

    Raises Invalid if the day has passed, or is too far ahead.
    """
    _require_in_range(day, now)
    wall_time = _first_free_time(day, time_zone, now, None)
    at = resolve(wall_time.local, wall_time.time_zone, wall_time.fold or 0)
    rules.check_time(at, now, "#/day")
    return at


def _first_free_time(day: date, time_zone: str, now: datetime, fold: int | None) -> WallTime:
    midnight = datetime.combine(day, time())
    start, end = (resolve(midnight + timedelta(days=days), time_zone, 0) for days in (0, 1))
    for slot in queue_slots.open_occurrences(start, end):
        if slot.at > now:
            return WallTime(slot.wall, slot.time_zone, slot.fold)
    local, today = datetime.combine(day, DEFAULT_TIME), wall(now, time_zone)
    if day == today.date() and local <= today:
        local = today.replace(minute=0, second=0, microsecond=0, fold=0) + timedelta(hours=1)
    if local.date() > day:
        raise Invalid(Fault("#/day", "in_past", "This day is nearly over. Choose another day, or publish now."))
    return WallTime(local, time_zone, fold)


def start_week(user: User, weekday: int | None) -> None:
    """Set the first day of the week for a user: 0 is Monday, None the default of their locale."""
    with transaction():
        there = User.get(user.id)
        there.preferences = {**there.preferences, "week_starts": weekday}
