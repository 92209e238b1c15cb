"""An event: what happened, in the past tense. Timelines, webhooks and pages read these."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db

TYPES = {
    "post.created": "A post was written.",
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
    "post.restored": "It was taken out of the trash.",
    "delivery.claimed": "An attempt to send it began.",
    "delivery.succeeded": "A copy is there, or is in step again.",
    "delivery.retrying": "It failed for now and will be tried again by itself.",
    "delivery.failed": "It failed for good, or was given up.",
    "delivery.uncertain": "It was sent and no answer came.",
    "delivery.withdrawn": "The copy was taken down.",
    "connection.disconnected": "An account refused us; connect it again.",
    "connection.connected": "An account was connected, or works again.",
    "clock.stalled": "The clock had not ticked for a while.",
}


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
    assert type in TYPES, type
    db.session.add(
        Event(id=new_id("evt", now), type=type, post_id=post_id, delivery_id=delivery_id, data=data, created_at=now)
    )


def timeline(post_id: str) -> list[Event]:
    """All that happened to a post, oldest first."""
    return list(db.session.scalars(select(Event).where(Event.post_id == post_id).order_by(Event.position)))
