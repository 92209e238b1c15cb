"""Analytics: summarise what is known of how posts did, on our own pages and elsewhere.

Readers of our own pages are counted one by one (`page_views.py`). Platforms tell figures from a copy's beginning
(`delivery/reconcile.py` asks for them); what was added between two snapshots is said to have come with the later one.
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
    """What is asked: a span of time, cut into intervals of a zone, about some posts and platforms."""

    start: datetime
    end: datetime
    zone: ZoneInfo
    interval: str = "day"
    post_ids: tuple[str, ...] = ()
    platforms: tuple[str, ...] = ()
    metrics: tuple[str, ...] = METRICS
    group_by: str | None = None

    def day_of(self, moment: datetime) -> date:
        """The first day of the interval in which a moment lies, in the question's zone."""
        day = moment.astimezone(self.zone).date()
        if self.interval == "week":
            return day - timedelta(days=day.weekday())
        return day.replace(day=1) if self.interval == "month" else day

    def days(self) -> Iterator[date]:
        """Every interval of the span, empty ones too."""
        day, last = self.day_of(self.start), self.day_of(self.end - timedelta(microseconds=1))
        while day <= last:
            yield day
            day = self._after(day)

    def _after(self, day: date) -> date:
        if self.interval == "month":
            return (day + timedelta(days=32)).replace(day=1)
        return day + timedelta(days=7 if self.interval == "week" else 1)

    @property
    def asks_site(self) -> bool:
        return not self.platforms or SITE in self.platforms


# A row of `_views`: post_id, viewed_at, visitor, referrer.
Seen = Row[str | None, datetime, bytes | None, str | None]


@dataclass
class Totals:
    """One row of the answer. A visitor counts once per day and post; a metric that nobody told is not in `counts`."""

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
        """Nobody came is a count too: 0."""
        for metric in metrics:
            self.counts.setdefault(metric, 0)
        return self

    def figures(self, metrics: Iterable[str]) -> dict[str, int | None]:
        """More taken back than given, within the span, is shown as nothing."""
        return {metric: max(0, self.counts[metric]) if metric in self.counts else None for metric in metrics}


@dataclass(frozen=True)
class Counted:
    """All that came of the posts asked about, within the span asked about."""

    question: ReportScope
    views: list[Seen]
    growths: list[StatGrowth]

    @classmethod
    def of(cls, question: ReportScope) -> Counted:
        views = list(db.session.execute(_views(question))) if question.asks_site else []
        told = growth_of_copies(question.start, question.end, question.post_ids, question.platforms)
        return cls(question, views, told)

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
        """Our own pages count views and visitors always; each platform what it told of anything."""
        told = {name for growth in self.growths for name, count in growth.counts.items() if count is not None}
        own = {"views", "visitors"} if self.question.asks_site else set()
        return tally.knows(*told, *own)

    def series(self) -> list[dict[str, Any]]:
        days = self.by(lambda view: self.question.day_of(view.viewed_at), lambda g: self.question.day_of(g.at))
        return [
            {"date": day.isoformat(), **self._complete(days.get(day, Totals())).figures(self.question.metrics)}
            for day in self.question.days()
        ]

    def by_post(self) -> list[dict[str, Any]]:
        """Posts of which there is something to tell, the most read first."""
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
                "deliveries": _how_they_went([one for one in deliveries if one.platform == name]),
            }
            for name in sorted({delivery.platform for delivery in deliveries} | set(tallies))
        ]


def report(question: ReportScope, now: datetime) -> dict[str, Any]:
    """The answer to GET /analytics, in its final shape."""
    flush_views()
    evidence = Counted.of(question)
    deliveries = list(db.session.scalars(_deliveries(question)))
    answer: dict[str, Any] = {
        "range": {
            "from": stamp(question.start),
            "to": stamp(question.end),
            "interval": question.interval,
            "timezone": question.zone.key,
        },
        "totals": {**evidence.total().figures(question.metrics), "deliveries": _how_they_went(deliveries)},
        "series": evidence.series(),
        "byPlatform": evidence.by_platform(deliveries),
        "byPost": evidence.by_post(),
        "referrers": _referrers(evidence.views),
        "collectedAt": stamp(now),
    }
    return answer if question.group_by is None else _only(answer, question.group_by)


def _only(answer: dict[str, Any], group: str) -> dict[str, Any]:
    """With `groupBy`, only that breakdown is filled; the others are empty lists."""
    wanted = {"day": "series", "platform": "byPlatform", "post": "byPost"}[group]
    return {
        name: [] if name in {"series", "byPlatform", "byPost"} - {wanted} else value for name, value in answer.items()
    }


def _views(question: ReportScope) -> Select[str | None, datetime, bytes | None, str | None]:
    query = select(PageView.post_id, PageView.viewed_at, PageView.visitor, PageView.referrer)
    query = query.where(PageView.viewed_at >= question.start, PageView.viewed_at < question.end)
    return query.where(PageView.post_id.in_(question.post_ids)) if question.post_ids else query


def _deliveries(question: ReportScope) -> Select[Delivery]:
    query = select(Delivery).where(Delivery.due_at >= question.start, Delivery.due_at < question.end)
    if question.post_ids:
        query = query.where(Delivery.post_id.in_(question.post_ids))
    if question.platforms:
        query = query.where(Delivery.platform.in_(question.platforms))
    return query.options(undefer(Delivery.was_retried))


def _how_they_went(deliveries: list[Delivery]) -> dict[str, Any]:
    """Counts of deliveries by outcome; `successRate` 0..1 and `medianLateness` in seconds, null without a case."""
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
    """Where readers came from, the commonest first."""
    counts = Counter(view.referrer for view in views if view.referrer)
    return [{"host": host, "views": count} for host, count in counts.most_common(50)]
