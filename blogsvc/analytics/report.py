"""Analytics: statistics of posts on this blog and on platforms.

Views on this blog are counted from their roll-ups (`view_figures.py`). Platforms report totals per copy, which
`delivery/reconcile.py` stores as snapshots; the growth between two snapshots counts at the time of the later one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import TypeVar

from sqlalchemy import select

from blogsvc.analytics.delivery_figures import DeliveryFigures, delivery_figures
from blogsvc.analytics.page_views import flush_for_report
from blogsvc.analytics.scope import ReportScope
from blogsvc.analytics.sources import DestinationHosts, Referrer, destination_hosts, referrers_of
from blogsvc.analytics.view_figures import ViewCount, ViewFigures
from blogsvc.models import SITE, Post, db
from blogsvc.models.copy_stats import StatGrowth, growth_of_copies

K = TypeVar("K", bound=Hashable)
POSTS_PER_QUERY = 10_000
# Counts by metric. None is a metric that was not requested or that no destination reports, never 0.
MetricCounts = dict[str, int | None]


@dataclass(frozen=True)
class IntervalReport:
    """The figures of a day, or of the week or month that starts on it."""

    date: date
    counts: MetricCounts


@dataclass(frozen=True)
class PlatformReport:
    """The figures of one destination."""

    platform: str
    counts: MetricCounts
    deliveries: DeliveryFigures


@dataclass(frozen=True)
class PostReport:
    """The figures of one post. `views_here` are those on this blog, without the views of its copies."""

    post_id: str
    title: str
    counts: MetricCounts
    views_here: int


@dataclass(frozen=True)
class Report:
    """A report. Groupings that the scope excludes are empty."""

    scope: ReportScope
    collected_at: datetime
    totals: MetricCounts
    deliveries: DeliveryFigures
    series: list[IntervalReport]
    by_platform: list[PlatformReport]
    by_post: list[PostReport]
    referrers: list[Referrer]
    # Only if the posts are limited.
    referrers_by_post: Mapping[str, list[Referrer]]


@dataclass(slots=True)
class Totals:
    """Counts by metric. A metric without data is missing."""

    counts: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def add_views(self, count: ViewCount) -> None:
        self.counts["views"] += count.views
        if count.visitors:
            self.counts["visitors"] += count.visitors

    def add_growth(self, growth: StatGrowth) -> None:
        for name, count in growth.counts.items():
            if count is not None:
                self.counts[name] += count

    def figures(self, metrics: Iterable[str], measured: Iterable[str] = ()) -> MetricCounts:
        """Return the counts, 0 for a metric that was measured. Negative growth, such as removed likes, counts as 0."""
        unknown = dict.fromkeys(measured, 0)
        return {name: max(0, self.counts[name]) if name in self.counts else unknown.get(name) for name in metrics}


@dataclass(frozen=True)
class Trend:
    """The totals of a period and its intervals."""

    totals: MetricCounts
    series: list[IntervalReport]


def report(scope: ReportScope, now: datetime, most_posts: int | None = None) -> Report:
    """Report the figures of posts, on this blog and on platforms.

    `most_posts` limits the grouping by post to the most viewed posts, and adds their referrers.
    """
    flush_for_report()
    views = ViewFigures(scope)
    by_time, growths = _figures_of(scope, views)
    deliveries, by_destination = delivery_figures(scope)
    period = _trend(scope, by_time, growths)
    by_post = _by_post(scope, views, growths, most_posts) if scope.groups_by("post") else []
    hosts = destination_hosts() if scope.includes_site else {}
    return Report(
        scope=scope,
        collected_at=now,
        totals=period.totals,
        deliveries=deliveries,
        series=period.series if scope.groups_by("day") else [],
        by_platform=_by_platform(scope, by_time, growths, by_destination) if scope.groups_by("platform") else [],
        by_post=by_post,
        referrers=referrers_of(views.hosts(), hosts) if scope.includes_site else [],
        referrers_by_post=_referrers_by_post(by_post if most_posts else (), views, hosts),
    )


def referrers_by_post(scope: ReportScope, posts: Sequence[PostReport]) -> Mapping[str, list[Referrer]]:
    """Return the referrers of each of these posts that has any."""
    return _referrers_by_post(posts, ViewFigures(scope), destination_hosts())


def _referrers_by_post(
    posts: Sequence[PostReport], views: ViewFigures, hosts: DestinationHosts
) -> Mapping[str, list[Referrer]]:
    if not posts:
        return {}
    of_posts = replace(views, scope=replace(views.scope, post_ids=tuple(post.post_id for post in posts)))
    return {post_id: referrers_of(counts, hosts) for post_id, counts in of_posts.hosts_by_post().items()}


def trend(scope: ReportScope) -> Trend:
    """Report only the totals and intervals, such as those of an earlier period to compare with."""
    return _trend(scope, *_figures_of(scope, ViewFigures(scope)))


def _figures_of(scope: ReportScope, views: ViewFigures) -> tuple[dict[datetime, ViewCount], list[StatGrowth]]:
    by_time = views.by_time() if scope.includes_site else {}
    return by_time, growth_of_copies(scope.start, scope.end, scope.post_ids, scope.platforms)


def _trend(scope: ReportScope, by_time: Mapping[datetime, ViewCount], growths: list[StatGrowth]) -> Trend:
    # What is known of every interval, even if its count is 0: views of this blog, and what platforms report.
    measured = {name for growth in growths for name, count in growth.counts.items() if count is not None}
    measured |= {"views", "visitors"} if scope.includes_site else set()
    own = {None: _sum_of(by_time)} if scope.includes_site else {}
    total = _tallied(own, growths, lambda _: None).get(None, Totals())
    return Trend(total.figures(scope.metrics, measured), _series(scope, by_time, growths, measured))


def _sum_of(by_time: Mapping[datetime, ViewCount]) -> ViewCount:
    counts = by_time.values()
    return ViewCount(sum(count.views for count in counts), sum(count.visitors for count in counts))


def _tallied(
    views: Mapping[K, ViewCount], growths: Iterable[StatGrowth], key: Callable[[StatGrowth], K]
) -> dict[K, Totals]:
    """Add up views and growth by key."""
    totals = defaultdict[K, Totals](Totals)
    for name, count in views.items():
        totals[name].add_views(count)
    for growth in growths:
        totals[key(growth)].add_growth(growth)
    return dict(totals)


def _series(
    scope: ReportScope, by_time: Mapping[datetime, ViewCount], growths: list[StatGrowth], measured: set[str]
) -> list[IntervalReport]:
    views = defaultdict[date, ViewCount](ViewCount)
    for at, count in by_time.items():
        # An hour may begin before the scope, in a time zone whose days begin at half past.
        day = views[scope.day_of(max(at, scope.start))]
        day.views += count.views
        day.visitors += count.visitors
    days = _tallied(views, growths, lambda growth: scope.day_of(growth.at))
    none = Totals()
    return [IntervalReport(day, days.get(day, none).figures(scope.metrics, measured)) for day in scope.days()]


def _by_platform(
    scope: ReportScope,
    by_time: Mapping[datetime, ViewCount],
    growths: list[StatGrowth],
    deliveries: Mapping[str, DeliveryFigures],
) -> list[PlatformReport]:
    own = {SITE: _sum_of(by_time)} if scope.includes_site else {}
    totals = _tallied(own, growths, lambda growth: growth.platform)
    return [
        PlatformReport(
            name,
            totals.get(name, Totals()).figures(scope.metrics, ("views", "visitors") if name in own else ()),
            deliveries.get(name, DeliveryFigures()),
        )
        for name in sorted({*deliveries, *totals, *own})
    ]


def _by_post(scope: ReportScope, views: ViewFigures, growths: list[StatGrowth], most: int | None) -> list[PostReport]:
    """Return the posts with data, or so many of them, most viewed first."""
    if most == 0:
        return []
    counts = _views_by_post(views, {growth.post_id for growth in growths}, most) if scope.includes_site else {}
    totals = _tallied(counts, growths, lambda growth: growth.post_id)
    order = sorted(totals, key=lambda post_id: (-totals[post_id].counts.get("views", 0), post_id))[:most]
    titles = _titles(order)
    return [
        PostReport(id, titles[id], totals[id].figures(scope.metrics), counts[id].views if id in counts else 0)
        for id in order
        if id in titles
    ]


def _views_by_post(views: ViewFigures, measured: Collection[str], most: int | None) -> Mapping[str, ViewCount]:
    """Return the views of all posts; or of those that can be among the most viewed ones, if platforms add to these."""
    if most is None or not measured:
        return views.by_post(most)
    of_measured = replace(views, scope=replace(views.scope, post_ids=tuple(measured)))
    return views.by_post(most + len(measured)) | of_measured.by_post()


def _titles(post_ids: list[str]) -> dict[str, str]:
    """Return the titles of posts. The number of parameters of a query is limited."""
    titles: dict[str, str] = {}
    for start in range(0, len(post_ids), POSTS_PER_QUERY):
        query = select(Post.id, Post.title).where(Post.id.in_(post_ids[start : start + POSTS_PER_QUERY]))
        titles |= {row.id: row.title for row in db.session.execute(query)}
    return titles
