"""The state of a post, and the time at which it is to be published."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import check_transition
from blogsvc.lib.time import stamp
from blogsvc.models.event import record
from blogsvc.models.post_revisions import Revised
from blogsvc.models.post_states import POST_MOVES, State
from blogsvc.models.transactions import wake_scheduler


class Scheduled(Revised):
    """The working copy, its revisions, and when one of them is to be published."""

    state: Mapped[State] = mapped_column(String(20), default="draft")
    scheduled_at: Mapped[datetime | None]
    # The local time that the author entered, kept so that `scheduled_at` can be computed again if the rules of the
    # time zone change. `fold` selects one of two equal local times, as in datetime.
    wall_time: Mapped[str | None] = mapped_column(String(32))
    time_zone: Mapped[str | None] = mapped_column(String(64))
    fold: Mapped[int | None]
    published_at: Mapped[datetime | None]

    def require_move(self, move: str) -> None:
        """Raise StateConflict unless this state allows the move."""
        check_transition("post", self.state, move, POST_MOVES)

    def schedule(self, at: datetime, now: datetime, html: str | None = None) -> None:
        self.require_move("schedule")
        self.state, self.scheduled_at = "scheduled", at
        self.pin("scheduled", now, html)
        wake_scheduler()

    def reschedule(self, at: datetime) -> None:
        """Change the scheduled time, but not the pinned revision."""
        self.require_move("schedule")
        self.scheduled_at = at
        wake_scheduler()

    def miss(self, now: datetime) -> None:
        """Mark as missed: the post was not published on time, and its author must decide what to do."""
        self.state = "missed"
        record("post.missed", now, post_id=self.id, scheduledAt=stamp(self.scheduled_at) if self.scheduled_at else None)

    def unschedule(self) -> bool:
        """Remove the scheduled time. Return False if there was none."""
        if self.state in {"draft", "unpublished"}:
            return False
        self.require_move("unschedule")
        self.retire()
        return True

    def retire(self) -> None:
        """Reset to draft or unpublished, without a scheduled time."""
        self.state = "draft" if self.published_at is None else "unpublished"
        self.forget_time()

    def forget_time(self) -> None:
        """Remove the scheduled time, also one that has passed."""
        self.scheduled_at = self.wall_time = self.time_zone = self.fold = None
