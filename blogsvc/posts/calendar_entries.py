"""What stands in the calendar: posts by their times, with no more of each than a calendar shows."""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Select, select
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc.models.base import db
from blogsvc.models.post import Post, State

# More than a month of anybody's; a calendar that is asked for more shows the first.
MAX_CALENDAR_ENTRIES = 1000


class CalendarEntry(NamedTuple):
    """A post in the calendar. `at` is when it is to go out, or did first; None for one that has no time."""

    post_id: str
    title: str
    state: State
    at: datetime | None
    author_id: str | None


def planned(start: datetime, end: datetime, author_id: str | None = None) -> list[CalendarEntry]:
    """Posts whose time is from `start` on and before `end`, or was and passed while nothing ran."""
    return _entries(_timed(Post.scheduled_at, start, end).where(Post.state.in_(("scheduled", "missed"))), author_id)


def published(start: datetime, end: datetime, author_id: str | None = None) -> list[CalendarEntry]:
    """Posts that went out first from `start` on and before `end`, whatever became of their deliveries."""
    states = ("publishing", "published", "partial", "failed")
    return _entries(_timed(Post.published_at, start, end).where(Post.state.in_(states)), author_id)


def without_time(most: int, author_id: str | None = None) -> list[CalendarEntry]:
    """Drafts, and what was taken down: changed last, first."""
    query = _select(Post.scheduled_at).where(Post.state.in_(("draft", "unpublished")))
    return _entries(query.order_by(Post.updated_at.desc(), Post.id).limit(most), author_id)


def _select(at: InstrumentedAttribute[datetime | None]) -> Select[*tuple[Any, ...]]:
    return select(Post.id, Post.title, Post.state, at, Post.author_id).where(Post.deleted_at.is_(None))


def _timed(at: InstrumentedAttribute[datetime | None], start: datetime, end: datetime) -> Select[*tuple[Any, ...]]:
    return _select(at).where(at >= start, at < end).order_by(at, Post.id).limit(MAX_CALENDAR_ENTRIES)


def _entries(query: Select[*tuple[Any, ...]], author_id: str | None) -> list[CalendarEntry]:
    if author_id is not None:
        query = query.where(Post.author_id == author_id)
    return [CalendarEntry(*row) for row in db.session.execute(query)]
