"""Instants and local times in unusual time zones."""
# ruff: noqa: DTZ001, DTZ901 (wall times are naive)

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from blogsvc.lib.time import (
    RepeatedTime,
    SkippedTime,
    UnknownZone,
    parse,
    resolve,
    stamp,
    utc_now,
    utc_offset,
    wall,
    zone,
    zone_names,
)

GAPS = [
    ("Europe/Berlin", "2026-03-29T02:30", "2026-03-29T00:30", "2026-03-29T01:30"),
    ("America/New_York", "2026-03-08T02:30", "2026-03-08T06:30", "2026-03-08T07:30"),
    ("Australia/Lord_Howe", "2026-10-04T02:15", "2026-10-03T15:15", "2026-10-03T15:45"),
    ("America/Sao_Paulo", "2018-11-04T00:30", "2018-11-04T02:30", "2018-11-04T03:30"),
    ("Pacific/Apia", "2011-12-30T12:00", "2011-12-29T22:00", "2011-12-30T22:00"),
]
FOLDS = [
    ("Europe/Berlin", "2026-10-25T02:30", "2026-10-25T00:30", "2026-10-25T01:30"),
    ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30", "2026-11-01T06:30"),
    ("Australia/Lord_Howe", "2026-04-05T01:45", "2026-04-04T14:45", "2026-04-04T15:15"),
    ("America/Sao_Paulo", "2018-02-17T23:30", "2018-02-18T01:30", "2018-02-18T02:30"),
]


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.mark.parametrize(("name", "local", "earlier", "later"), GAPS)
def test_a_skipped_time_is_rejected_with_both_alternatives(name, local, earlier, later):
    with pytest.raises(SkippedTime, match="does not exist") as caught:
        resolve(datetime.fromisoformat(local), name)
    assert (caught.value.earlier, caught.value.later) == (utc(earlier), utc(later))


@pytest.mark.parametrize(("name", "local", "earlier", "later"), GAPS)
def test_fold_0_moves_a_skipped_time_past_the_gap_and_1_before_it(name, local, earlier, later):
    naive = datetime.fromisoformat(local)
    assert resolve(naive, name, fold=0) == utc(later)
    assert resolve(naive, name, fold=1) == utc(earlier)
    assert wall(utc(earlier), name) < naive < wall(utc(later), name)


@pytest.mark.parametrize(("name", "local", "earlier", "later"), FOLDS)
def test_a_repeated_time_is_rejected_with_both_instants(name, local, earlier, later):
    with pytest.raises(RepeatedTime, match="happens twice") as caught:
        resolve(datetime.fromisoformat(local), name)
    assert (caught.value.earlier, caught.value.later) == (utc(earlier), utc(later))


@pytest.mark.parametrize(("name", "local", "earlier", "later"), FOLDS)
def test_fold_chooses_between_repeated_times(name, local, earlier, later):
    naive = datetime.fromisoformat(local)
    assert resolve(naive, name, fold=0) == utc(earlier)
    assert resolve(naive, name, fold=1) == utc(later)
    assert wall(utc(earlier), name) == wall(utc(later), name) == naive


@pytest.mark.parametrize("name", ["Europe/Berlin", "Asia/Kathmandu", "Australia/Lord_Howe", "Pacific/Apia", "UTC"])
def test_wall_and_resolve_are_inverse_for_a_whole_year(name):
    for half_hours in range(0, 2 * 24 * 366, 3):
        at = utc("2026-01-01T00:00") + timedelta(minutes=30 * half_hours)
        local = wall(at, name)
        assert resolve(local, name, local.fold) == at


def test_a_normal_time_needs_no_fold_and_fold_changes_nothing():
    noon = datetime(2026, 7, 1, 12)
    assert resolve(noon, "Europe/Berlin") == resolve(noon, "Europe/Berlin", fold=1) == utc("2026-07-01T10:00")


def test_the_error_names_both_alternatives():
    choices = r"01:30:00 \(2026-03-29T00:30:00.000Z\) or .*03:30:00 \(2026-03-29T01:30:00.000Z\)"
    with pytest.raises(SkippedTime, match=choices):
        resolve(datetime(2026, 3, 29, 2, 30), "Europe/Berlin")


@pytest.mark.parametrize(("local", "name"), [(datetime.min, "Europe/Berlin"), (datetime.max, "America/New_York")])
def test_times_at_the_limits_of_the_calendar_are_rejected(local, name):
    with pytest.raises(ValueError, match="calendar"):
        resolve(local, name)


def test_a_wall_time_has_no_offset_and_fold_is_0_or_1():
    with pytest.raises(ValueError, match="no offset"):
        resolve(utc_now(), "UTC")
    with pytest.raises(ValueError, match="fold"):
        resolve(datetime(2026, 1, 1), "UTC", fold=2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-21T09:00:00Z", "2026-11-21T09:00"),
        ("2026-11-21t09:00:00z", "2026-11-21T09:00"),
        ("2026-11-21 10:30:00+01:30", "2026-11-21T09:00"),
        ("2026-11-21T09:00:00.25-00:00", "2026-11-21T09:00:00.250"),
    ],
)
def test_a_time_with_an_offset_is_parsed(text, expected):
    assert parse(text) == utc(expected)
    assert parse(text).tzinfo is UTC


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-11-21",
        "2026-11-21T09:00:00",
        "2026-11-21T09:00",
        "2026-1121T09:00Z",
        "2026-W47-6T09:00:00Z",
        "20261121T090000",
        "2026-13-01T00:00:00Z",
        "2026-02-30T00:00:00Z",
        "2026-01-01T24:01:00Z",
        "0001-01-01T00:00:00+01:00",
        "２026-11-21T09:00:00Z",
        "2026-11-21T09:00:00Z\n",
        "now",
        "1" * 10_000,
    ],
)
def test_other_time_formats_are_rejected_with_an_example(text):
    with pytest.raises(ValueError, match="Use a format like 2026-11-21T09:00:00Z") as caught:
        parse(text)
    assert len(str(caught.value)) < 300


def test_a_timestamp_ends_in_z_and_always_has_three_fractional_digits():
    at = datetime(2026, 11, 21, 10, tzinfo=timezone(timedelta(hours=1)))
    assert stamp(at) == "2026-11-21T09:00:00.000Z"
    assert stamp(at.replace(microsecond=120_999)) == "2026-11-21T09:00:00.120Z"
    assert stamp(at.replace(microsecond=999)) == "2026-11-21T09:00:00.000Z"


def test_a_naive_time_has_no_timestamp():
    with pytest.raises(ValueError, match="offset"):
        stamp(datetime(2026, 1, 1))


def test_utc_now_is_timezone_aware():
    assert utc_now().utcoffset() == timedelta(0)


def test_a_zone_is_found_by_its_name():
    assert zone("Europe/Berlin") is ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Berlin", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("Europe/Berlim", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("Asia/Calcuta", "Asia/Calcutta"),
    ],
)
def test_a_misspelled_time_zone_gets_suggestions(name, near):
    with pytest.raises(UnknownZone, match="did you mean") as caught:
        zone(name)
    assert near in caught.value.matches


@pytest.mark.parametrize("name", ["", "Europe", "../../etc/passwd", "/etc/localtime", "x" * 10_000, "a\0b"])
def test_an_invalid_time_zone_name_is_rejected(name):
    with pytest.raises(UnknownZone, match="is not a time zone"):
        zone(name)


@pytest.mark.parametrize(
    ("zone_name", "at", "said"),
    [
        ("UTC", "2026-11-24T09:00", "UTC"),
        ("Europe/Berlin", "2026-11-24T09:00", "UTC+1"),
        ("Europe/Berlin", "2026-07-24T09:00", "UTC+2"),
        ("Asia/Kathmandu", "2026-07-24T09:00", "UTC+5:45"),
        ("America/St_Johns", "2026-11-24T09:00", "UTC−3:30"),
        ("Europe/London", "2026-11-24T09:00", "UTC"),
    ],
)
def test_a_utc_offset_is_formatted_for_people(zone_name: str, at: str, said: str) -> None:
    assert utc_offset(datetime.fromisoformat(at).replace(tzinfo=UTC), zone_name) == said


def test_time_zones_to_choose_from_are_named_after_places() -> None:
    names = zone_names()
    assert {"UTC", "Europe/Berlin", "Asia/Kolkata"} <= set(names)
    assert not [name for name in names if name.startswith("Etc/") or name in ("EST", "posixrules", "localtime")]


def test_former_spellings_of_time_zones_are_not_offered_but_are_known() -> None:
    former = {"Asia/Calcutta", "America/Buenos_Aires", "Europe/Kiev", "US/Eastern"}
    assert not former & set(zone_names())
    assert {zone(name).key for name in former} == former
