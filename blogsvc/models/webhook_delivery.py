"""Webhook deliveries: one event to one webhook, with the exact bytes of the request body, and all attempts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import ForeignKey, Index, LargeBinary, String, Text, UniqueConstraint, delete, func, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import NotFound, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db, wake_scheduler
from blogsvc.models.webhook import Webhook

State = Literal["queued", "sending", "retrying", "delivered", "failed"]
WAITING = ("queued", "retrying")
WEBHOOK_DELIVERY_MOVES: dict[str, tuple[str, ...]] = {
    "queued": ("redeliver",),
    "sending": (),
    "retrying": ("redeliver",),
    "delivered": ("redeliver",),
    "failed": ("redeliver",),
}
# The type of a test message, which is for no event.
TEST = "webhook.test"


class WebhookDelivery(Base):
    """One event for one webhook.

    The id is sent as `webhook-id`. It is the same in every retry, so that receivers can detect duplicates.
    """

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    webhook_id: Mapped[str] = mapped_column(ForeignKey("webhook.id", ondelete="CASCADE"))
    # None for a test. Not a foreign key, because events are deleted earlier or together with their post.
    event_id: Mapped[str | None] = mapped_column(String(40))
    type: Mapped[str] = mapped_column(String(40))
    body: Mapped[bytes] = mapped_column(LargeBinary)
    state: Mapped[State] = mapped_column(String(20))
    # The number of attempts. Only the latest attempt may settle the delivery.
    fence: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None]
    next_attempt_at: Mapped[datetime | None]
    # Failures since it was queued. Determines the back-off.
    failure_count: Mapped[int] = mapped_column(default=0)
    error_code: Mapped[str | None] = mapped_column(String(40))
    error_detail: Mapped[str | None] = mapped_column(String(500))
    delivered_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    attempts: Mapped[list[WebhookAttempt]] = relationship(order_by="WebhookAttempt.number", passive_deletes=True)

    __table_args__ = (
        UniqueConstraint("webhook_id", "event_id"),
        Index(None, "webhook_id", "id"),
        Index(None, "webhook_id", "state", "id"),
        Index(None, "state", "next_attempt_at"),
        Index(None, "created_at"),
    )

    @classmethod
    def add(cls, webhook: Webhook, type: str, body: bytes, event_id: str | None, now: datetime) -> WebhookDelivery:
        """Add a delivery that is due at once."""
        delivery = cls(id=new_id("msg", now), webhook_id=webhook.id, event_id=event_id, type=type, body=body)
        delivery.state, delivery.next_attempt_at, delivery.created_at = "queued", now, now
        delivery.fence = delivery.failure_count = 0
        db.session.add(delivery)
        return delivery

    @classmethod
    def get(cls, webhook_id: str, delivery_id: str) -> WebhookDelivery:
        """Return a delivery of this webhook. Raises NotFound, also for a delivery of another webhook."""
        delivery = db.session.get(cls, delivery_id)
        if delivery is None or delivery.webhook_id != webhook_id:
            raise NotFound(f"There is no delivery {delivery_id!r} to this webhook.")
        return delivery

    @property
    def is_test(self) -> bool:
        return self.type == TEST

    def again(self, now: datetime) -> None:
        """Send again now, with all retries of a new delivery. Raises StateConflict while it is being sent."""
        check_transition("delivery", self.state, "redeliver", WEBHOOK_DELIVERY_MOVES)
        self.state, self.next_attempt_at, self.failure_count = "queued", now, 0
        wake_scheduler()

    def claim(self, now: datetime, lease: timedelta) -> None:
        """Start an attempt. Until the lease ends, only this attempt may settle the delivery (by its number)."""
        self.state, self.lease_until, self.next_attempt_at = "sending", now + lease, None
        self.fence += 1
        self.attempts.append(WebhookAttempt(number=self.fence, started_at=now))

    def attempt(self) -> WebhookAttempt:
        """Return the latest attempt."""
        return self.attempts[-1]

    def succeed(self, now: datetime) -> None:
        self._end("delivered", None, None, None)
        self.delivered_at = now

    def postpone(self, at: datetime, code: str, detail: str) -> None:
        self.failure_count += 1
        self._end("retrying", at, code, detail)
        wake_scheduler()

    def fail(self, code: str, detail: str) -> None:
        self.failure_count += 1
        self._end("failed", None, code, detail)

    def _end(self, state: State, next_attempt_at: datetime | None, code: str | None, detail: str | None) -> None:
        """Store the result of the attempt, and release the lease."""
        self.state, self.next_attempt_at, self.lease_until = state, next_attempt_at, None
        self.error_code, self.error_detail = code, detail and detail[:500]


class WebhookAttempt(Base):
    """One request, stored before it is sent and closed after it. `finished_at` is None until then."""

    delivery_id: Mapped[str] = mapped_column(ForeignKey("webhook_delivery.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    started_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    # None if there was no response.
    status_code: Mapped[int | None]
    error_code: Mapped[str | None] = mapped_column(String(40))
    error_detail: Mapped[str | None] = mapped_column(String(500))
    # The beginning of the response body.
    answer: Mapped[str] = mapped_column(Text, default="")

    def close(self, now: datetime, status: int | None, code: str | None, detail: str | None, answer: str = "") -> None:
        self.finished_at, self.status_code, self.answer = now, status, answer
        self.error_code, self.error_detail = code, detail and detail[:500]

    @property
    def milliseconds(self) -> int | None:
        if self.finished_at is None:
            return None
        return round((self.finished_at - self.started_at).total_seconds() * 1000)


def _busy() -> Any:
    """Select the webhooks that are sending a delivery, in this or another process."""
    return select(WebhookDelivery.webhook_id).where(WebhookDelivery.state == "sending")


def _due(now: datetime) -> list[Any]:
    """Return the conditions for due deliveries, on WebhookDelivery joined with Webhook."""
    return [
        WebhookDelivery.state.in_(WAITING),
        WebhookDelivery.next_attempt_at <= now,
        Webhook.is_enabled,
        or_(Webhook.paused_until.is_(None), Webhook.paused_until <= now),
        Webhook.id.not_in(_busy()),
    ]


def due_webhooks(now: datetime) -> list[str]:
    """Return the ids of the webhooks that have a delivery due and are not sending one."""
    query = select(WebhookDelivery.webhook_id).join(Webhook).where(*_due(now)).distinct()
    return list(db.session.scalars(query))


def next_to(webhook_id: str, now: datetime) -> WebhookDelivery | None:
    """Return the oldest due delivery of a webhook and lock its row. None if none is due or one is being sent.

    A delivery that waits for a retry does not hold up the ones after it.
    """
    query = select(WebhookDelivery).join(Webhook).where(Webhook.id == webhook_id, *_due(now))
    query = query.order_by(WebhookDelivery.id).limit(1).with_for_update(of=WebhookDelivery, skip_locked=True)
    return db.session.scalar(query)


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return when the next delivery is due or the next lease ends. Ignores the deliveries of webhooks in `but`."""
    waiting = (
        select(func.min(WebhookDelivery.next_attempt_at), Webhook.paused_until)
        .join(Webhook)
        .where(
            WebhookDelivery.state.in_(WAITING), Webhook.is_enabled, Webhook.id.not_in(but), Webhook.id.not_in(_busy())
        )
        .group_by(Webhook.id, Webhook.paused_until)
    )
    moments = [max(at for at in row if at) for row in db.session.execute(waiting)]
    lease = db.session.scalar(select(func.min(WebhookDelivery.lease_until)).where(WebhookDelivery.state == "sending"))
    return min([*moments, *([lease] if lease else [])], default=None)


def expired_leases(now: datetime) -> list[WebhookDelivery]:
    """Return the deliveries still `sending` after their lease, because their process died or hung. Locks the rows."""
    query = select(WebhookDelivery).where(WebhookDelivery.state == "sending", WebhookDelivery.lease_until <= now)
    return list(db.session.scalars(query.with_for_update(skip_locked=True)))


def fail_waiting(webhook_id: str, code: str, detail: str) -> None:
    """Mark all waiting deliveries of a webhook as failed. They can be redelivered."""
    waiting = update(WebhookDelivery).where(
        WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state.in_(WAITING)
    )
    db.session.execute(waiting.values(state="failed", next_attempt_at=None, error_code=code, error_detail=detail))


def delete_before(moment: datetime) -> None:
    """Delete deliveries created before this time that succeeded or failed, with their attempts."""
    old = WebhookDelivery.created_at < moment
    db.session.execute(delete(WebhookDelivery).where(old, WebhookDelivery.state.in_(("delivered", "failed"))))
