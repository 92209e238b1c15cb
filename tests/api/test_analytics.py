"""GET /analytics: page views and delivery figures; null where a platform reports none."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from blogsvc.analytics import page_views
from blogsvc.models import Post
from tests.api.faults import faults
from tests.api_client import Api
from tests.clock import NOW, Time

Posts = Callable[..., Post]
Tick = Callable[[], None]


def add_view(post: Post | None, *, days_ago: float = 0, by: str = "somebody", referrer: str | None = None) -> None:
    moment = NOW - timedelta(days=days_ago, seconds=1)
    page_views.record_view(post and post.id, "203.0.113.7", by, referrer, True, moment)


def test_analytics_without_posts_returns_empty_series_and_totals(api: Api) -> None:
    answer = api.get("/analytics").json
    assert answer["range"] == {
        "from": "2026-10-25T09:00:00.000Z",
        "to": "2026-11-24T09:00:00.000Z",
        "interval": "day",
        "timezone": "UTC",
    }
    assert len(answer["series"]) == 31
    assert answer["totals"]["views"] == 0
    assert answer["totals"]["likes"] is None, "not offered here: null, never 0"
    assert answer["totals"]["deliveries"]["successRate"] is None
    assert answer["byPost"] == answer["referrers"] == []
    assert answer["collectedAt"] == "2026-11-24T09:00:00.000Z"


def test_views_are_summed_by_day_post_and_referrer(api: Api, a_post: Posts) -> None:
    one, two = a_post(title="One", live=True), a_post(title="Two", live=True)
    add_view(two, days_ago=3)
    for _ in range(2):
        add_view(one, referrer="news.example")
    add_view(one, by="somebody else")
    add_view(None)
    answer = api.get("/analytics").json
    assert (answer["totals"]["views"], answer["totals"]["visitors"]) == (5, 3)
    days = {row["date"]: (row["views"], row["visitors"]) for row in answer["series"] if row["views"]}
    assert days == {"2026-11-24": (4, 2), "2026-11-21": (1, 1)}
    assert [(row["title"], row["views"]) for row in answer["byPost"]] == [("One", 3), ("Two", 1)]
    assert answer["referrers"] == [{"host": "news.example", "views": 2, "destinations": []}]


def test_deliveries_are_counted_by_platform(
    api: Api, a_post: Posts, connect: Callable[..., str], tick: Tick, time: Time
) -> None:
    a_post(live=True, platforms=["site", connect()])
    time.passes(seconds=4)
    tick()
    time.passes(seconds=1)
    answer = api.get("/analytics").json
    assert answer["totals"]["deliveries"] == {
        "delivered": 2,
        "failed": 0,
        "uncertain": 0,
        "pending": 0,
        "withdrawn": 0,
        "retried": 0,
        "successRate": 1.0,
        "medianLateness": 2.0,
        "latenessPercentiles": {"p50": 2.0, "p95": 3.8, "p99": 3.96, "count": 2, "max": 4.0},
    }
    hook, site = answer["byPlatform"]
    assert (hook["platform"], hook["views"], hook["deliveries"]["medianLateness"]) == ("hook", None, 4.0)
    assert (site["platform"], site["views"], site["deliveries"]["delivered"]) == ("site", 0, 1)


def test_analytics_can_be_filtered_by_post_and_platform(api: Api, a_post: Posts, connect: Callable[..., str]) -> None:
    one, two = a_post(title="One", live=True), a_post(title="Two", live=True)
    add_view(one)
    add_view(two)
    assert api.get(f"/analytics?postId={one.id}").json["totals"]["views"] == 1
    assert api.get(f"/analytics?postId={one.id}&postId={two.id}").json["totals"]["views"] == 2
    assert api.get(f"/posts/{two.id}/analytics").json["byPost"][0]["title"] == "Two"
    assert api.get("/analytics?platform=hook").json["totals"]["views"] is None
    assert api.get("/analytics?platform=site,hook").json["totals"]["views"] == 2


def test_analytics_returns_only_the_requested_metrics(api: Api, a_post: Posts) -> None:
    add_view(a_post(live=True))
    totals = api.get("/analytics?metric=views&metric=likes").json["totals"]
    assert (totals["views"], totals["visitors"], totals["likes"]) == (1, None, None)


@pytest.mark.parametrize(("group", "filled"), [("day", "series"), ("platform", "byPlatform"), ("post", "byPost")])
def test_group_by_fills_only_the_requested_breakdown(api: Api, a_post: Posts, group: str, filled: str) -> None:
    add_view(a_post(live=True))
    answer = api.get(f"/analytics?groupBy={group}").json
    assert {name for name in ("series", "byPlatform", "byPost") if answer[name]} == {filled}


def test_analytics_days_follow_the_requested_time_zone(api: Api, a_post: Posts) -> None:
    page_views.record_view(a_post(live=True).id, "a", "b", None, True, NOW - timedelta(hours=10))  # 23:00 UTC
    span = "from=2026-11-23&to=2026-11-24"

    def busy_day(zone: str) -> str:
        (day,) = [row["date"] for row in api.get(f"/analytics?{span}&timezone={zone}").json["series"] if row["views"]]
        return str(day)

    assert busy_day("UTC") == "2026-11-23"
    assert busy_day("Europe/Berlin") == "2026-11-24"


@pytest.mark.parametrize(
    ("query", "days"),
    [
        ("from=2026-11-23&to=2026-11-24", ["2026-11-23", "2026-11-24"]),
        ("from=2026-11-23T00:00:00Z&to=2026-11-24T00:00:00Z", ["2026-11-23"]),
        ("from=2026-11-12&to=2026-11-24&interval=week", ["2026-11-09", "2026-11-16", "2026-11-23"]),
        ("from=2026-10-31&to=2027-01-01&interval=month", ["2026-10-01", "2026-11-01", "2026-12-01", "2027-01-01"]),
        ("from=2027-03-27&to=2027-03-29&timezone=Europe/Berlin", ["2027-03-27", "2027-03-28", "2027-03-29"]),
    ],
)
def test_the_series_contains_every_interval_of_the_range_even_empty_ones(api: Api, query: str, days: list[str]) -> None:
    assert [row["date"] for row in api.get(f"/analytics?{query}").json["series"]] == days


def test_a_range_of_five_years_is_allowed(api: Api) -> None:
    assert api.get("/analytics?from=2021-12-01&to=2026-11-24&interval=month").status_code == 200


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("from=yesterday", {"?from": "not_a_time"}),
        ("to=2026-02-30", {"?to": "not_a_time"}),
        ("to=9999-12-31", {"?to": "out_of_range"}),
        ("from=0001-01-01T00:00:00Z", {"?from": "out_of_range"}),
        ("to=0001-01-01", {"?to": "out_of_range"}),
        ("from=2026-11-24&to=2026-11-20", {"?from": "empty_span"}),
        ("from=2030-01-01", {"?from": "empty_span"}),
        ("from=2020-01-01", {"?from": "too_long"}),
        ("interval=hour", {"?interval": "not_one_of"}),
        ("timezone=Mars/Phobos", {"?timezone": "unknown_zone"}),
        ("metric=money", {"?metric": "not_one_of"}),
        ("groupBy=mood", {"?groupBy": "not_one_of"}),
        ("platform=No!", {"?platform": "invalid"}),
        ("days=30", {"?days": "unknown"}),
    ],
)
def test_invalid_analytics_parameters_are_rejected(api: Api, query: str, expected: dict[str, str]) -> None:
    assert faults(api.get(f"/analytics?{query}")) == expected


def test_analytics_of_an_unknown_post_returns_404(api: Api) -> None:
    assert api.get("/posts/post_nothing/analytics").status_code == 404
