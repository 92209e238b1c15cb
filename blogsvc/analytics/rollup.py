"""Roll up page views by hour, day and month, and delete views that are past their retention period.

Each step replaces the roll-ups of one UTC day and of its month, or deletes a bounded number of rows. Other writers
never wait for a whole step: figures are calculated outside the write lock and written in short transactions.

A step first claims its day, which moves `RollupProgress.until` back to the start of the day. From then on, reports
count the single views of that day and don't read its roll-ups. The last transaction moves `until` forward again. Views
of the day that arrive in between remove the claim, and the next step begins again. Another process that rolls up takes
the claim over, and goes on alone. So a process that is killed loses nothing, and a step that runs twice changes
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, datetime, timedelta
from time import sleep
from typing import Any, TypeVar

from sqlalchemy import Select, delete, func, insert, literal, select, union_all
from sqlalchemy.sql.elements import ColumnElement

from blogsvc.analytics.view_figures import first_views
from blogsvc.models import PageView, ReferrerDay, ReferrerMonth, ViewDay, ViewHour, ViewMonth, db, transaction
from blogsvc.models.page_view import MAX_ROWS, add_to_row_count, of_existing_posts, row_count
from blogsvc.models.retention import PAUSE_SECONDS, ROWS_PER_TRANSACTION
from blogsvc.models.transactions import execute_write
from blogsvc.models.view_rollup import DAY, RollupProgress, day_start, next_month

# Views are written in batches. An hour is rolled up once its last views have probably been written; later ones
# cause its day to be rolled up again.
SETTLING = timedelta(minutes=5)
HOST_LIMIT = 50  # referring hosts per day and post, and per day of the blog
NEARLY_FULL = MAX_ROWS * 9 // 10  # rows of views
MIN_DAYS_KEPT = 2  # of views and hours, so that late views find theirs
MAX_STEPS = 30
HOUR = timedelta(hours=1)
# Rows that are written in one transaction, with all indexes in some ten milliseconds.
ROWS_WRITTEN = 250

T = TypeVar("T")
Conditions = tuple[ColumnElement[bool], ...]


class ClaimLost(Exception):
    """The day has to be rolled up again, or another process does that."""


def roll_up(now: datetime, keep_days: int, max_steps: int = MAX_STEPS) -> bool:
    """Roll up the views of all full hours, and delete views and hours older than `keep_days` days.

    If the table of views is nearly full, older views than that are not kept either, except for those of two days.

    Returns True if steps are left.
    """
    until = (now - SETTLING).replace(minute=0, second=0, microsecond=0)
    horizon = day_start(now) - timedelta(days=max(keep_days, MIN_DAYS_KEPT))
    latest = day_start(now) - timedelta(days=MIN_DAYS_KEPT)
    return all(_roll_up_next_day(until) or _delete_before(horizon) or _make_room(latest) for _ in range(max_steps))


def _roll_up_next_day(until: datetime) -> bool:
    """Roll up the oldest day with views that are not in the roll-ups. Returns False if there is none.

    Days without views need no roll-up.
    """
    if (claimed := _claim_next_day(until)) is None:
        return False
    before, progress = claimed
    try:
        _replace_day(progress, before.until)
        with _claimed(progress.claim) as current:
            current.finished().write()
    except ClaimLost:
        return not RollupProgress.read().claim  # the other process goes on
    return True


def _claim_next_day(until: datetime) -> tuple[RollupProgress, RollupProgress] | None:
    """Claim the oldest day with views that are not in the roll-ups, which hides its roll-ups from reports.

    Returns the progress before and after that, or None if there is no such day.
    """
    with transaction():
        progress = RollupProgress.read()
        waiting = (PageView.viewed_at >= progress.until, PageView.viewed_at < until)
        oldest = db.session.scalar(select(func.min(PageView.viewed_at)).where(*waiting))
        if oldest is None:
            if day_start(until) > progress.until:
                replace(progress, until=day_start(until)).write()
            return None
        start = day_start(oldest)
        claimed = progress.claimed(start, min(start + DAY, until))
        claimed.write()
        return progress, claimed


@contextmanager
def _claimed(claim: str) -> Iterator[RollupProgress]:
    """Write in a transaction if the claim still exists. Raises ClaimLost otherwise."""
    with transaction():
        progress = RollupProgress.read()
        if progress.claim != claim:
            raise ClaimLost
        yield progress


def _replace_day(progress: RollupProgress, known_until: datetime) -> None:
    """Replace the roll-ups of the claimed UTC day by those of its claimed views, and the roll-ups of its month.

    The hours before `known_until` are as they should be. The others are replaced one by one: to count all views of a
    day at once needs as much memory as there are views.
    """
    claim, start, end = progress.claim, progress.until, progress.claimed_until
    day = start.date()
    for by_post in (False, True):
        hour = max(start, known_until)
        while hour < end:
            _replace_hours(hour, start + DAY if hour + HOUR >= end else hour + HOUR, by_post, claim)
            hour += HOUR
        hosts = (ReferrerDay.day == day, ReferrerDay.post_id.is_not(None) == by_post)
        these = (PageView.viewed_at >= start, PageView.viewed_at < end, *_of(by_post))
        _replace(ReferrerDay, hosts, _referrers(by_post, these, day), claim)
    days = select(ViewHour.post_id, literal(day).label("day"), *_sums(ViewHour.views, ViewHour.visitors))
    days = days.where(ViewHour.hour >= start, ViewHour.hour < end).group_by(ViewHour.post_id)
    _replace(ViewDay, (ViewDay.day == day,), days, claim)
    _replace_month(day.replace(day=1), claim)


def _replace_hours(hour: datetime, end: datetime, by_post: bool, claim: str) -> None:
    """Replace the roll-up of an hour, and delete those of the hours until `end`."""
    stored = (ViewHour.hour >= hour, ViewHour.hour < end, ViewHour.post_id.is_not(None) == by_post)
    _replace(ViewHour, stored, _hour(by_post, hour), claim)


def _replace_month(month: date, claim: str) -> None:
    """Replace the roll-ups of a month by the sums of its days."""
    views = select(ViewDay.post_id, literal(month).label("month"), *_sums(ViewDay.views, ViewDay.visitors))
    views = views.where(ViewDay.day >= month, ViewDay.day < next_month(month)).group_by(ViewDay.post_id)
    _replace(ViewMonth, (ViewMonth.month == month,), views, claim)
    hosts = select(ReferrerDay.post_id, literal(month).label("month"), ReferrerDay.host, *_sums(ReferrerDay.views))
    hosts = hosts.where(ReferrerDay.day >= month, ReferrerDay.day < next_month(month))
    hosts = hosts.group_by(ReferrerDay.post_id, ReferrerDay.host)
    _replace(ReferrerMonth, (ReferrerMonth.month == month,), hosts, claim)


def _sums(*columns: Any) -> list[Any]:
    return [func.sum(column).label(column.name) for column in columns]


def _replace(table: Any, stored: Conditions, wanted: Select[Any], claim: str) -> None:
    """Replace the rows of a roll-up that meet the conditions by the wanted rows.

    The difference is read outside the write lock. Only the rows that differ are written.
    """
    db.session.rollback()  # read what is there now
    changes = db.session.execute(_difference(table, stored, wanted)).mappings().all()
    outdated = [row["id"] for row in changes if row["id"] is not None]
    new = [{name: row[name] for name in row if name != "id"} for row in changes if row["id"] is None]
    for ids in _pieces(outdated):
        with _claimed(claim):
            execute_write(delete(table).where(table.id.in_(ids)))
    for rows in _pieces(new):
        with _claimed(claim):
            if known := of_existing_posts(rows):
                execute_write(insert(table), known)


def _difference(table: Any, stored: Conditions, wanted: Select[Any]) -> Select[Any]:
    """Select the stored rows that are not wanted, with their `id`, and the wanted rows that are not stored."""
    names = [column.name for column in table.__table__.columns if column.name != "id"]
    found = wanted.subquery().c
    is_wanted = select(literal(None, table.id.type).label("id"), *(found[name] for name in names), literal(1))
    is_stored = select(table.id, *(getattr(table, name) for name in names), literal(-1)).where(*stored)
    both = union_all(is_wanted, is_stored).subquery().c
    id, *values, sign = both
    return select(func.max(id).label("id"), *values).group_by(*values).having(func.sum(sign) != 0)


def _pieces(rows: list[T]) -> Iterator[list[T]]:
    """Yield the rows of each transaction, with pauses that let other writers go first."""
    for start in range(0, len(rows), ROWS_WRITTEN):
        if start:
            sleep(PAUSE_SECONDS)
        yield rows[start : start + ROWS_WRITTEN]


def _post(by_post: bool) -> ColumnElement[str | None]:
    """Return the post of a view, or NULL to count the whole blog."""
    column = PageView.post_id if by_post else literal(None, PageView.post_id.type)
    return column.label("post_id")


def _of(by_post: bool) -> Conditions:
    """Select the views of posts, or of all pages."""
    return (PageView.post_id.is_not(None),) if by_post else ()


def _hour(by_post: bool, hour: datetime) -> Select[Any]:
    """Count the views of one hour by post, and the visitors whose first view of the day is one of them."""
    these = (PageView.viewed_at >= hour, PageView.viewed_at < hour + HOUR, *_of(by_post))
    viewed = select(_post(by_post), PageView.views.label("views"), literal(0).label("visitors")).where(*these)
    first = first_views(hour, hour + HOUR, _of(by_post))
    came = select(first.c.post_id if by_post else _post(by_post), literal(0), literal(1)).select_from(first)
    both = union_all(viewed, came).subquery().c
    at = literal(hour, ViewHour.hour.type).label("hour")
    return select(both.post_id, at, *_sums(both.views, both.visitors)).group_by(both.post_id)


def _referrers(by_post: bool, these: Conditions, day: date) -> Select[Any]:
    """Count these views by host, only the most common hosts of each post."""
    posts = [PageView.post_id] if by_post else []
    hosts = select(_post(by_post), PageView.referrer.label("host"), *_sums(PageView.views))
    counted = hosts.where(*these, PageView.referrer.is_not(None)).group_by(PageView.referrer, *posts).subquery()
    rank = func.row_number().over(partition_by=counted.c.post_id, order_by=(counted.c.views.desc(), counted.c.host))
    ranked = select(counted, rank.label("rank")).subquery()
    found = select(ranked.c.post_id, literal(day).label("day"), ranked.c.host, ranked.c.views)
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
        views = _delete_some(PageView, PageView.viewed_at < horizon)
        add_to_row_count(-views)
        hours = _delete_some(ViewHour, ViewHour.hour < horizon)
    if views + hours >= ROWS_PER_TRANSACTION:
        sleep(PAUSE_SECONDS)
    return views + hours > 0


def _make_room(latest: datetime) -> bool:
    """Delete some of the views of the oldest day if the table is nearly full. Returns False if it is not."""
    if row_count() <= NEARLY_FULL:
        return False
    oldest = db.session.scalar(select(func.min(PageView.viewed_at)))
    return oldest is not None and _delete_before(min(day_start(oldest) + DAY, latest))


def _delete_some(table: Any, is_old: ColumnElement[bool]) -> int:
    """Delete at most as many rows as a transaction may. Returns their number."""
    old = select(table.id).where(is_old).limit(ROWS_PER_TRANSACTION)
    deleted: int = db.session.execute(delete(table).where(table.id.in_(old))).rowcount  # type: ignore[attr-defined]
    return deleted
