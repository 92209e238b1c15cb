"""Analytics as CSV files: all rows of the tables and the chart, for the chosen period."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from tempfile import TemporaryFile
from typing import BinaryIO

from flask import Response
from werkzeug.exceptions import NotFound

from blogsvc import context
from blogsvc.analytics.report import Report, referrers_by_post, report
from blogsvc.analytics.scope import METRICS, ReportScope
from blogsvc.analytics.sources import sources
from blogsvc.errors import Busy
from blogsvc.http.downloads import attachment
from blogsvc.lib.files.csv_file import Cell, write_csv
from blogsvc.models import Post
from blogsvc.web.analytics.pages import METRIC_NAMES, chosen_period, report_scope, visible_post_ids
from blogsvc.web.analytics.tables import source_name, views_here
from blogsvc.web.framework import current_user
from blogsvc.web.framework.destination_names import DestinationNames
from blogsvc.web.framework.routes import route

POSTS_AT_ONCE = 200
Rows = Iterator[Sequence[Cell]]


@dataclass(frozen=True)
class Table:
    """A table as a CSV file. `group_by` is the grouping of the report that it needs."""

    header: tuple[str, ...]
    rows: Callable[[Report], Rows]
    group_by: str | None


def _days(found: Report) -> Rows:
    return ([row.date.isoformat(), *row.counts.values()] for row in found.series)


def _posts(found: Report) -> Rows:
    return ([row.post_id, row.title, *row.counts.values()] for row in found.by_post)


def _sources(found: Report) -> Rows:
    destinations = DestinationNames()
    return (
        [source_name(row, destinations), row.kind, row.views] for row in sources(found.referrers, views_here(found))
    )


def _sources_of_posts(found: Report) -> Rows:
    destinations = DestinationNames()
    for start in range(0, len(found.by_post), POSTS_AT_ONCE):
        posts = found.by_post[start : start + POSTS_AT_ONCE]
        referrers = referrers_by_post(found.scope, posts)
        for post in posts:
            for row in sources(referrers.get(post.post_id, ()), post.views_here):
                yield [post.post_id, post.title, source_name(row, destinations), row.kind, row.views]


def _destinations(found: Report) -> Rows:
    destinations = DestinationNames()
    return ([destinations.label(row.platform), *row.counts.values()] for row in found.by_platform)


def _deliveries(found: Report) -> Rows:
    destinations = DestinationNames()
    for row in found.by_platform:
        figures, late = row.deliveries, row.deliveries.lateness
        if figures.due or figures.withdrawn:
            counts = [figures.delivered, figures.failed, figures.uncertain, figures.pending, figures.withdrawn]
            seconds = [late.p50, late.p95, late.p99, late.max, late.count] if late else [None, None, None, None, 0]
            yield [
                destinations.label(row.platform),
                figures.due,
                *counts,
                figures.retried,
                figures.success_rate,
                *seconds,
            ]


_METRICS = tuple(METRIC_NAMES[name] for name in METRICS)
_SECONDS = tuple(f"{name} (seconds)" for name in ("Median lateness", "95 % within", "99 % within", "Slowest"))
_STATES = ("Delivered", "Failed now", "Uncertain", "In progress", "Withdrawn", "Retried")
TABLES = {
    "days": Table(("Date", *_METRICS), _days, "day"),
    "posts": Table(("Post ID", "Title", *_METRICS), _posts, "post"),
    "sources": Table(("Source", "Kind", "Views"), _sources, "platform"),
    "post-sources": Table(("Post ID", "Title", "Source", "Kind", "Views"), _sources_of_posts, "post"),
    "destinations": Table(("Destination", *_METRICS), _destinations, "platform"),
    "deliveries": Table(
        ("Destination", "Deliveries", *_STATES, "Success rate (0 to 1)", *_SECONDS, "Deliveries with a lateness"),
        _deliveries,
        "platform",
    ),
}


@route("GET", "/desk/analytics/csv/<table>", role="author")
def analytics_csv(table: str) -> Response:
    return _file(table, visible_post_ids(), None)


@route("GET", "/desk/analytics/<post_id>/csv/<table>", role="author")
def analytics_of_post_csv(post_id: str, table: str) -> Response:
    post = current_user.post(post_id, trashed=True)
    return _file(table, (post.id,), post)


def _file(name: str, post_ids: tuple[str, ...], post: Post | None) -> Response:
    if name not in TABLES:
        raise NotFound()
    table = TABLES[name]
    scope = replace(report_scope(chosen_period(), post_ids), interval="day", group_by=table.group_by)
    found = report(scope, context.now())
    return attachment(_written(table, found), "text/csv", _file_name(name, scope, post))


def _written(table: Table, figures: Report) -> BinaryIO:
    """Return the table as an unnamed temporary file, deleted when closed. Raises Busy if the disk is full."""
    try:
        with ExitStack() as until_done:
            file = until_done.enter_context(TemporaryFile(dir=context.tools().config.instance))
            write_csv(file, table.header, table.rows(figures))
            file.seek(0)
            until_done.pop_all()  # the response closes the file
            return file
    except OSError as error:
        raise Busy(f"The file cannot be written: {error.strerror}.") from error


def _file_name(table: str, scope: ReportScope, post: Post | None) -> str:
    """Return a name such as analytics-posts-2026-10-26-to-2026-11-24.csv."""
    first, last = scope.start.astimezone(scope.zone).date(), scope.last_day
    of_post = f"{post.slug}-" if post else ""
    return f"analytics-{of_post}{table}-{first}-to-{last}.csv"
