"""Statistics: views and reactions of posts, compared with the previous period."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from functools import partial

from flask import Response, make_response, render_template, request, url_for
from markupsafe import Markup

from blogsvc import context
from blogsvc.analytics.report import IntervalReport, MetricCounts, Report, Trend, report, trend
from blogsvc.analytics.scope import ReportScope
from blogsvc.analytics.sources import sources
from blogsvc.models import Post
from blogsvc.models.post import ids_of_author
from blogsvc.web.analytics.charts import Chart, Point, chart
from blogsvc.web.analytics.comparison import change
from blogsvc.web.analytics.tables import (
    delivery_rows,
    most_common,
    post_table,
    source_name,
    views_here,
)
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.rendering import is_fragment, private, show
from blogsvc.web.framework.routes import route

# The periods: number of days, and the interval of the chart.
RANGES = {"7": (7, "day"), "30": (30, "day"), "90": (90, "week"), "365": (365, "month")}
PERIODS = {"7": "7 days", "30": "30 days", "90": "90 days", "365": "12 months"}
METRIC_NAMES = {
    "views": "Views",
    "visitors": "Visitors",
    "likes": "Likes",
    "comments": "Comments",
    "shares": "Shares",
    "clicks": "Clicks",
}
MAX_ROWS = 12


@route("GET", "/desk/analytics", role="author")
def analytics() -> Response:
    """Show statistics of all posts that the user may see."""
    return _analytics_page(visible_post_ids(), None)


@route("GET", "/desk/analytics/<post_id>", role="author")
def analytics_of_post(post_id: str) -> Response:
    post = current_user.post(post_id, trashed=True)
    return _analytics_page((post.id,), post)


def visible_post_ids() -> tuple[str, ...]:
    """Return the posts whose statistics the user may see; an empty tuple for all of them."""
    user = current_user.user()
    # An author without posts gets an id that matches none.
    return () if user.is_at_least("editor") else ids_of_author(user.id) or ("none",)


def chosen_period() -> str:
    """Return the period in the address, a key of RANGES."""
    chosen = request.args.get("days", "")
    return chosen if chosen in RANGES else "30"


def _analytics_page(post_ids: tuple[str, ...], post: Post | None) -> Response:
    chosen = chosen_period()
    scope = report_scope(chosen, post_ids)
    statistics = _statistics(scope, chosen, post.id if post else None)
    if is_fragment():
        return private(make_response(statistics))
    return show("desk/analytics.html", post=post, statistics=statistics)


def _statistics(scope: ReportScope, chosen: str, post_id: str | None) -> Markup:
    """Return the figures, the chart and the tables of a period, compared with the one before."""
    current = report(scope, context.now(), most_posts=0 if post_id else MAX_ROWS)
    length = scope.end - scope.start
    before = trend(replace(scope, start=scope.start - length, end=scope.start))
    csv_endpoint = "desk.analytics_of_post_csv" if post_id else "desk.analytics_csv"
    destinations = DestinationNames()
    html = render_template(
        "desk/_analytics.html",
        is_of_post=post_id is not None,
        csv_address=partial(url_for, csv_endpoint, post_id=post_id, days=chosen),
        chosen=chosen,
        ranges=PERIODS,
        report=current,
        figures=_figures(current.totals, before.totals),
        chart=_chart(current, before),
        first=scope.start.astimezone(scope.zone).date(),
        posts=post_table(current.by_post, current.referrers_by_post, destinations),
        sources=most_common(sources(current.referrers, views_here(current)), MAX_ROWS),
        source_name=partial(source_name, destinations=destinations),
        deliveries=delivery_rows(current, destinations),
        destinations=destinations,
        names=METRIC_NAMES,
        has_figures=any(count for row in current.by_platform for count in row.counts.values()),
    )
    return Markup(html)  # noqa: S704  (a template)


def report_scope(period: str, post_ids: tuple[str, ...]) -> ReportScope:
    """Return the last whole days of a period in the user's time zone, including today."""
    days, interval = RANGES[period]
    zone = current_user.zone()
    last = context.now().astimezone(zone).date()
    start = datetime.combine(last - timedelta(days=days - 1), time(), zone).astimezone(UTC)
    end = datetime.combine(last + timedelta(days=1), time(), zone).astimezone(UTC)
    return ReportScope(start=start, end=end, zone=zone, interval=interval, post_ids=post_ids)


def _figures(now: MetricCounts, before: MetricCounts) -> list[tuple[str, int, str | None]]:
    """Return the name, count and change of each metric that has data."""
    counts = {name: count for name in METRIC_NAMES if (count := now[name]) is not None}
    return [(METRIC_NAMES[name], count, change(count, before[name])) for name, count in counts.items()]


def _chart(found: Report, before: Trend) -> Chart:
    points = [_point(row, found.scope, is_last=row is found.series[-1]) for row in found.series]
    earlier = [row.counts["views"] or 0 for row in before.series]
    return chart(points, earlier[-len(points) :])


def _point(row: IntervalReport, scope: ReportScope, *, is_last: bool) -> Point:
    """Return the point of an interval. The first one may have begun before the period, the last one is not over."""
    day = max(row.date, scope.start.astimezone(scope.zone).date())
    date = f"{day.day} {day:%b}"
    name = f"{day:%b %Y}" if scope.interval == "month" else f"{date} {day:%Y}"
    name = f"Week from {name}" if scope.interval == "week" else name
    label = name if scope.interval == "month" else date
    return Point(label, f"{name}, so far" if is_last else name, row.counts["views"] or 0)
