"""What to do when the system time was set: say so, and ask before publishing what became due only because of that."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import select

from blogsvc.lib.time import stamp
from blogsvc.models import Post, Setting, db, record, transaction


def note_jump(jump: timedelta, now: datetime) -> None:
    """Record that the system time was set by `jump`, to `now`.

    Posts whose time lies in a leap ahead count as missed. Their authors decide, because either time may be wrong.
    """
    with transaction():
        record("scheduler.clock_jumped", now, seconds=round(jump.total_seconds()))
        Setting.write("clock_jump", {"at": stamp(now), "seconds": round(jump.total_seconds())})
        skipped = (Post.scheduled_at > now - jump, Post.scheduled_at <= now)
        for post in db.session.scalars(
            select(Post).where(Post.state == "scheduled", Post.deleted_at.is_(None), *skipped)
        ):
            post.miss(now)
