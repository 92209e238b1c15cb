"""Events: what has happened to posts, deliveries and connections. Timelines and webhooks use them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, func, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, after_commit, db, execute_write, has_recorded

EVENT_TYPES = {
    "post.created": "A post was created.",
    "post.imported": "A post was imported; `data.source` is the file. It is not sent to any destination.",
    "post.updated": "The text, tags or destinations of a post were changed.",
    "post.scheduled": "A post was scheduled.",
    "post.unscheduled": "The schedule of a post was removed.",
    "post.publishing": "A post is being sent to its destinations.",
    "post.published": "A post is published at all its destinations.",
    "post.partial": "A post is published at some destinations. The others need attention.",
    "post.failed": "A post could not be published at any destination.",
    "post.missed": "The scheduled time passed while the service was not running, or the system time leapt past it.",
    "post.unpublished": "A post was unpublished.",
    "post.deleted": "A post was moved to the trash.",
    "post.erased": "A post was deleted permanently, with all its data; `data.postId` is its former id.",
    "post.restored": "A post was restored from the trash.",
    "delivery.claimed": "An attempt to send a copy started.",
    "delivery.succeeded": "A copy was created or updated.",
    "delivery.retrying": "An attempt failed. It is retried automatically.",
    "delivery.failed": "A delivery failed, and is not retried.",
    "delivery.uncertain": "A copy was sent, but no response arrived, so it may or may not exist.",
    "delivery.withdrawn": "A copy was unpublished: it is a draft there if `data.isDraft` is true, else it was deleted.",
    "delivery.drifted": "A copy was changed or deleted on the platform; `data.drift` is `edited` or `gone`.",
    "delivery.duplicated": "An extra copy was found on the platform, at `data.url`. Remove it, or keep it.",
    "delivery.degraded": "Readers miss something of a copy, such as a table; `data.losses` says what, in sentences.",
    "connection.disconnected": "The platform rejected the credentials of an account. Reconnect it.",
    "connection.connected": "An account was connected or reconnected.",
    "webhook.disabled": "A webhook was disabled by an owner, by its receiver (410 Gone), or after 5 days of failures.",
    "clock.stalled": "The scheduler had not run for a while.",
    "clock.jumped": "The system time was set; `data.seconds` says by how much. Posts that this made due are missed.",
}


# How long events are listed, and events without a post are kept. The timeline of a post keeps its events longer.
ARE_LISTED_FOR = timedelta(days=30)


class Event(Base):
    # Increases in commit order, which ids (made from the time) do not guarantee. Never reused.
    position: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    id: Mapped[str] = mapped_column(String(40), unique=True)
    type: Mapped[str] = mapped_column(String(40))
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    delivery_id: Mapped[str | None] = mapped_column(String(40))
    data: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]

    __table_args__ = (Index(None, "post_id", "position"), Index(None, "created_at"), {"sqlite_autoincrement": True})


def record(
    type: str, now: datetime, *, post_id: str | None = None, delivery_id: str | None = None, **data: Any
) -> None:
    """Record an event, in the transaction that makes the change."""
    assert type in EVENT_TYPES, type
    event_id = new_id("evt", now)
    row = {"id": event_id, "type": type, "post_id": post_id, "delivery_id": delivery_id, "data": data}
    execute_write(_INSERT, row | {"created_at": now})
    after_commit(has_recorded, type)


_INSERT = insert(Event)


def position_of(event_id: str) -> int:
    """Return the position of an event. Raises NotFound if it does not exist or was deleted after its time."""
    position = db.session.scalar(select(Event.position).where(Event.id == event_id))
    if position is None:
        raise NotFound(f"There is no event {event_id!r}. Events are deleted after some time.")
    return position


def last_position() -> int:
    return db.session.scalar(select(func.max(Event.position))) or 0


def last_event() -> Event | None:
    """Return the newest event, or None if there are none."""
    return db.session.scalar(select(Event).order_by(Event.position.desc()).limit(1))


def events_after(position: int, most: int) -> list[Event]:
    """Return up to `most` events after a position, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.position > position).order_by(Event.position).limit(most)))


def timeline(post_id: str) -> list[Event]:
    """Return all events of a post, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.post_id == post_id).order_by(Event.position)))


def events_between(after: int, upto: int, most: int) -> list[Event]:
    """Return up to `most` events with `after` < position <= `upto`, oldest first."""
    query = select(Event).where(Event.position > after, Event.position <= upto)
    return list(db.session.scalars(query.order_by(Event.position).limit(most)))
