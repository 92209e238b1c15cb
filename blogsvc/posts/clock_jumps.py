"""What to do when the system time was set: say so, and ask before publishing what became due only because of that."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select

from blogsvc.lib.clocks import Reading
from blogsvc.lib.time import stamp
from blogsvc.models import Post, Setting, db, record, transaction
from blogsvc.models.clock import keep_clocks


def note_jump(jump: timedelta, reading: Reading) -> None:
    """Record that the system time was set by `jump`, to that of the `reading`, which is the new one to compare with.

    Posts whose time lies in a leap ahead count as missed. Their authors decide, because either time may be wrong.
    """
    now = reading.at
    with transaction():
        keep_clocks(reading)
        record("scheduler.clock_jumped", now, seconds=round(jump.total_seconds()))
        Setting.write("clock_jump", {"at": stamp(now), "seconds": round(jump.total_seconds())})
        skipped = (Post.scheduled_at > now - jump, Post.scheduled_at <= now)
        for post in db.session.scalars(
            select(Post).where(Post.state == "scheduled", Post.deleted_at.is_(None), *skipped)
        ):
            post.miss(now)
