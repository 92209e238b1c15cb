"""Statistics: views and reactions of posts, compared with the previous period."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from flask import Response, make_response, render_template, request
from markupsafe import Markup

from blogsvc import context
from blogsvc.analytics.page_views import flush_views
from blogsvc.analytics.report import MetricCounts, Report, Trend, report, trend
from blogsvc.analytics.scope import ReportScope
from blogsvc.errors import Busy
from blogsvc.models import Post
from blogsvc.models.post import ids_of_author
from blogsvc.web import current_person
from blogsvc.web.charts import Chart, change, chart
from blogsvc.web.rendering import is_fragment, private, show
from blogsvc.web.routes import route
from blogsvc.web.unchanged import unchanged

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


@route("GET", "/desk/insights", role="author")
def insights() -> Response:
    """Show statistics of all posts that the person may see."""
    if current_person.person().is_at_least("editor"):
        return _insights_page((), None)
    own = ids_of_author(current_person.person().id)
    # An empty tuple would mean all posts, so an author without posts gets an id that matches none.
    return _insights_page(own or ("none",), None)


@route("GET", "/desk/insights/<post_id>", role="author")
def insights_of_post(post_id: str) -> Response:
    post = current_person.post(post_id, trashed=True)
    return _insights_page((post.id,), post)


def _insights_page(post_ids: tuple[str, ...], post: Post | None) -> Response:
    chosen = request.args.get("days", "30")
    chosen = chosen if chosen in RANGES else "30"
    scope = _report_scope(*RANGES[chosen], post_ids)
    with suppress(Busy):  # without the views of the last second, if something else is writing
        flush_views(waits=False)
    is_of_post = post is not None
    statistics = unchanged("statistics", lambda: _statistics(scope, chosen, is_of_post), scope, is_of_post)
    if is_fragment():
        return private(make_response(statistics))
    return show("desk/insights.html", post=post, statistics=statistics)


def _statistics(scope: ReportScope, chosen: str, is_of_post: bool) -> Markup:
    """Return the figures, the chart and the tables of a period, compared with the one before."""
    found = report(scope, context.now())
    length = scope.end - scope.start
    before = trend(replace(scope, start=scope.start - length, end=scope.start))
    html = render_template(
        "desk/_insights.html",
        is_of_post=is_of_post,
        chosen=chosen,
        ranges=PERIODS,
        found=found,
        figures=_figures(found.totals, before.totals),
        chart=_chart(found, before),
        first=scope.start.astimezone(scope.zone).date(),
        rows=MAX_ROWS,
        names=METRIC_NAMES,
    )
    return Markup(html)  # noqa: S704  (a template)


def _report_scope(days: int, interval: str, post_ids: tuple[str, ...]) -> ReportScope:
    """Return the last `days` whole days in the person's time zone, including today."""
    zone = current_person.zone()
    last = context.now().astimezone(zone).date()
    start = datetime.combine(last - timedelta(days=days - 1), time(), zone).astimezone(UTC)
    end = datetime.combine(last + timedelta(days=1), time(), zone).astimezone(UTC)
    return ReportScope(start=start, end=end, zone=zone, interval=interval, post_ids=post_ids)


def _figures(now: MetricCounts, before: MetricCounts) -> list[tuple[str, int, str | None]]:
    """Return the name, count and change of each metric that has data."""
    counts = {name: count for name in METRIC_NAMES if (count := now[name]) is not None}
    return [(METRIC_NAMES[name], count, change(count, before[name])) for name, count in counts.items()]


def _chart(found: Report, before: Trend) -> Chart:
    points = [(_point_label(row.date, found.scope.interval), row.counts["views"] or 0) for row in found.series]
    earlier = [row.counts["views"] or 0 for row in before.series]
    return chart(points, earlier[-len(points) :])


def _point_label(day: date, interval: str) -> str:
    return f"{day:%b %Y}" if interval == "month" else f"{day.day} {day:%b}"
