"""Analytics: count views of our own pages, and summarise what is known.

Views are gathered in memory and written together a moment later, so that a reader never waits for
the disk. A visitor is a hash salted anew each day; the salt of yesterday is forgotten, and with it
who came.
"""

from __future__ import annotations

import hashlib
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from statistics import median
from threading import Lock
from typing import Any
from zoneinfo import ZoneInfo

from blinker import Signal
from sqlalchemy import Row, Select, insert, select
from sqlalchemy.orm import undefer

from blogsvc.lib.time import stamp
from blogsvc.models import SITE, Delivery, Post, Setting, View, db, transaction

METRICS = ("views", "visitors", "likes", "comments", "shares", "clicks")

views_waiting = Signal()
_waiting: list[dict[str, Any]] = []
_lock = Lock()


def record_view(
    post_id: str | None, address: str, agent: str, referrer: str | None, may_count_visitor: bool, now: datetime
) -> None:
    """Note that a page was read. `address` and `agent` tell visitors apart for a day and are not kept.

    `may_count_visitor` is False for Do Not Track and Global Privacy Control.
    """
    visitor = _visitor(address, agent, now) if may_count_visitor else None
    row = {"post_id": post_id, "viewed_at": now, "visitor": visitor, "referrer": referrer}
    with _lock:
        _waiting.append(row)
        is_first = len(_waiting) == 1
    if not views_waiting.receivers:
        flush_views()  # nobody will call for them later
    elif is_first:
        views_waiting.send()


def _visitor(address: str, agent: str, now: datetime) -> bytes:
    return hashlib.sha256(f"{_salt(now)}|{address}|{agent}".encode()).digest()[:16]


_salt_of_today: dict[str, str] = {}


def _salt(now: datetime) -> str:
    """Today's salt, shared by all processes through the database; yesterday's is overwritten."""
    today = now.date().isoformat()
    if today not in _salt_of_today:
        with transaction():
            stored = Setting.read("visitor_salt")
            if not stored or stored["day"] != today:
                stored = {"day": today, "salt": secrets.token_hex(16)}
                Setting.write("visitor_salt", stored)
        _salt_of_today.clear()
        _salt_of_today[today] = stored["salt"]
    return _salt_of_today[today]


def flush_views() -> None:
    """Write the views gathered so far. What cannot be written now is kept for the next time."""
    with _lock:
        rows = _waiting[:]
    if not rows:
        return
    with transaction():
        known = set(db.session.scalars(select(Post.id).where(Post.id.in_({row["post_id"] for row in rows}))))
        kept = [row for row in rows if row["post_id"] is None or row["post_id"] in known]
        if kept:
            db.session.execute(insert(View), kept)
    with _lock:
        del _waiting[: len(rows)]


@dataclass(frozen=True)
class Question:
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
class Tally:
    """Views and visitors of one row of the answer. A visitor counts once per day and post."""

    views: int = 0
    visitors: set[tuple[date, bytes]] = field(default_factory=set)

    def add(self, view: Seen, day: date) -> None:
        self.views += 1
        if view.visitor is not None:
            self.visitors.add((day, view.visitor))

    def figures(self, metrics: Iterable[str]) -> dict[str, int | None]:
        known = {"views": self.views, "visitors": len(self.visitors)}
        return {metric: known.get(metric) for metric in metrics}


def summarise(question: Question, now: datetime) -> dict[str, Any]:
    """The answer to GET /analytics, in its final shape."""
    flush_views()
    views = list(db.session.execute(_views(question))) if question.asks_site else []
    deliveries = list(db.session.scalars(_deliveries(question)))
    total = _tally(views, question, lambda _: None).get(None, Tally())
    none = dict.fromkeys(question.metrics)
    totals = total.figures(question.metrics) if question.asks_site else none
    answer: dict[str, Any] = {
        "range": {
            "from": stamp(question.start),
            "to": stamp(question.end),
            "interval": question.interval,
            "timezone": question.zone.key,
        },
        "totals": {**totals, "deliveries": _how_they_went(deliveries)},
        "series": _series(views, question),
        "byPlatform": _by_platform(total, deliveries, question),
        "byPost": _by_post(views, question),
        "referrers": _referrers(views),
        "collectedAt": stamp(now),
    }
    return answer if question.group_by is None else _only(answer, question.group_by)


def _only(answer: dict[str, Any], group: str) -> dict[str, Any]:
    """With `groupBy`, only that breakdown is filled; the others are empty lists."""
    wanted = {"day": "series", "platform": "byPlatform", "post": "byPost"}[group]
    return {
        name: [] if name in {"series", "byPlatform", "byPost"} - {wanted} else value for name, value in answer.items()
    }


def _views(question: Question) -> Select[str | None, datetime, bytes | None, str | None]:
    query = select(View.post_id, View.viewed_at, View.visitor, View.referrer)
    query = query.where(View.viewed_at >= question.start, View.viewed_at < question.end)
    return query.where(View.post_id.in_(question.post_ids)) if question.post_ids else query


def _deliveries(question: Question) -> Select[Delivery]:
    query = select(Delivery).where(Delivery.due_at >= question.start, Delivery.due_at < question.end)
    if question.post_ids:
        query = query.where(Delivery.post_id.in_(question.post_ids))
    if question.platforms:
        query = query.where(Delivery.platform.in_(question.platforms))
    return query.options(undefer(Delivery.was_retried))


def _tally(views: Iterable[Seen], question: Question, group: Callable[[Seen], Any]) -> dict[Any, Tally]:
    tallies: dict[Any, Tally] = {}
    for view in views:
        day = view.viewed_at.astimezone(question.zone).date()
        tallies.setdefault(group(view), Tally()).add(view, day)
    return tallies


def _series(views: list[Seen], question: Question) -> list[dict[str, Any]]:
    by_day = _tally(views, question, lambda view: question.day_of(view.viewed_at))
    nothing = Tally() if question.asks_site else None
    rows = []
    for day in question.days():
        tally = by_day.get(day, nothing)
        figures = tally.figures(question.metrics) if tally else dict.fromkeys(question.metrics)
        rows.append({"date": day.isoformat(), **figures})
    return rows


def _by_post(views: list[Seen], question: Question) -> list[dict[str, Any]]:
    """Posts that were read, the most read first."""
    tallies = _tally((view for view in views if view.post_id), question, lambda view: view.post_id)
    named = db.session.execute(select(Post.id, Post.title).where(Post.id.in_(tallies)))
    titles = {row.id: row.title for row in named}
    rows = [
        {"postId": post_id, "title": titles[post_id], **tally.figures(question.metrics)}
        for post_id, tally in tallies.items()
    ]
    return sorted(rows, key=lambda row: (-tallies[row["postId"]].views, row["postId"]))


def _by_platform(total: Tally, deliveries: list[Delivery], question: Question) -> list[dict[str, Any]]:
    names = {delivery.platform for delivery in deliveries} | ({SITE} if question.asks_site else set())
    rows = []
    for name in sorted(names):
        figures = total.figures(question.metrics) if name == SITE else dict.fromkeys(question.metrics)
        mine = [delivery for delivery in deliveries if delivery.platform == name]
        rows.append({"platform": name, **figures, "deliveries": _how_they_went(mine)})
    return rows


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
