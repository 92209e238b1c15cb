"""Analytics: views, reactions and delivery figures of posts."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from blogsvc import context
from blogsvc.analytics.delivery_figures import DeliveryFigures
from blogsvc.analytics.report import Report, report
from blogsvc.analytics.scope import METRICS, ReportScope
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas import Out, PlatformName, Query, refuse
from blogsvc.api.schemas.fields import FIVE_YEARS, Instant
from blogsvc.connections.aliases import without_aliases
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.time import UnknownZone, parse, stamp, zone
from blogsvc.models import Post

DEFAULT_SPAN = timedelta(days=30)
REFERRER_LIMIT = 50


def _known_zone(name: str) -> str:
    try:
        zone(name)
    except UnknownZone as error:
        raise refuse("unknown_zone", str(error)) from error
    return name


def _date_or_instant(value: Any) -> Any:
    try:
        is_date = re.fullmatch(r"\d{4}-\d\d-\d\d", value, re.ASCII)
        when = date.fromisoformat(value) if is_date else parse(value)
    except ValueError as error:
        raise refuse("not_a_time", "Must be a date (2026-11-24) or a time (2026-11-24T09:00:00Z).") from error
    # Keep away from datetime.min and datetime.max, so that adding offsets and spans cannot overflow.
    if not 1970 <= when.year < 3000:
        raise refuse("out_of_range", "Must be a date from 1970 to 2999.")
    return when


DATE_OR_INSTANT = {"anyOf": [{"type": "string", "format": name} for name in ("date", "date-time")]}
When = Annotated[datetime | date, BeforeValidator(_date_or_instant), WithJsonSchema(DATE_OR_INSTANT)]
Zone = Annotated[str, AfterValidator(_known_zone)]
Metric = Literal["views", "visitors", "likes", "comments", "shares", "clicks"]
is_list = {"is_list": True}


class SpanQuery(Query):
    """A time range, by default the last 30 days. Dates are whole days in the time zone."""

    from_: Annotated[When | None, Field(alias="from")] = None
    """The start: a date (`2026-11-24`) or a time (`2026-11-24T09:00:00Z`). Default: 30 days before the end."""
    to: When | None = None
    """The end: a date (inclusive) or a time (exclusive), at most five years after the start. Default: now."""
    interval: Literal["day", "week", "month"] = "day"
    """The interval of `series`."""
    timezone: Zone = "UTC"
    """The IANA name of the time zone of the days, for example `Europe/Berlin`."""
    platform: Annotated[list[PlatformName] | None, Field(json_schema_extra=is_list)] = None
    """Only these destinations, for example `site,mastodon`. Default: all."""
    metric: Annotated[list[Metric] | None, Field(json_schema_extra=is_list)] = None
    """Only these metrics; the others are null. Default: all."""
    group_by: Literal["post", "platform", "day"] | None = None
    """Return only this grouping; the others are empty. Default: all three."""

    def span(self, now: datetime) -> tuple[datetime, datetime]:
        """Return the start and the (exclusive) end. A date as `to` includes that day. Raises Invalid."""
        tz = ZoneInfo(self.timezone)
        end = now if self.to is None else _start_of(self.to, tz, whole_day=True)
        start = end - DEFAULT_SPAN if self.from_ is None else _start_of(self.from_, tz)
        if start >= end:
            raise Invalid(Fault("?from", "empty_span", "`from` must be before `to`. The default of `to` is now."))
        if end - start > FIVE_YEARS:
            raise Invalid(
                Fault(
                    "?from", "too_long", "The range must not be longer than five years. Split it into several requests."
                )
            )
        return start, end


def _start_of(value: datetime | date, tz: ZoneInfo, *, whole_day: bool = False) -> datetime:
    if isinstance(value, datetime):
        return value
    day = value + timedelta(days=1 if whole_day else 0)
    return datetime(day.year, day.month, day.day, tzinfo=tz).astimezone(UTC)


class AnalyticsQuery(SpanQuery):
    post_id: Annotated[list[str] | None, Field(json_schema_extra=is_list)] = None
    """Only the posts with these ids. Default: all."""


class RangeOut(Out):
    """The range of the report."""

    from_: Annotated[str, Field(alias="from")]
    """The start of the range (inclusive), as an RFC 3339 time in UTC."""
    to: str
    """The end of the range (exclusive), as an RFC 3339 time in UTC."""
    interval: str
    """The interval of `series`: `day`, `week` or `month`."""
    timezone: str
    """The IANA name of the time zone of the days, for example `Europe/Berlin`."""


class LatenessPercentilesOut(Out):
    """How long after their scheduled time deliveries arrived, in seconds."""

    p50: float
    """The median in seconds."""
    p95: float
    """The time in seconds within which 95 % of the deliveries arrived."""
    p99: float
    """The time in seconds within which 99 % of the deliveries arrived."""
    count: int
    """The number of deliveries that arrived. Percentiles of few deliveries say little."""
    max: float
    """The lateness of the last delivery in seconds."""


class DeliveryFiguresOut(Out):
    """Deliveries that were due in the range, by outcome."""

    delivered: int
    """The number of deliveries that succeeded."""
    failed: int
    """The number of failed deliveries."""
    uncertain: int
    """The number of deliveries whose outcome is not known."""
    pending: int
    """The number of deliveries that are queued, sending or retrying."""
    withdrawn: int
    """The number of withdrawn deliveries."""
    retried: int
    """The number of deliveries that needed more than one attempt."""
    success_rate: float | None
    """The share of delivered among delivered and failed ones, from 0 to 1. Null without such deliveries."""
    median_lateness: float | None
    """The median lateness in seconds. Null if no delivery arrived."""
    lateness_percentiles: LatenessPercentilesOut | None
    """The distribution of the lateness. Null if no delivery arrived."""


class FiguresOut(Out):
    """Figures by metric. A metric that the platform does not offer or that was not requested is null, never 0."""

    views: int | None = None
    """The number of page views."""
    visitors: int | None = None
    """The number of visitors. On this blog, people who come back on another day count again."""
    likes: int | None = None
    """The number of likes and similar reactions."""
    comments: int | None = None
    """The number of comments and replies."""
    shares: int | None = None
    """The number of shares, such as boosts and reposts."""
    clicks: int | None = None
    """The number of clicks on links."""


class TotalsOut(FiguresOut):
    """The figures of the whole report."""

    deliveries: DeliveryFiguresOut
    """The deliveries of the range."""


class DayOut(FiguresOut):
    """The figures of a day, or of the week or month that starts on it."""

    date: str
    """The first day of the interval in the time zone of the report, for example `2026-11-24`."""


class PlatformFiguresOut(FiguresOut):
    """The figures of one destination."""

    platform: str
    """The name of the destination."""
    deliveries: DeliveryFiguresOut
    """The deliveries to this destination."""


class PostFiguresOut(FiguresOut):
    """The figures of one post."""

    post_id: str
    """The id of the post."""
    title: str
    """The title of the post."""


class ReferrerOut(Out):
    """A website that readers came from."""

    host: str
    """The host name of the website, for example `news.example`."""
    views: int
    """The number of page views from there."""
    destinations: list[str]
    """The names of the destinations with an account on this website. Often empty."""


class AnalyticsOut(Out):
    """An analytics report. Groupings that `groupBy` excludes are empty."""

    range: RangeOut
    """The range of the report."""
    totals: TotalsOut
    """The figures of the whole range."""
    series: list[DayOut]
    """The figures by day, week or month, oldest first."""
    by_platform: list[PlatformFiguresOut]
    """The figures by destination."""
    by_post: list[PostFiguresOut]
    """The figures by post, the most viewed first."""
    referrers: list[ReferrerOut]
    """The 50 websites with the most views."""
    collected_at: Instant
    """When the figures were last collected."""


@operation(
    "GET",
    "/analytics",
    "Get analytics",
    scope="analytics:read",
    query=AnalyticsQuery,
    answers={200: AnalyticsOut},
    is_remembered=True,
)
def get_analytics(query: AnalyticsQuery) -> Reply:
    """A metric that a platform does not offer is null, never 0. Views of the blog are counted without cookies."""
    return _report_reply(query, tuple(query.post_id or ()))


@operation(
    "GET",
    "/posts/<post_id>/analytics",
    "Get the analytics of a post",
    scope="analytics:read",
    query=SpanQuery,
    answers={200: AnalyticsOut},
    refuses=(404,),
    is_remembered=True,
)
def get_post_analytics(post_id: str, query: SpanQuery) -> Reply:
    """Returns the same report as `GET /analytics`, for one post."""
    return _report_reply(query, (Post.get(post_id).id,))


def _report_reply(query: SpanQuery, post_ids: tuple[str, ...]) -> Reply:
    now = context.now()
    start, end = query.span(now)
    scope = ReportScope(
        start=start,
        end=end,
        zone=ZoneInfo(query.timezone),
        interval=query.interval,
        post_ids=post_ids,
        platforms=tuple(without_aliases(query.platform or ())),
        metrics=tuple(query.metric or METRICS),
        group_by=query.group_by,
    )
    return Reply(_document(report(scope, now)), has_etag=False)


def _document(figures: Report) -> AnalyticsOut:
    scope = figures.scope
    return AnalyticsOut(
        range=RangeOut(from_=stamp(scope.start), to=stamp(scope.end), interval=scope.interval, timezone=scope.zone.key),
        totals=TotalsOut(**figures.totals, deliveries=_deliveries(figures.deliveries)),
        series=[DayOut(date=row.date.isoformat(), **row.counts) for row in figures.series],
        by_platform=[
            PlatformFiguresOut(platform=row.platform, **row.counts, deliveries=_deliveries(row.deliveries))
            for row in figures.by_platform
        ],
        by_post=[PostFiguresOut(post_id=row.post_id, title=row.title, **row.counts) for row in figures.by_post],
        referrers=[
            ReferrerOut(host=row.host, views=row.views, destinations=list(row.destinations))
            for row in figures.referrers[:REFERRER_LIMIT]
        ],
        collected_at=stamp(figures.collected_at),
    )


def _deliveries(figures: DeliveryFigures) -> DeliveryFiguresOut:
    late = figures.lateness
    return DeliveryFiguresOut(
        delivered=figures.delivered,
        failed=figures.failed,
        uncertain=figures.uncertain,
        pending=figures.pending,
        withdrawn=figures.withdrawn,
        retried=figures.retried,
        success_rate=figures.success_rate,
        median_lateness=late and late.p50,
        lateness_percentiles=late and LatenessPercentilesOut(**asdict(late)),
    )
