"""Queries for the calendar. Each returns at most MAX_CALENDAR_ENTRIES posts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any, NamedTuple, get_args

from sqlalchemy import ColumnElement, Select, and_, case, exists, false, select
from sqlalchemy.orm import InstrumentedAttribute

from blogsvc.models.base import db
from blogsvc.models.delivery import Delivery
from blogsvc.models.delivery_states import State as DeliveryState
from blogsvc.models.post import IS_DRAFT, Post
from blogsvc.models.post_states import State
from blogsvc.posts.blank_drafts import is_blank
from blogsvc.posts.post_filter import PostFilter

# More than anyone publishes in a month. Later posts are left out.
MAX_CALENDAR_ENTRIES = 1000
EVERY_POST = PostFilter()
# The states in which no delivery is if a post is only retried (`delivery.status.retried`).
_NOT_RETRIED = [state for state in get_args(DeliveryState) if state not in ("delivered", "retrying", "withdrawn")]


class CalendarEntry(NamedTuple):
    """A post in the calendar. `at` is its scheduled or first publication time, None for a draft.

    `is_ready` is True if a copy waits for a person to post it, `is_retried` if the post is live, and the rest of its
    publishing is retried.
    """

    post_id: str
    title: str
    state: State
    at: datetime | None
    author_id: str | None
    is_ready: bool = False
    is_retried: bool = False


def planned(
    start: datetime,
    end: datetime,
    author_id: str | None = None,
    post_filter: PostFilter = EVERY_POST,
    limit: int = MAX_CALENDAR_ENTRIES,
) -> list[CalendarEntry]:
    """Return scheduled and missed posts with a time in [start, end), at most so many."""
    query = _timed(Post.scheduled_at, start, end).limit(limit).where(Post.state.in_(("scheduled", "missed")))
    return _entries(query.where(post_filter.condition), author_id)


def published(
    start: datetime, end: datetime, author_id: str | None = None, post_filter: PostFilter = EVERY_POST
) -> list[CalendarEntry]:
    """Return posts first published in [start, end), including those with failed deliveries."""
    is_ready = _has(("awaiting_hand",), Delivery.next_attempt_at.is_(None), Delivery.revision_id.is_not(None))
    is_live_and_retried = _has(("delivered",)), _has(("retrying",)), ~_has(_NOT_RETRIED)
    is_retried = case((Post.state == "publishing", and_(*is_live_and_retried)), else_=false())
    query = _timed(Post.published_at, start, end).add_columns(is_ready, is_retried)
    query = query.where(Post.state.in_(("publishing", "published", "partial", "failed")))
    return _entries(query.where(post_filter.condition), author_id)


def without_time(limit: int, author_id: str | None = None, post_filter: PostFilter = EVERY_POST) -> list[CalendarEntry]:
    """Return drafts and unpublished posts, last changed first."""
    query = _select(Post.scheduled_at).where(IS_DRAFT, post_filter.condition, ~is_blank())
    return _entries(query.order_by(Post.updated_at.desc(), Post.id.desc()).limit(limit), author_id)


def _select(at: InstrumentedAttribute[datetime | None]) -> Select[*tuple[Any, ...]]:
    return select(Post.id, Post.title, Post.state, at, Post.author_id).where(Post.deleted_at.is_(None))


def _has(states: Collection[str], *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return the condition that the post has a delivery in one of these states.

    The concatenation stops SQLite from reading all deliveries in these states, for each post.
    """
    return exists().where(Delivery.post_id == Post.id, Delivery.state.concat("").in_(states), *conditions)


def _timed(at: InstrumentedAttribute[datetime | None], start: datetime, end: datetime) -> Select[*tuple[Any, ...]]:
    return _select(at).where(at >= start, at < end).order_by(at, Post.id).limit(MAX_CALENDAR_ENTRIES)


def _entries(query: Select[*tuple[Any, ...]], author_id: str | None) -> list[CalendarEntry]:
    if author_id is not None:
        query = query.where(Post.author_id == author_id)
    return [CalendarEntry(*row) for row in db.session.execute(query)]
