"""Queue slots recur at local times, through both clock changes, and scheduled posts take them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta

import pytest
from flask import Flask

from blogsvc.errors import Invalid, NotFound
from blogsvc.models import Post, QueueSlot
from blogsvc.posts import publishing, queue_slots, trash
from blogsvc.posts.publish_request import WallTime
from blogsvc.posts.queue_slots import SlotOccurrence
from tests.clock import NOW, Time

pytestmark = pytest.mark.usefixtures("app")

MONDAY, TUESDAY, FRIDAY, SATURDAY, SUNDAY = 0, 1, 4, 5, 6


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def every_day(at: str, zone: str) -> None:
    queue_slots.change_zone(zone)
    for weekday in range(7):
        queue_slots.add_slot(weekday, at)


def local_times(start: str, days: int) -> list[str]:
    """Return the local times of all queue slots of some days."""
    found = queue_slots.occurrences(utc(start), utc(start) + timedelta(days=days))
    return [place.wall.isoformat(sep=" ", timespec="minutes") for place in found]


def test_a_queue_slot_is_a_time_on_a_weekday() -> None:
    queue_slots.change_zone("Europe/Berlin")
    queue_slots.add_slot(TUESDAY, "09:00")
    queue_slots.add_slot(FRIDAY, "17:30")
    assert local_times("2026-11-23T00:00", 14) == [
        "2026-11-24 09:00",
        "2026-11-27 17:30",
        "2026-12-01 09:00",
        "2026-12-04 17:30",
    ]
    assert queue_slots.next_slots(NOW, 1) == [
        SlotOccurrence(datetime(2026, 11, 27, 17, 30), "Europe/Berlin", None, utc("2026-11-27T16:30"))  # noqa: DTZ001
    ]


def test_without_queue_slots_there_are_no_occurrences() -> None:
    assert queue_slots.next_slot(NOW) is None
    assert queue_slots.occurrences(NOW, NOW + timedelta(days=9)) == []


def test_adding_a_queue_slot_twice_keeps_one_and_removing_it_deletes_it() -> None:
    for _ in range(2):
        queue_slots.add_slot(SUNDAY, "09:00")
    queue_slots.add_slot(MONDAY, "09:00")
    assert [(slot.weekday, slot.time) for slot in QueueSlot.all()] == [(MONDAY, "09:00"), (SUNDAY, "09:00")]
    queue_slots.remove_slot(SUNDAY, "09:00")
    assert [slot.weekday for slot in QueueSlot.all()] == [MONDAY]
    with pytest.raises(NotFound):
        queue_slots.remove_slot(SUNDAY, "09:00")


@pytest.mark.parametrize("at", ["9:00", "24:00", "09:60", "09:00:00", "", "nine", "٠٩:٠٠", "09:00\n"])
def test_an_invalid_time_of_day_is_rejected(at: str) -> None:
    with pytest.raises(Invalid) as caught:
        queue_slots.add_slot(MONDAY, at)
    assert caught.value.faults[0].pointer == "#/time"


def test_an_invalid_weekday_is_rejected() -> None:
    for weekday in (-1, 7):
        with pytest.raises(Invalid):
            queue_slots.add_slot(weekday, "09:00")


def test_the_number_of_queue_slots_is_limited() -> None:
    for minute in range(queue_slots.MAX_SLOTS):
        queue_slots.add_slot(MONDAY, f"{9 + minute // 60:02}:{minute % 60:02}")
    with pytest.raises(Invalid):
        queue_slots.add_slot(TUESDAY, "09:00")
    queue_slots.add_slot(MONDAY, "09:00")  # which exists


def test_an_unknown_time_zone_is_rejected_with_a_suggestion() -> None:
    with pytest.raises(Invalid, match="Europe/Berlin"):
        queue_slots.change_zone("Europe/Berln")
    assert queue_slots.blog_zone() == "UTC"


def test_queue_slots_keep_their_local_times_when_the_time_zone_of_the_blog_changes(
    a_post: Callable[..., Post], time: Time
) -> None:
    queue_slots.add_slot(FRIDAY, "09:00")
    place = queue_slots.next_slot(time())
    assert place is not None
    post = publishing.schedule(a_post(), WallTime(place.wall, place.time_zone, place.fold), time())
    queue_slots.change_zone("Asia/Tokyo")
    moved = queue_slots.next_slot(time())
    assert moved is not None
    assert (moved.wall, moved.at) == (place.wall, place.at - timedelta(hours=9))
    assert post.scheduled_at == place.at


@pytest.mark.parametrize(
    ("zone", "at", "day", "instants"),
    [
        # The day before, the day of the change, the day after.
        ("Europe/Berlin", "09:00", "2027-03-27", ["27T08:00", "28T07:00", "29T07:00"]),
        ("Europe/Berlin", "09:00", "2027-10-30", ["30T07:00", "31T08:00", "01T08:00"]),
        ("America/New_York", "09:00", "2027-03-13", ["13T14:00", "14T13:00", "15T13:00"]),
        ("America/New_York", "23:30", "2027-11-06", ["07T03:30", "08T04:30", "09T04:30"]),
        ("Asia/Kathmandu", "00:10", "2027-03-27", ["26T18:25", "27T18:25", "28T18:25"]),
        ("Asia/Kolkata", "09:00", "2027-03-27", ["27T03:30", "28T03:30", "29T03:30"]),
        ("Australia/Lord_Howe", "09:00", "2027-04-03", ["02T22:00", "03T22:30", "04T22:30"]),
        ("Australia/Lord_Howe", "09:00", "2027-10-02", ["01T22:30", "02T22:00", "03T22:00"]),
        ("Pacific/Kiritimati", "00:00", "2027-01-01", ["31T10:00", "01T10:00", "02T10:00"]),
        ("Pacific/Pago_Pago", "23:59", "2027-01-01", ["02T10:59", "03T10:59", "04T10:59"]),
    ],
)
def test_a_queue_slot_keeps_its_local_time_across_clock_changes(
    zone: str, at: str, day: str, instants: list[str]
) -> None:
    every_day(at, zone)
    start = WallTime(datetime.fromisoformat(f"{day}T00:00"), zone).instant()
    found = queue_slots.occurrences(start, start + timedelta(days=5))[:3]
    assert [place.at.strftime("%dT%H:%M") for place in found] == instants
    assert {place.wall.strftime("%H:%M") for place in found} == {at}
    assert all(place.fold is None and place.moved_from is None for place in found)


@pytest.mark.parametrize(
    ("zone", "at", "day", "shown", "instant"),
    [
        ("Europe/Berlin", "02:30", "2027-03-28", "03:30", "2027-03-28T01:30"),
        ("America/New_York", "02:00", "2027-03-14", "03:00", "2027-03-14T07:00"),
        # Only half an hour is skipped.
        ("Australia/Lord_Howe", "02:15", "2027-10-03", "02:45", "2027-10-02T15:45"),
        # The gap is at midnight.
        ("Africa/Cairo", "00:30", "2027-04-30", "01:30", "2027-04-29T22:30"),
    ],
)
def test_a_queue_slot_at_a_skipped_time_moves_past_the_gap(
    zone: str, at: str, day: str, shown: str, instant: str
) -> None:
    every_day(at, zone)
    start = utc(instant) - timedelta(hours=6)
    [place] = queue_slots.occurrences(start, start + timedelta(hours=12))
    assert place.at == utc(instant)
    assert place.wall == datetime.fromisoformat(f"{day}T{shown}")
    assert place.moved_from == time.fromisoformat(at)
    assert WallTime(place.wall, place.time_zone, place.fold).instant() == place.at


@pytest.mark.parametrize(
    ("zone", "at", "instant"),
    [
        ("Europe/Berlin", "02:30", "2027-10-31T00:30"),
        ("America/New_York", "01:30", "2027-11-07T05:30"),
        ("Australia/Lord_Howe", "01:45", "2027-04-03T14:45"),
    ],
)
def test_a_queue_slot_at_a_repeated_time_uses_the_first_occurrence(zone: str, at: str, instant: str) -> None:
    every_day(at, zone)
    start = utc(instant) - timedelta(hours=6)
    [place] = queue_slots.occurrences(start, start + timedelta(hours=12))
    assert (place.at, place.fold) == (utc(instant), 0)
    assert WallTime(place.wall, place.time_zone, place.fold).instant() == place.at


def test_two_queue_slots_moved_to_the_same_time_by_a_clock_change_are_one_that_day() -> None:
    queue_slots.change_zone("Europe/Berlin")
    for at in ("02:30", "03:30"):
        queue_slots.add_slot(SUNDAY, at)
    assert local_times("2027-03-27T00:00", 9) == ["2027-03-28 03:30", "2027-04-04 02:30", "2027-04-04 03:30"]


def test_queue_slots_around_a_clock_change_are_ordered_by_instant() -> None:
    queue_slots.change_zone("Europe/Berlin")
    for at in ("02:45", "03:00"):  # the gap moves the first past the second
        queue_slots.add_slot(SUNDAY, at)
    assert local_times("2027-03-27T00:00", 2) == ["2027-03-28 03:00", "2027-03-28 03:45"]


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])
def test_a_daily_queue_slot_occurs_once_on_every_day_of_a_year(zone: str) -> None:
    every_day("02:10", zone)
    found = queue_slots.occurrences(utc("2027-01-01T00:00"), utc("2028-01-01T00:00"))
    assert len(found) == len({place.wall.date() for place in found}) == 365
    assert [place.at for place in found] == sorted(place.at for place in found)
    assert sum(place.moved_from is not None for place in found) == (zone in {"Europe/Berlin", "America/New_York"}) + (
        zone == "Australia/Lord_Howe"
    )


def test_a_range_includes_its_start_and_excludes_its_end() -> None:
    every_day("09:00", "UTC")
    found = queue_slots.occurrences(utc("2026-11-24T09:00"), utc("2026-11-26T09:00"))
    assert [place.at.day for place in found] == [24, 25]


def test_the_next_queue_slot_is_after_now() -> None:
    every_day("09:00", "UTC")
    place = queue_slots.next_slot(utc("2026-11-24T09:00"))
    assert place is not None
    assert place.at == utc("2026-11-25T09:00")


def test_a_scheduled_post_takes_its_queue_slot_and_frees_it_when_unscheduled(
    a_post: Callable[..., Post], time: Time
) -> None:
    every_day("09:00", "Europe/Berlin")
    first, second, third = queue_slots.next_slots(time(), 3)
    post = publishing.schedule(a_post(), WallTime(second.wall, second.time_zone, second.fold), time())
    assert queue_slots.next_slots(time(), 2) == [first, third]
    assert queue_slots.open_occurrences(time(), third.at) == [first]
    publishing.unschedule(post, time())
    assert queue_slots.next_slots(time(), 2) == [first, second]


def test_a_post_scheduled_by_instant_or_in_another_time_zone_takes_the_queue_slot_too(
    a_post: Callable[..., Post], time: Time
) -> None:
    every_day("09:00", "Europe/Berlin")
    first, second, third = queue_slots.next_slots(time(), 3)
    publishing.schedule(a_post(), first.at, time())
    publishing.schedule(a_post(), WallTime(second.wall.replace(hour=8), "Europe/London"), time())
    assert queue_slots.next_slot(time()) == third


def test_a_deleted_post_takes_no_queue_slot(a_post: Callable[..., Post], time: Time) -> None:
    every_day("09:00", "UTC")
    place = queue_slots.next_slot(time())
    assert place is not None
    trash.discard(publishing.schedule(a_post(), place.at, time()), time())
    assert queue_slots.next_slot(time()) == place


def test_as_many_next_queue_slots_are_returned_as_requested(app: Flask) -> None:
    queue_slots.add_slot(SATURDAY, "09:00")
    found = queue_slots.next_slots(NOW, 10)
    assert [place.at - found[0].at for place in found] == [timedelta(weeks=week) for week in range(10)]
