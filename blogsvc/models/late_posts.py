"""Scheduled posts that should have been published."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import func, select

from blogsvc.config import Config
from blogsvc.models.base import db
from blogsvc.models.post import Post
from blogsvc.models.setting import STALLED_AFTER

# A scheduled post counts as late after this time, with the built-in scheduler.
LATE_AFTER = timedelta(seconds=15)


class LatePosts(NamedTuple):
    """How many scheduled posts are late, and the seconds by which the first of them is."""

    number: int
    seconds: float


def late_after(config: Config) -> timedelta:
    """Return when a scheduled post counts as late. Cron publishes it up to a minute after its time."""
    return LATE_AFTER if config.scheduler else STALLED_AFTER


def late_posts(now: datetime, after: timedelta) -> LatePosts:
    """Return which scheduled posts should have been published before that time."""
    late = Post.state == "scheduled", Post.deleted_at.is_(None), Post.scheduled_at < now - after
    number, first = db.session.execute(select(func.count(), func.min(Post.scheduled_at)).where(*late)).one()
    return LatePosts(number, (now - first).total_seconds() if first else 0.0)
