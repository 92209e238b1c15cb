"""Scheduling: by instant, or by local time with a time zone."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.faults import faults
from tests.api_client import Api

# In Berlin, clocks go from 02:00 to 03:00 on 28 March 2027, and from 03:00 back to 02:00 on 31 October 2027.
SKIPPED, TWICE = "2027-03-28T02:30", "2027-10-31T02:30"


def create_scheduled(api: Api, **time: Any) -> Any:
    return api.post("/posts", title="A post", content="Words", **time)


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2026-11-24T10:00:00.000Z", "2026-11-24T10:00:00.000Z"),
        ("2026-11-24T10:00:00+01:00", "2026-11-24T09:00:00.000Z"),
        ("2026-11-24t10:00:00.25z", "2026-11-24T10:00:00.250Z"),
        ("2026-11-24T10:00Z", "2026-11-24T10:00:00.000Z"),
        ("2026-11-24T10:00:00+0000", "2026-11-24T10:00:00.000Z"),
        ("2026-11-24T11:00+01", "2026-11-24T10:00:00.000Z"),
        ("20261124T100000Z", "2026-11-24T10:00:00.000Z"),
        ("20261124T1130+0130", "2026-11-24T10:00:00.000Z"),
        ("2026-11-24T10:00:00,5Z", "2026-11-24T10:00:00.500Z"),
        ("2026-11-24T08:59:30.000Z", "2026-11-24T08:59:30.000Z"),  # up to a minute in the past: clocks differ
        ("2031-11-24T09:00:00.000Z", "2031-11-24T09:00:00.000Z"),
    ],
)
def test_scheduled_at_schedules_a_post_and_is_returned_in_utc(api: Api, sent: str, answered: str) -> None:
    post = create_scheduled(api, scheduledAt=sent).json
    assert (post["status"], post["scheduledAt"]) == ("scheduled", answered)


@pytest.mark.parametrize(
    ("when", "code"),
    [
        ("2026-11-24T08:58:59Z", "in_past"),
        ("1970-01-01T00:00:00Z", "in_past"),
        ("2032-01-01T00:00:00Z", "too_far_ahead"),
        ("9999-12-31T23:59:59-14:00", "not_a_time"),
        ("2026-12-01T09:00:00", "not_a_time"),
        ("2026-12-01", "not_a_time"),
        ("2026-12-01T09:00", "not_a_time"),
        ("20261201T0900", "not_a_time"),
        ("2026-1201T09:00Z", "not_a_time"),
        ("2026-12-01T09:0Z", "not_a_time"),
        ("2026-12-01T09:00+25:00", "not_a_time"),
        ("2026-13-01T09:00:00Z", "not_a_time"),
        ("2026-02-30T09:00:00Z", "not_a_time"),
        ("tomorrow", "not_a_time"),
        ("", "not_a_time"),
        (1795510800, "wrong_type"),
        (["2026-12-01T09:00:00Z"], "wrong_type"),
    ],
)
def test_an_invalid_scheduled_at_is_rejected(api: Api, when: Any, code: str) -> None:
    assert faults(create_scheduled(api, scheduledAt=when)) == {"#/scheduledAt": code}


def test_a_local_time_is_converted_with_its_time_zone(api: Api) -> None:
    post = create_scheduled(api, schedule={"localTime": "2027-07-01T09:00", "timeZone": "Europe/Berlin"}).json
    assert (post["status"], post["scheduledAt"]) == ("scheduled", "2027-07-01T07:00:00.000Z")


@pytest.mark.parametrize(
    ("local", "fold", "instant"),
    [
        (SKIPPED, 0, "2027-03-28T01:30:00.000Z"),
        (SKIPPED, 1, "2027-03-28T00:30:00.000Z"),
        (TWICE, 0, "2027-10-31T00:30:00.000Z"),
        (TWICE, 1, "2027-10-31T01:30:00.000Z"),
        (TWICE, 1.0, "2027-10-31T01:30:00.000Z"),  # JSON has only one kind of number
    ],
)
def test_fold_selects_one_of_two_ambiguous_local_times(api: Api, local: str, fold: float, instant: str) -> None:
    post = create_scheduled(api, schedule={"localTime": local, "timeZone": "Europe/Berlin", "fold": fold}).json
    assert post["scheduledAt"] == instant


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ({}, {"#/schedule/localTime": "required", "#/schedule/timeZone": "required"}),
        ({"localTime": SKIPPED, "timeZone": "Europe/Berlin"}, {"#/schedule": "skipped_time"}),
        ({"localTime": TWICE, "timeZone": "Europe/Berlin"}, {"#/schedule": "repeated_time"}),
        ({"localTime": TWICE, "timeZone": "Europe/Berlin", "fold": 2}, {"#/schedule/fold": "out_of_range"}),
        ({"localTime": TWICE, "timeZone": "Europe/Berlin", "fold": True}, {"#/schedule/fold": "wrong_type"}),
        ({"localTime": TWICE, "timeZone": "Europe/Berlin", "fold": 0.5}, {"#/schedule/fold": "wrong_type"}),
        ({"localTime": "2027-07-01T09:00", "timeZone": "Berlin/Europe"}, {"#/schedule": "unknown_zone"}),
        ({"localTime": "2027-07-01T09:00", "timeZone": "Europe"}, {"#/schedule": "unknown_zone"}),
        ({"localTime": "2027-07-01T09:00", "timeZone": "../etc/passwd"}, {"#/schedule": "unknown_zone"}),
        ({"localTime": "2027-07-01T09:00Z", "timeZone": "UTC"}, {"#/schedule/localTime": "not_a_time"}),
        ({"localTime": "2027-02-29T09:00", "timeZone": "UTC"}, {"#/schedule/localTime": "not_a_time"}),
        ({"localTime": "٢٠٢٧-07-01T09:00", "timeZone": "UTC"}, {"#/schedule/localTime": "not_a_time"}),
        ({"localTime": "0001-01-01T00:00", "timeZone": "Europe/Berlin"}, {"#/schedule": "not_a_time"}),
        ({"localTime": "9999-12-31T23:59", "timeZone": "America/New_York"}, {"#/schedule": "not_a_time"}),
        ({"localTime": "2020-07-01T09:00", "timeZone": "UTC"}, {"#/schedule": "in_past"}),
        ({"localTime": "2040-07-01T09:00", "timeZone": "UTC"}, {"#/schedule": "too_far_ahead"}),
        ({"localTime": "2027-07-01T09:00", "timeZone": "UTC", "zone": 1}, {"#/schedule/zone": "unknown"}),
        ("2027-07-01T09:00", {"#/schedule": "wrong_type"}),
    ],
)
def test_an_ambiguous_or_nonexistent_local_time_is_rejected(api: Api, schedule: Any, expected: dict[str, str]) -> None:
    assert faults(create_scheduled(api, schedule=schedule)) == expected


def test_a_misspelled_time_zone_gets_a_suggestion(api: Api) -> None:
    answer = create_scheduled(api, schedule={"localTime": "2027-07-01T09:00", "timeZone": "Europe/Berln"})
    assert "Europe/Berlin" in answer.json["detail"]


def test_scheduled_at_and_schedule_together_are_rejected(api: Api) -> None:
    schedule = {"localTime": "2027-07-01T09:00", "timeZone": "UTC"}
    assert faults(create_scheduled(api, scheduledAt="2026-12-01T00:00:00Z", schedule=schedule)) == {"#": "ambiguous"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [({"content": " \n"}, "#/content"), ({"content": "x", "platforms": []}, "#/platforms")],
)
def test_a_scheduled_post_needs_content_and_a_destination(api: Api, body: dict[str, Any], expected: str) -> None:
    answer = api.post("/posts", json={"title": "x", "scheduledAt": "2026-12-01T00:00:00Z"} | body)
    assert faults(answer) == {expected: "required"}
    assert api.get("/posts").json["data"] == [], "all or nothing"


def test_an_unscheduled_draft_has_no_unpublished_changes(api: Api) -> None:
    post = create_scheduled(api, scheduledAt="2026-11-24T10:00:00.000Z").json
    api.put(f"/posts/{post['id']}", json={"scheduledAt": None})

    assert api.put(f"/posts/{post['id']}", content="Other words.").json["hasUnpublishedChanges"] is False
