"""Analytics: statistics of posts on this blog and on platforms.

Views on this blog are counted one by one (`page_views.py`). Platforms report totals per copy, which
`delivery/reconcile.py` stores as snapshots; the growth between two snapshots counts at the time of the later
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from statistics import median
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import undefer

from blogsvc.analytics.page_views import flush_views
from blogsvc.lib.time import stamp
from blogsvc.models import SITE, Delivery, PageView, Post, db
from blogsvc.models.copy_stats import StatGrowth, growth_of_copies

METRICS = ("views", "visitors", "likes", "comments", "shares", "clicks")


@dataclass(frozen=True)
class ReportScope:
    """The scope of a report: a period, its intervals in a time zone, and filters by post and platform."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    interval: str = "day"
    post_ids: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    metrics: tuple[str, ...] = METRICS
    group_by: str | None = None

    def day_of(self, moment: datetime) -> date:
        """Return the first day of the interval that contains this instant."""
        day = moment.astimezone(self.zone).date()
        if self.interval == "week":
            return day - timedelta(days=day.weekday())
        return day.replace(day=1) if self.interval == "month" else day

    def days(self) -> Iterator[date]:
        """Yield the first day of every interval, including empty ones."""
        day, last = self.day_of(self.start), self.day_of(self.end - timedelta(microseconds=1))
        while day <= last:
            yield day
            day = self._next_interval(day)

    def _next_interval(self, day: date) -> date:
        if self.interval == "month":
            return (day + timedelta(days=32)).replace(day=1)
        return day + timedelta(days=7 if self.interval == "week" else 1)

    @property
    def asks_site(self) -> bool:
        return not self.platforms or SITE in self.platforms


# A row of `_views_query`.
Seen = Row[str | None, datetime, bytes | None, str | None]


@dataclass
class Totals:
    """The totals of one row. A visitor counts once per day and post. `counts` lacks metrics without data."""

    counts: Counter[str] = field(default_factory=Counter)
    visitors: set[tuple[date, bytes]] = field(default_factory=set)

    def see(self, view: Seen, day: date) -> None:
        self.counts["views"] += 1
        if view.visitor is not None:
            self.visitors.add((day, view.visitor))
            self.counts["visitors"] = len(self.visitors)

    def grow(self, growth: StatGrowth) -> None:
        for name, count in growth.counts.items():
            if count is not None:
                self.counts[name] += count

    def knows(self, *metrics: str) -> Totals:
        """Set these metrics to 0 if they have no count, because they were measured."""
        for metric in metrics:
            self.counts.setdefault(metric, 0)
        return self

    def figures(self, metrics: Iterable[str]) -> dict[str, int | None]:
        """Return the counts, None for a metric without data. Negative growth, such as removed likes, counts as 0."""
        return {metric: max(0, self.counts[metric]) if metric in self.counts else None for metric in metrics}


@dataclass(frozen=True)
class Counted:
    """All views and growth within the scope of a report."""

    question: ReportScope
    views: list[Seen]
    growths: list[StatGrowth]

    @classmethod
    def of(cls, question: ReportScope) -> Counted:
        views = list(db.session.execute(_views_query(question))) if question.asks_site else []
        growths = growth_of_copies(question.start, question.end, question.post_ids, question.platforms)
        return cls(question, views, growths)

    def by(self, of_view: Callable[[Seen], Any], of_growth: Callable[[StatGrowth], Any]) -> dict[Any, Totals]:
        tallies: dict[Any, Totals] = {}
        for view in self.views:
            day = view.viewed_at.astimezone(self.question.zone).date()
            tallies.setdefault(of_view(view), Totals()).see(view, day)
        for growth in self.growths:
            tallies.setdefault(of_growth(growth), Totals()).grow(growth)
        return tallies

    def total(self) -> Totals:
        return self._complete(self.by(lambda _: None, lambda _: None).get(None, Totals()))

    def _complete(self, tally: Totals) -> Totals:
        """Set measured metrics without a count to 0: views and visitors of this blog, and what platforms report."""
        reported = {name for growth in self.growths for name, count in growth.counts.items() if count is not None}
        own = {"views", "visitors"} if self.question.asks_site else set()
        return tally.knows(*reported, *own)

    def series(self) -> list[dict[str, Any]]:
        days = self.by(lambda view: self.question.day_of(view.viewed_at), lambda g: self.question.day_of(g.at))
        return [
            {"date": day.isoformat(), **self._complete(days.get(day, Totals())).figures(self.question.metrics)}
            for day in self.question.days()
        ]

    def by_post(self) -> list[dict[str, Any]]:
        """Return a row for each post with data, most viewed first."""
        tallies = self.by(lambda view: view.post_id, lambda growth: growth.post_id)
        tallies.pop(None, None)
        named = db.session.execute(select(Post.id, Post.title).where(Post.id.in_(tallies)))
        titles = {row.id: row.title for row in named}
        order = sorted(tallies, key=lambda post_id: (-tallies[post_id].counts["views"], post_id))
        return [
            {"postId": id, "title": titles[id], **tallies[id].figures(self.question.metrics)}
            for id in order
            if id in titles
        ]

    def by_platform(self, deliveries: list[Delivery]) -> list[dict[str, Any]]:
        tallies = self.by(lambda _: SITE, lambda growth: growth.platform)
        if self.question.asks_site:
            tallies.setdefault(SITE, Totals()).knows("views", "visitors")
        return [
            {
                "platform": name,
                **tallies.get(name, Totals()).figures(self.question.metrics),
                "deliveries": _delivery_counts([one for one in deliveries if one.destination == name]),
            }
            for name in sorted({delivery.destination for delivery in deliveries} | set(tallies))
        ]


def report(question: ReportScope, now: datetime) -> dict[str, Any]:
    """Return the response body of GET /analytics."""
    flush_views()
    evidence = Counted.of(question)
    deliveries = list(db.session.scalars(_deliveries_query(question)))
    answer: dict[str, Any] = {
        "range": {
            "from": stamp(question.start),
            "to": stamp(question.end),
            "interval": question.interval,
            "timezone": question.zone.key,
        },
        "totals": {**evidence.total().figures(question.metrics), "deliveries": _delivery_counts(deliveries)},
        "series": evidence.series(),
        "byPlatform": evidence.by_platform(deliveries),
        "byPost": evidence.by_post(),
        "referrers": _referrers(evidence.views),
        "collectedAt": stamp(now),
    }
    return answer if question.group_by is None else _with_one_breakdown(answer, question.group_by)


def _with_one_breakdown(answer: dict[str, Any], group: str) -> dict[str, Any]:
    """With `groupBy`, return only that breakdown; the others become empty lists."""
    wanted = {"day": "series", "platform": "byPlatform", "post": "byPost"}[group]
    return {
        name: [] if name in {"series", "byPlatform", "byPost"} - {wanted} else value for name, value in answer.items()
    }


def _views_query(question: ReportScope) -> Select[str | None, datetime, bytes | None, str | None]:
    query = select(PageView.post_id, PageView.viewed_at, PageView.visitor, PageView.referrer)
    query = query.where(PageView.viewed_at >= question.start, PageView.viewed_at < question.end)
    return query.where(PageView.post_id.in_(question.post_ids)) if question.post_ids else query


def _deliveries_query(question: ReportScope) -> Select[Delivery]:
    query = select(Delivery).where(Delivery.due_at >= question.start, Delivery.due_at < question.end)
    if question.post_ids:
        query = query.where(Delivery.post_id.in_(question.post_ids))
    if question.platforms:
        query = query.where(Delivery.destination.in_(question.platforms))
    return query.options(undefer(Delivery.was_retried))


def _delivery_counts(deliveries: list[Delivery]) -> dict[str, Any]:
    """Count deliveries by outcome. `successRate` is 0..1 and `medianLateness` in seconds; None without data."""
    states = Counter(delivery.state for delivery in deliveries)
    settled = states["delivered"] + states["failed"]
    latenesses = [
        max(0.0, (delivery.delivered_at - delivery.due_at).total_seconds())
        for delivery in deliveries
        if delivery.state == "delivered" and delivery.delivered_at
    ]
    return {
        "delivered": states["delivered"],
        "failed": states["failed"],
        "uncertain": states["uncertain"],
        "pending": states["queued"] + states["sending"] + states["retrying"],
        "withdrawn": states["withdrawn"],
        "retried": sum(delivery.was_retried for delivery in deliveries),
        "successRate": round(states["delivered"] / settled, 4) if settled else None,
        "medianLateness": round(median(latenesses), 3) if latenesses else None,
    }


def _referrers(views: list[Seen]) -> list[dict[str, Any]]:
    """Return the 50 most common referring hosts."""
    counts = Counter(view.referrer for view in views if view.referrer)
    return [{"host": host, "views": count} for host, count in counts.most_common(50)]
