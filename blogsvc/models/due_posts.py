"""Queries for scheduled posts that are due."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from sqlalchemy import ColumnElement, and_, select

from blogsvc.models.base import db
from blogsvc.models.post import IS_WAITING, Post
from blogsvc.models.revision import Revision


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(IS_WAITING, Post.scheduled_at <= now)


def is_any_due(now: datetime) -> bool:
    return db.session.scalar(select(Post.id).where(_is_due(now)).limit(1)) is not None


def due_posts(now: datetime, most: int) -> list[Post]:
    """Return up to `most` scheduled posts that are due, oldest first, and lock their rows."""
    query = (
        select(Post)
        .where(_is_due(now))
        .order_by(Post.scheduled_at, Post.id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return list(db.session.scalars(query))


@contextmanager
def live_revisions(posts: list[Post]) -> Iterator[None]:
    """Load the live revisions of many posts in one query. Inside the block, `live_revision()` needs no query."""
    ids = [post.live_revision_id for post in posts]
    held = db.session.scalars(select(Revision).where(Revision.id.in_(ids))).all() if ids else []
    yield
    del held


def next_scheduled_at() -> datetime | None:
    return db.session.scalar(
        select(Post.scheduled_at)
        .where(Post.state == "scheduled", Post.deleted_at.is_(None))
        .order_by(Post.scheduled_at)
        .limit(1)
    )
