"""A request to publish a post, which its author can still undo. Nothing of the post has changed yet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, String, bindparam, delete, func, or_, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.models.base import Base, db
from blogsvc.models.post import Post
from blogsvc.models.revision import Revision
from blogsvc.models.transactions import execute_write, wake_scheduler

MAX_UNDO = timedelta(seconds=30)


class PendingPublish(Base):
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True)
    # The text as it was when the author published it. Later edits wait for the next time.
    revision_id: Mapped[str] = mapped_column(ForeignKey("revision.id", ondelete="CASCADE"))
    platforms: Mapped[list[str]]
    # Options to store with the post, by destination and name.
    options: Mapped[dict[str, Any]]
    # The user who published it. Not a foreign key, because the post is published even if the user is removed.
    user_id: Mapped[str] = mapped_column(String(40))
    due_at: Mapped[datetime] = mapped_column(index=True)

    post: Mapped[Post] = relationship()
    revision: Mapped[Revision] = relationship()

    @classmethod
    def of(cls, post_id: str) -> PendingPublish | None:
        return db.session.get(cls, post_id)

    def store(self) -> None:
        """Store it in place of an earlier request for the same post."""
        db.session.merge(self)
        wake_scheduler()

    def seconds_left(self, now: datetime) -> float:
        """Return how long the author can still undo it, in seconds."""
        return max(0.0, (self.due_at - now).total_seconds())


_DELETE = delete(PendingPublish).where(PendingPublish.post_id == bindparam("of_post"))


def forget_pending(post_id: str) -> None:
    """Forget the request to publish this post, because of a later one."""
    execute_write(_DELETE, {"of_post": post_id})


def take_back(post_id: str) -> bool:
    """Delete the request to publish this post. Returns False if there is none any more."""
    pending = db.session.scalar(select(PendingPublish).where(PendingPublish.post_id == post_id).with_for_update())
    if pending is not None:
        db.session.delete(pending)
    return pending is not None


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Return a condition. A time beyond the maximum is due too: the system time was set back."""
    return or_(PendingPublish.due_at <= now, PendingPublish.due_at > now + MAX_UNDO)


def is_any_pending_due(now: datetime) -> bool:
    return db.session.scalar(select(PendingPublish.post_id).where(_is_due(now)).limit(1)) is not None


def next_pending(now: datetime) -> PendingPublish | None:
    """Return the oldest request whose time to undo has passed, and lock its row."""
    query = select(PendingPublish).where(_is_due(now)).order_by(PendingPublish.due_at, PendingPublish.post_id)
    return db.session.scalar(query.limit(1).with_for_update(skip_locked=True))


def next_pending_at() -> datetime | None:
    return db.session.scalar(select(func.min(PendingPublish.due_at)))
