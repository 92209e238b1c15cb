"""Roll up page views by hour, day and month, and delete views that are past their retention period.

Each step is one transaction: it replaces all roll-ups of one UTC day and of its month, or deletes a bounded number of
rows. So a process that is killed loses nothing, and a step that runs twice changes nothing.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import Select, delete, func, insert, literal, select
from sqlalchemy.sql.elements import ColumnElement

from blogsvc.models import (
    PageView,
    ReferrerDay,
    ReferrerMonth,
    RolledUpVisitor,
    ViewDay,
    ViewHour,
    ViewMonth,
    db,
    transaction,
)
from blogsvc.models.retention import ROWS_PER_TRANSACTION
from blogsvc.models.sql_time import hour_of
from blogsvc.models.view_rollup import DAY, RollupProgress, day_start, next_month

# Views are written in batches. An hour is rolled up once its last views have probably been written; later ones
# cause its day to be rolled up again.
SETTLING = timedelta(minutes=5)
HOST_LIMIT = 50  # referring hosts per day and post, and per day of the blog
MIN_DAYS_KEPT = 2  # of views and hours, so that late views find theirs
MAX_STEPS = 30

# Conditions on PageView.
Views = tuple[ColumnElement[bool], ...]


def roll_up(now: datetime, keep_days: int, max_steps: int = MAX_STEPS) -> bool:
    """Roll up the views of all full hours, and delete views and hours older than `keep_days` days.

    Returns True if steps are left.
    """
    until = (now - SETTLING).replace(minute=0, second=0, microsecond=0)
    horizon = day_start(now) - timedelta(days=max(keep_days, MIN_DAYS_KEPT))
    return all(_roll_up_next_day(until) or _delete_before(horizon) for _ in range(max_steps))


def _roll_up_next_day(until: datetime) -> bool:
    """Roll up the oldest day with views that are not in the roll-ups. Returns False if there is none.

    Days without views need no roll-up.
    """
    with transaction():
        progress = RollupProgress.read()
        waiting = (PageView.viewed_at >= progress.until, PageView.viewed_at < until)
        oldest = db.session.scalar(select(func.min(PageView.viewed_at)).where(*waiting))
        if oldest is None:
            if day_start(until) > progress.until:
                replace(progress, until=day_start(until)).write()
            return False
        start = day_start(oldest)
        end = min(start + DAY, until)
        _replace_day(start, end)
        replace(progress, until=end).write()
    return True


def _replace_day(start: datetime, end: datetime) -> None:
    """Replace the roll-ups of the UTC day that begins at `start` by those of its views before `end`."""
    day = start.date()
    db.session.execute(delete(ViewHour).where(ViewHour.hour >= start, ViewHour.hour < start + DAY))
    db.session.execute(delete(ViewDay).where(ViewDay.day == day))
    db.session.execute(delete(ReferrerDay).where(ReferrerDay.day == day))
    db.session.execute(delete(RolledUpVisitor))
    within = (PageView.viewed_at >= start, PageView.viewed_at < end)
    for by_post in (False, True):
        these = (*within, PageView.post_id.is_not(None)) if by_post else within
        db.session.execute(
            insert(ViewHour).from_select(["post_id", "hour", "views", "visitors"], _hours(by_post, these))
        )
        hosts = _referrers(by_post, these, day)
        db.session.execute(insert(ReferrerDay).from_select(["post_id", "day", "host", "views"], hosts))
        if end < start + DAY:
            seen = select(_post(by_post), PageView.visitor).where(*these, PageView.visitor.is_not(None)).distinct()
            db.session.execute(insert(RolledUpVisitor).from_select(["post_id", "visitor"], seen))
    days = select(ViewHour.post_id, literal(day), func.sum(ViewHour.views), func.sum(ViewHour.visitors))
    days = days.where(ViewHour.hour >= start, ViewHour.hour < end).group_by(ViewHour.post_id)
    db.session.execute(insert(ViewDay).from_select(["post_id", "day", "views", "visitors"], days))
    _replace_month(day.replace(day=1))


def _replace_month(month: date) -> None:
    """Replace the roll-ups of a month by the sums of its days."""
    db.session.execute(delete(ViewMonth).where(ViewMonth.month == month))
    db.session.execute(delete(ReferrerMonth).where(ReferrerMonth.month == month))
    views = select(ViewDay.post_id, literal(month), func.sum(ViewDay.views), func.sum(ViewDay.visitors))
    views = views.where(ViewDay.day >= month, ViewDay.day < next_month(month)).group_by(ViewDay.post_id)
    db.session.execute(insert(ViewMonth).from_select(["post_id", "month", "views", "visitors"], views))
    hosts = select(ReferrerDay.post_id, literal(month), ReferrerDay.host, func.sum(ReferrerDay.views))
    hosts = hosts.where(ReferrerDay.day >= month, ReferrerDay.day < next_month(month))
    hosts = hosts.group_by(ReferrerDay.post_id, ReferrerDay.host)
    db.session.execute(insert(ReferrerMonth).from_select(["post_id", "month", "host", "views"], hosts))


def _post(by_post: bool) -> ColumnElement[str | None]:
    """Return the post of a view, or NULL to count the whole blog."""
    column = PageView.post_id if by_post else literal(None, PageView.post_id.type)
    return column.label("post_id")


def _hours(by_post: bool, these: Views) -> Select[Any]:
    """Count these views of one UTC day by hour and post, and each visitor in the hour of their first view."""
    posts = [PageView.post_id] if by_post else []
    hour = hour_of(PageView.viewed_at)
    views = select(_post(by_post), hour.label("hour"), func.count().label("views"))
    viewed = views.where(*these).group_by(hour, *posts).subquery()
    first = select(_post(by_post), func.min(PageView.viewed_at).label("at"))
    firsts = first.where(*these, PageView.visitor.is_not(None)).group_by(PageView.visitor, *posts).subquery()
    came = select(firsts.c.post_id, hour_of(firsts.c.at).label("hour"), func.count().label("visitors"))
    first_seen = came.group_by(firsts.c.post_id, hour_of(firsts.c.at)).subquery()
    is_same = viewed.c.hour == first_seen.c.hour
    if by_post:
        is_same &= viewed.c.post_id == first_seen.c.post_id
    both = viewed.outerjoin(first_seen, is_same)
    return select(viewed, func.coalesce(first_seen.c.visitors, 0)).select_from(both)


def _referrers(by_post: bool, these: Views, day: date) -> Select[Any]:
    """Count these views by host, only the most common hosts of each post."""
    posts = [PageView.post_id] if by_post else []
    hosts = select(_post(by_post), PageView.referrer.label("host"), func.count().label("views"))
    counted = hosts.where(*these, PageView.referrer.is_not(None)).group_by(PageView.referrer, *posts).subquery()
    rank = func.row_number().over(partition_by=counted.c.post_id, order_by=(counted.c.views.desc(), counted.c.host))
    ranked = select(counted, rank.label("rank")).subquery()
    found = select(ranked.c.post_id, literal(day), ranked.c.host, ranked.c.views)
    return found.where(ranked.c.rank <= HOST_LIMIT)


def _delete_before(horizon: datetime) -> bool:
    """Delete some of the views and hours before a time, if they are in the roll-ups. Returns False if there are none.

    Days stay.
    """
    with transaction():
        progress = RollupProgress.read()
        horizon = min(horizon, day_start(progress.until))
        if progress.since < horizon:
            replace(progress, since=horizon).write()
        deleted = 0
        for table, at in ((PageView, PageView.viewed_at), (ViewHour, ViewHour.hour)):
            old = select(table.id).where(at < horizon).limit(ROWS_PER_TRANSACTION)
            deleted += db.session.execute(delete(table).where(table.id.in_(old))).rowcount  # type: ignore[attr-defined]
    return deleted > 0
