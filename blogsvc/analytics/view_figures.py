"""Count views, visitors and referrers of this blog from the roll-ups, in SQL.

A period is counted from three sources, each view once: single views since `RollupProgress.until`, hours back to
`RollupProgress.since`, and days before that. Where only the sum of many days counts, whole months replace their days.
An hour counts at its start. A day counts at its noon in UTC: so in any
time zone, it counts on the date with which it overlaps most.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, literal, select, union_all

from blogsvc.analytics.scope import ReportScope
from blogsvc.models import PageView, ReferrerDay, ReferrerMonth, ViewDay, ViewHour, ViewMonth, db
from blogsvc.models.sql_time import day_of, hour_of
from blogsvc.models.view_rollup import DAY, RollupProgress, day_start, next_midnight, next_month

NOON = time(12)

Span = tuple[datetime, datetime]
# The column of a roll-up with its days or months, the first day, and the day after the last one.
Piece = tuple[Any, date, date]
# A time, with its views and visitors.
Counted = tuple[Any, int, int]


@dataclass(slots=True)
class ViewCount:
    """A number of views and visitors."""

    views: int = 0
    visitors: int = 0


@dataclass(frozen=True)
class ViewFigures:
    """The views within a scope. Read them in one transaction, so that no view moves to the roll-ups meanwhile."""

    scope: ReportScope
    progress: RollupProgress = field(default_factory=RollupProgress.read)

    def by_time(self) -> dict[datetime, ViewCount]:
        """Return the counts by hour. Days that have no hours any more count at noon."""
        by_post = bool(self.scope.post_ids)
        start, end = self._old_days()
        days = self._sum(ViewDay.day, start.date(), end.date(), by_post)
        return _totals(
            [
                *((datetime.combine(day, NOON, UTC), views, visitors) for day, views, visitors in days),
                *self._sum(ViewHour.hour, *self._hours(), by_post),
                *self._count_tail(by_post),
            ]
        )

    def by_post(self, most: int | None = None) -> dict[str, ViewCount]:
        """Return the counts by post: of all posts, or of so many most viewed ones.

        Whole UTC days and months are read from their roll-ups, today as well: that of today ends where the roll-ups
        end.
        """
        old, (start, end) = self._old_days(), self._hours()
        first = next_midnight(start)
        last = next_midnight(end) if end == self.progress.until else day_start(end)
        if first < last:
            is_joined = old[0] < old[1] == first
            days = [(old[0], last)] if is_joined else [old, (first, last)]
            hours = [(start, first), (last, end)]
        else:
            days, hours = [old], [(start, end)]
        pieces = [piece for span in days for piece in _pieces(*span, ViewDay.day, ViewMonth.month)]
        pieces += [(ViewHour.hour, *span) for span in hours]
        counts: list[Select[*tuple[Any, ...]]] = [
            self._rows_of_posts(*piece) for piece in pieces if piece[1] < piece[2]
        ]
        if self.scope.end > self.progress.until:
            newcomers = self._first_views_in_tail(by_post=True)
            counts.append(select(PageView.post_id, PageView.views, literal(0)).where(*self._in_tail(by_post=True)))
            counts.append(select(newcomers.c.post_id, literal(0), literal(1)))
        if not counts:
            return {}
        post_id, *figures = union_all(*counts).subquery().c
        views, visitors = map(func.sum, figures)
        query = select(post_id, views, visitors).group_by(post_id)
        if most is not None:
            query = query.order_by(views.desc(), post_id).limit(most)
        return {post_id: ViewCount(*counted) for post_id, *counted in db.session.execute(query)}

    def hosts(self) -> Counter[str]:
        """Return the views by referring host. Those of a rolled-up day count at noon, or today at the last hour."""
        counts: Counter[str] = Counter()
        for host, views in self._referred(per_post=False):
            counts[host] += views
        return counts

    def hosts_by_post(self) -> dict[str, Counter[str]]:
        """Return the same for each of the posts of the scope."""
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for post_id, host, views in self._referred(per_post=True):
            counts[post_id][host] += views
        return dict(counts)

    def _referred(self, *, per_post: bool) -> Iterable[Any]:
        """Return rows of host and views, or of post, host and views. A host may have several rows."""
        scope, until = self.scope, self.progress.until
        today = day_start(until)
        pieces = _pieces(
            _first_noon(scope.start), min(_first_noon(scope.end), today), ReferrerDay.day, ReferrerMonth.month
        )
        if until > today and scope.start <= min(today + timedelta(hours=12), until - timedelta(hours=1)) < scope.end:
            pieces.append((ReferrerDay.day, today.date(), (today + DAY).date()))
        by_post = bool(scope.post_ids)

        def counted(table: Any, host: Any, views: Any, *within: ColumnElement[bool]) -> Select[Any]:
            keys = [table.post_id, host] if per_post else [host]
            return select(*keys, views).where(*within).group_by(*keys)

        queries = [
            counted(table, table.host, func.sum(table.views), moment >= start, moment < end, *self._of(table, by_post))
            for moment, start, end in pieces
            if start < end
            for table in (moment.class_,)
        ]
        if scope.end > until:
            within = (*self._in_tail(by_post), PageView.referrer.is_not(None))
            queries.append(counted(PageView, PageView.referrer, func.sum(PageView.views), *within))
        return db.session.execute(union_all(*queries)) if queries else ()

    def _old_days(self) -> Span:
        """Return the days without hours. The span may be empty, as in `_hours`."""
        return _first_noon(self.scope.start), min(_first_noon(self.scope.end), self.progress.since)

    def _hours(self) -> Span:
        return max(self.scope.start, self.progress.since), min(self.scope.end, self.progress.until)

    def _sum(self, moment: Any, start: date, end: date, by_post: bool) -> list[Counted]:
        """Add up the rows of a roll-up by their time, if there are any: a span may end before it starts."""
        if start >= end:
            return []
        table = moment.class_
        query = select(moment, func.sum(table.views), func.sum(table.visitors)).group_by(moment)
        return list(db.session.execute(query.where(moment >= start, moment < end, *self._of(table, by_post))))

    def _rows_of_posts(self, moment: Any, start: date, end: date) -> Select[*tuple[Any, ...]]:
        table = moment.class_
        within = moment >= start, moment < end, *self._of(table, by_post=True)
        return select(table.post_id, table.views, table.visitors).where(*within)

    def _of(self, table: Any, by_post: bool) -> list[ColumnElement[bool]]:
        """Select the rows of posts, or those that count the whole blog."""
        if self.scope.post_ids:
            return [table.post_id.in_(self.scope.post_ids)]
        return [table.post_id.is_not(None) if by_post else table.post_id.is_(None)]

    def _in_tail(self, by_post: bool) -> list[ColumnElement[bool]]:
        """Select the views within the scope that are not in the roll-ups."""
        start = max(self.scope.start, self.progress.until)
        return [PageView.viewed_at >= start, PageView.viewed_at < self.scope.end, *self._of_posts(by_post)]

    def _of_posts(self, by_post: bool) -> list[ColumnElement[bool]]:
        """Select views of posts, or of all pages."""
        return self._of(PageView, by_post) if by_post else []

    def _count_tail(self, by_post: bool) -> list[Counted]:
        """Count the views that are not in the roll-ups, by hour."""
        if self.scope.end <= self.progress.until:
            return []
        hour, first = hour_of(PageView.viewed_at), self._first_views_in_tail(by_post)
        views = select(hour, func.sum(PageView.views), literal(0)).where(*self._in_tail(by_post)).group_by(hour)
        new_hour = hour_of(first.c.at)
        visitors = select(new_hour, literal(0), func.count()).group_by(new_hour)
        return [row for query in (views, visitors) for row in db.session.execute(query)]

    def _first_views_in_tail(self, by_post: bool) -> Subquery:
        return first_views(max(self.scope.start, self.progress.until), self.scope.end, self._of_posts(by_post))


def first_views(start: datetime, end: datetime, of_posts: Sequence[ColumnElement[bool]] = ()) -> Subquery:
    """Select the views in a span that are the first one of their visitor on that UTC day, with `at` and `post_id`.

    With `of_posts`, conditions on the views of posts, a visitor has a first view of each post. Otherwise, all pages
    count together, and there is no `post_id`.
    """
    posts = [PageView.post_id] if of_posts else []
    these = (PageView.visitor.is_not(None), PageView.viewed_at < end, *of_posts)
    # From midnight, because a visitor who came before `start` is not new.
    query = select(func.min(PageView.viewed_at).label("at"), *posts).where(
        PageView.viewed_at >= day_start(start), *these
    )
    if start > day_start(start):
        query = query.where(PageView.visitor.in_(select(PageView.visitor).where(PageView.viewed_at >= start, *these)))
    groups = query.group_by(day_of(PageView.viewed_at), PageView.visitor, *posts)
    return groups.having(func.min(PageView.viewed_at) >= start).subquery()


def _pieces(start: datetime, end: datetime, day: Any, month: Any) -> list[Piece]:
    """Split a span of UTC days into whole months and the days around them."""
    first_day, end_day = start.date(), end.date()
    first = first_day if first_day.day == 1 else next_month(first_day)
    last = end_day.replace(day=1)
    if first >= last:
        return [(day, first_day, end_day)]
    return [(day, first_day, first), (month, first, last), (day, last, end_day)]


def _first_noon(start: datetime) -> datetime:
    """Return the start of the first UTC day whose noon is at `start` or later."""
    return next_midnight(start - timedelta(hours=12))


def _totals(rows: Iterable[Counted]) -> dict[datetime, ViewCount]:
    totals: dict[datetime, ViewCount] = defaultdict(ViewCount)
    for key, views, visitors in rows:
        totals[key].views += views
        totals[key].visitors += visitors
    return dict(totals)
