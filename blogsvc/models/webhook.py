"""Webhooks: the URL that receives events, the selected events, the encrypted secret, and the health."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import BigInteger, LargeBinary, String, event, func, select
from sqlalchemy.orm import Mapped, Session, mapped_column

from blogsvc.errors import NotFound, StateConflict
from blogsvc.lib.ids import new_id
from blogsvc.models.adoptable import Adoptable
from blogsvc.models.base import Base, db
from blogsvc.models.circuit_breaker import CircuitBreaker
from blogsvc.models.event import Event
from blogsvc.models.event_types import EVENT_TYPES
from blogsvc.models.transactions import has_recorded, reasons_for, wake_scheduler

# orphaned: its key has no access any more, or the user behind it is no owner any more.
Reason = Literal["owner", "failing", "gone", "orphaned"]
# A webhook is disabled after failing for this long without a success.
DISABLE_AFTER = timedelta(days=5)


def patterns_of(type: str) -> set[str]:
    """Return the patterns that match an event type: the type itself, such as `post.created`, `post.*` and `*`."""
    return {type, f"{type.partition('.')[0]}.*", "*"}


PATTERNS = ("*", *dict.fromkeys(f"{type.partition('.')[0]}.*" for type in EVENT_TYPES), *EVENT_TYPES)


class Webhook(Adoptable, CircuitBreaker, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    url: Mapped[str] = mapped_column(String(2000))
    # Any of PATTERNS.
    events: Mapped[list[str]] = mapped_column(default=list)
    description: Mapped[str] = mapped_column(String(300), default="")

    # Encrypted; the key is stored outside the database. The former secret also signs until `former_until`.
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    former_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    former_until: Mapped[datetime | None]

    is_enabled: Mapped[bool] = mapped_column(default=True)
    disabled_at: Mapped[datetime | None]
    disabled_reason: Mapped[Reason | None] = mapped_column(String(20))
    # Time of the first failure since the last success; None while the webhook works.
    failing_since: Mapped[datetime | None]
    # The last Event.position that was processed: turned into a delivery, or skipped as not selected.
    position: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    @classmethod
    def add(
        cls,
        url: str,
        events: list[str],
        description: str,
        secret: bytes,
        position: int,
        now: datetime,
        created_by: str | None = None,
    ) -> Webhook:
        """Add a webhook. It receives the events after `position`. `secret` must be encrypted."""
        webhook = cls(id=new_id("whk", now), url=url, events=events, description=description, secret=secret)
        webhook.created_by = created_by
        webhook.is_enabled, webhook.failure_count, webhook.position = True, 0, position
        webhook.created_at = webhook.updated_at = now
        db.session.add(webhook)
        return webhook

    @classmethod
    def get(cls, webhook_id: str) -> Webhook:
        webhook = db.session.get(cls, webhook_id)
        if webhook is None:
            raise NotFound(f"There is no webhook {webhook_id!r}.")
        return webhook

    @classmethod
    def locked(cls, webhook_id: str) -> Webhook | None:
        """Return the webhook and lock its row. Required before claiming or settling one of its deliveries."""
        return db.session.get(cls, webhook_id, with_for_update=True)

    @classmethod
    def count(cls) -> int:
        return db.session.scalar(select(func.count()).select_from(cls)) or 0

    def wants(self, type: str) -> bool:
        return not patterns_of(type).isdisjoint(self.events)

    def secrets(self, now: datetime) -> list[bytes]:
        """Return the encrypted secrets that sign now, the current one first."""
        is_rotating = self.former_secret is not None and self.former_until is not None and now < self.former_until
        return [self.secret, *([self.former_secret] if is_rotating and self.former_secret else [])]

    def rotate(self, secret: bytes, overlap: timedelta, now: datetime) -> None:
        """Replace the secret. The current one also signs during the overlap; any older one stops at once."""
        self.former_secret, self.former_until = (self.secret, now + overlap) if overlap else (None, None)
        self.secret, self.updated_at = secret, now

    def enable(self, position: int, now: datetime) -> None:
        """Enable the webhook, for events after `position`. Earlier events are skipped."""
        self.is_enabled, self.disabled_at, self.disabled_reason = True, None, None
        self.position, self.updated_at = position, now
        self.reset_failures()

    def disable(self, reason: Reason, now: datetime) -> None:
        self.is_enabled, self.disabled_at, self.disabled_reason, self.updated_at = False, now, reason, now
        self.paused_until = None

    def reset_failures(self) -> None:
        """Reset the failures and any pause."""
        self.failing_since = None
        self.forget_failures()

    def record_success(self) -> bool:
        """Record a success. Returns True if deliveries were paused."""
        self.failing_since = None
        return self.forget_failures()

    def require_enabled(self) -> None:
        """Raise StateConflict if the webhook is disabled."""
        if not self.is_enabled:
            raise StateConflict("This webhook is disabled. Enable it first.", state="disabled", allowed=("enable",))

    def record_failure(self, now: datetime, *, is_down: bool, wait: timedelta | None = None) -> None:
        """Record a failure, which counts for the circuit breaker if the receiver is down or asked for a wait."""
        self.failing_since = self.failing_since or now
        if is_down or wait is not None:
            self.count_failure(now, wait)

    def has_failed_too_long(self, now: datetime) -> bool:
        return self.failing_since is not None and now - self.failing_since >= DISABLE_AFTER


def owned_by(*keepers: str) -> list[Webhook]:
    """Return the webhooks that belong to these users or keys."""
    keeper = func.coalesce(Webhook.adopted_by, Webhook.created_by)
    return list(db.session.scalars(select(Webhook).where(keeper.in_(keepers))))


def enabled() -> list[Webhook]:
    return list(db.session.scalars(select(Webhook).where(Webhook.is_enabled)))


def behind(position: int) -> list[Webhook]:
    """Return the enabled webhooks with events to process up to `position`, and lock their rows. Skips locked rows."""
    query = select(Webhook).where(Webhook.is_enabled, Webhook.position < position).order_by(Webhook.id)
    return list(db.session.scalars(query.with_for_update(skip_locked=True)))


def is_any_behind() -> bool:
    newest = select(func.max(Event.position)).scalar_subquery()
    return (
        db.session.scalar(select(Webhook.id).where(Webhook.is_enabled, Webhook.position < newest).limit(1)) is not None
    )


@event.listens_for(db.session, "before_commit")
def _wake_for_news(session: Session) -> None:
    """Wake the scheduler if a new event matches an enabled webhook. Runs one query per commit, of at most 50 rows."""
    types = reasons_for(has_recorded)
    if not types or session.in_nested_transaction():
        return
    patterns = set().union(*map(patterns_of, types))
    if any(not patterns.isdisjoint(events) for (events,) in session.connection().execute(_SUBSCRIBED)):
        wake_scheduler()


_SUBSCRIBED = select(Webhook.__table__.c.events).where(Webhook.__table__.c.is_enabled)
