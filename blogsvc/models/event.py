"""An event: what happened, in the past tense. Timelines, webhooks and pages read these."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, delete, func, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, after_commit, db, has_recorded

EVENT_TYPES = {
    "post.created": "A post was written.",
    "post.imported": "It came in from elsewhere, as it was there; `data.source` is the file. Nothing is sent anywhere.",
    "post.updated": "Its words, tags or destinations were changed.",
    "post.scheduled": "It was given a time.",
    "post.unscheduled": "Its time was taken back.",
    "post.publishing": "It was handed to its destinations.",
    "post.published": "It is live in every place it was meant for.",
    "post.partial": "It is live in some of its places; the others need you.",
    "post.failed": "It is live nowhere.",
    "post.missed": "Its time passed while nothing ran; say now, later or drop.",
    "post.unpublished": "It was taken down.",
    "post.deleted": "It was put in the trash.",
    "post.erased": "It was erased for good, with all that belonged to it; `data.postId` is the id that it had.",
    "post.restored": "It was taken out of the trash.",
    "delivery.claimed": "An attempt to send it began.",
    "delivery.succeeded": "A copy is there, or is in step again.",
    "delivery.retrying": "It failed for now and will be tried again by itself.",
    "delivery.failed": "It failed for good, or was given up.",
    "delivery.uncertain": "It was sent and no answer came.",
    "delivery.withdrawn": "The copy was taken down.",
    "delivery.drifted": "The copy was changed, or is gone, and not by us; `data.drift` says which.",
    "connection.disconnected": "An account refused us; connect it again.",
    "connection.connected": "An account was connected, or works again.",
    "webhook.disabled": "A webhook was switched off: by its owner, by its receiver (410), or after 5 days of failures.",
    "clock.stalled": "The clock had not ticked for a while.",
}


# A feed reaches back so far. What is about a post stays with it, as its timeline.
ARE_LISTED_FOR = timedelta(days=30)


class Event(Base):
    # The order in which they were committed, which ids, made from the time, cannot promise. Never used twice.
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
    """Write down what happened, in the transaction that makes it so."""
    assert type in EVENT_TYPES, type
    db.session.add(
        Event(id=new_id("evt", now), type=type, post_id=post_id, delivery_id=delivery_id, data=data, created_at=now)
    )
    after_commit(has_recorded)


def position_of(event_id: str) -> int:
    """Raises NotFound for an event that never was, or is not kept any more."""
    position = db.session.scalar(select(Event.position).where(Event.id == event_id))
    if position is None:
        raise NotFound(f"There is no event {event_id!r}, or not any more.")
    return position


def last_position() -> int:
    return db.session.scalar(select(func.max(Event.position))) or 0


def last_event() -> Event | None:
    """The newest; None where nothing has happened yet."""
    return db.session.scalar(select(Event).order_by(Event.position.desc()).limit(1))


def events_after(position: int, most: int) -> list[Event]:
    """What was recorded after a position, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.position > position).order_by(Event.position).limit(most)))


def timeline(post_id: str) -> list[Event]:
    """All that happened to a post, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.post_id == post_id).order_by(Event.position)))


def delete_old_events(now: datetime) -> None:
    """Erase what is listed no more and is about no post."""
    db.session.execute(delete(Event).where(Event.post_id.is_(None), Event.created_at < now - ARE_LISTED_FOR))


def events_between(after: int, upto: int, most: int) -> list[Event]:
    """What happened after one position up to another, oldest first."""
    query = select(Event).where(Event.position > after, Event.position <= upto)
    return list(db.session.scalars(query.order_by(Event.position).limit(most)))
