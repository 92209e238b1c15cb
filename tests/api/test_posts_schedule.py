"""The time of a post: as an instant, or as a clock on a wall shows it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.faults import faults
from tests.api_client import Api

# In Berlin clocks go from 02:00 to 03:00 on 28 March 2027, and from 03:00 back to 02:00 on 31 October 2027.
SKIPPED, TWICE = "2027-03-28T02:30", "2027-10-31T02:30"


def wish(api: Api, **time: Any) -> Any:
    return api.post("/posts", title="A post", content="Words", **time)


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2026-11-24T10:00:00Z", "2026-11-24T10:00:00Z"),
        ("2026-11-24T10:00:00+01:00", "2026-11-24T09:00:00Z"),
        ("2026-11-24t10:00:00.25z", "2026-11-24T10:00:00.250Z"),
        ("2026-11-24T08:59:30Z", "2026-11-24T08:59:30Z"),  # up to a minute late: clocks differ
        ("2031-11-24T09:00:00Z", "2031-11-24T09:00:00Z"),
    ],
)
def test_a_time_schedules_a_post_and_is_answered_in_utc(api: Api, sent: str, answered: str) -> None:
    post = wish(api, scheduledAt=sent).json
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
        ("2026-13-01T09:00:00Z", "not_a_time"),
        ("2026-02-30T09:00:00Z", "not_a_time"),
        ("tomorrow", "not_a_time"),
        ("", "not_a_time"),
        (1795510800, "wrong_type"),
        (["2026-12-01T09:00:00Z"], "wrong_type"),
    ],
)
def test_a_time_that_will_not_do_is_refused(api: Api, when: Any, code: str) -> None:
    assert faults(wish(api, scheduledAt=when)) == {"#/scheduledAt": code}


def test_a_wall_time_is_the_instant_at_which_clocks_there_show_it(api: Api) -> None:
    post = wish(api, schedule={"localTime": "2027-07-01T09:00", "timeZone": "Europe/Berlin"}).json
    assert (post["status"], post["scheduledAt"]) == ("scheduled", "2027-07-01T07:00:00Z")


@pytest.mark.parametrize(
    ("local", "fold", "instant"),
    [
        (SKIPPED, 0, "2027-03-28T01:30:00Z"),
        (SKIPPED, 1, "2027-03-28T00:30:00Z"),
        (TWICE, 0, "2027-10-31T00:30:00Z"),
        (TWICE, 1, "2027-10-31T01:30:00Z"),
        (TWICE, 1.0, "2027-10-31T01:30:00Z"),  # JSON has one kind of number
    ],
)
def test_fold_says_which_of_two_readings_is_meant(api: Api, local: str, fold: float, instant: str) -> None:
    post = wish(api, schedule={"localTime": local, "timeZone": "Europe/Berlin", "fold": fold}).json
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
def test_a_wall_time_that_is_not_one_instant_is_refused(api: Api, schedule: Any, expected: dict[str, str]) -> None:
    assert faults(wish(api, schedule=schedule)) == expected


def test_a_misspelt_zone_is_answered_with_its_like(api: Api) -> None:
    answer = wish(api, schedule={"localTime": "2027-07-01T09:00", "timeZone": "Europe/Berln"})
    assert "Europe/Berlin" in answer.json["detail"]


def test_one_time_is_enough(api: Api) -> None:
    schedule = {"localTime": "2027-07-01T09:00", "timeZone": "UTC"}
    assert faults(wish(api, scheduledAt="2026-12-01T00:00:00Z", schedule=schedule)) == {"#": "ambiguous"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [({"content": " \n"}, "#/content"), ({"content": "x", "platforms": []}, "#/platforms")],
)
def test_what_is_scheduled_needs_words_and_a_place(api: Api, body: dict[str, Any], expected: str) -> None:
    answer = api.post("/posts", json={"title": "x", "scheduledAt": "2026-12-01T00:00:00Z"} | body)
    assert faults(answer) == {expected: "required"}
    assert api.get("/posts").json["data"] == [], "all or nothing"


def test_a_draft_that_once_had_a_time_has_nothing_unpublished_to_speak_of(api: Api) -> None:
    post = wish(api, scheduledAt="2026-11-24T10:00:00Z").json
    api.put(f"/posts/{post['id']}", json={"scheduledAt": None})

    assert api.put(f"/posts/{post['id']}", content="Other words.").json["hasUnpublishedChanges"] is False
