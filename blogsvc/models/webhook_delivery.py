"""Webhook deliveries: one event to one webhook, with the exact bytes of the request body, and all attempts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
    and_,
    select,
    text,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import NotFound, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db, partial_index
from blogsvc.models.lease import Retried
from blogsvc.models.transactions import wake_scheduler
from blogsvc.models.webhook import Webhook

State = Literal["queued", "sending", "retrying", "delivered", "failed"]
WEBHOOK_DELIVERY_MOVES: dict[str, tuple[str, ...]] = {
    "queued": ("redeliver",),
    "sending": (),
    "retrying": ("redeliver",),
    "delivered": ("redeliver",),
    "failed": ("redeliver",),
}
# How long messages are kept after they were created, if they are not waiting.
LOG_KEPT_FOR = timedelta(days=30)
# The type of a test message, which is for no event.
TEST = "webhook.test"
# Written out, because only then does a database use a partial index. Nearly all rows are neither.
_IS_WAITING = text("webhook_delivery.state IN ('queued', 'retrying')")
_IS_SENDING = text("webhook_delivery.state = 'sending'")


class WebhookDelivery(Retried, Base):
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
    delivered_at: Mapped[datetime | None]
    created_at: Mapped[datetime]

    attempts: Mapped[list[WebhookAttempt]] = relationship(order_by="WebhookAttempt.number", passive_deletes=True)

    __table_args__ = (
        UniqueConstraint("webhook_id", "event_id"),
        Index(None, "webhook_id", "id"),
        Index(None, "webhook_id", "state", "id"),
        partial_index("ix_webhook_delivery_waiting", "webhook_id", "next_attempt_at", "id", where=_IS_WAITING),
        partial_index("ix_webhook_delivery_sending", "webhook_id", "lease_until", where=_IS_SENDING),
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

    def retry_now(self, now: datetime) -> None:
        """Send again now, with all retries of a new delivery. Raises StateConflict while it is being sent."""
        check_transition("delivery", self.state, "redeliver", WEBHOOK_DELIVERY_MOVES)
        self.state, self.next_attempt_at, self.failure_count = "queued", now, 0
        wake_scheduler()

    def claim(self, now: datetime, lease: timedelta, owner: str) -> None:
        """Start an attempt."""
        self.next_attempt_at = None
        self.attempts.append(WebhookAttempt(number=self.begin_attempt(now, lease, owner), started_at=now))

    def attempt(self) -> WebhookAttempt:
        """Return the latest attempt."""
        return self.attempts[-1]

    def record_delivered(self, now: datetime) -> None:
        self.end_attempt("delivered", None)
        self.delivered_at = now

    def postpone(self, at: datetime, code: str, detail: str) -> None:
        self.failure_count += 1
        self.end_attempt("retrying", at, code, detail)
        wake_scheduler()

    def fail(self, code: str, detail: str) -> None:
        self.failure_count += 1
        self.end_attempt("failed", None, code, detail)


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
    return select(WebhookDelivery.webhook_id).where(_IS_SENDING)


def _is_open(now: datetime) -> ColumnElement[bool]:
    """Return the condition for webhooks that may be sent to now."""
    return and_(Webhook.is_enabled, Webhook.is_running(now), Webhook.id.not_in(_busy()))


def due_webhooks(now: datetime) -> dict[str, str]:
    """Return the ids of the webhooks that have a delivery due and are not sending one, and the id of the oldest."""
    # With its limit, each webhook looks into the index of what waits. SQLite rewrites an EXISTS to a join, for which it
    # may read all deliveries.
    of_webhook = WebhookDelivery.webhook_id == Webhook.id, _IS_WAITING, WebhookDelivery.next_attempt_at <= now
    order = WebhookDelivery.next_attempt_at, WebhookDelivery.id
    oldest = select(WebhookDelivery.id).where(*of_webhook).order_by(*order).limit(1).scalar_subquery()
    found = db.session.execute(select(Webhook.id, oldest.label("oldest")).where(_is_open(now), oldest.is_not(None)))
    return {row.id: row.oldest for row in found}


def next_to(webhook_id: str, now: datetime) -> WebhookDelivery | None:
    """Return the delivery of a webhook that is due longest and lock its row. None if none is due or one is being sent.

    A delivery that waits for a retry does not hold up the ones after it.
    """
    query = (
        select(WebhookDelivery)
        .join(Webhook)
        .where(WebhookDelivery.webhook_id == webhook_id, _IS_WAITING, WebhookDelivery.next_attempt_at <= now)
        .where(_is_open(now))
        .order_by(WebhookDelivery.next_attempt_at, WebhookDelivery.id)
        .limit(1)
        .with_for_update(of=WebhookDelivery, skip_locked=True)
    )
    return db.session.scalar(query)


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return when the next delivery is due or the next lease ends. Ignores the deliveries of webhooks in `but`."""
    first = (
        select(WebhookDelivery.next_attempt_at)
        .where(WebhookDelivery.webhook_id == Webhook.id, _IS_WAITING)
        .order_by(WebhookDelivery.next_attempt_at)
        .limit(1)
        .correlate(Webhook)
        .scalar_subquery()
    )
    waiting = select(first, Webhook.paused_until).where(
        Webhook.is_enabled, Webhook.id.not_in(but), Webhook.id.not_in(_busy())
    )
    moments = [max(at, paused or at) for at, paused in db.session.execute(waiting) if at is not None]
    lease = WebhookDelivery.first_expiry()
    return min([*moments, *([lease] if lease else [])], default=None)


def release_waiting(webhook_id: str, now: datetime) -> None:
    """Make all retries of a webhook due now, because its receiver works again."""
    waiting = update(WebhookDelivery).where(
        WebhookDelivery.webhook_id == webhook_id, WebhookDelivery.state == "retrying"
    )
    db.session.execute(waiting.values(next_attempt_at=now))
    wake_scheduler()


def fail_waiting(webhook_id: str, code: str, detail: str) -> None:
    """Mark all waiting deliveries of a webhook as failed. They can be redelivered."""
    waiting = update(WebhookDelivery).where(WebhookDelivery.webhook_id == webhook_id, _IS_WAITING)
    db.session.execute(waiting.values(state="failed", next_attempt_at=None, error_code=code, error_detail=detail))
