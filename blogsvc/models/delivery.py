"""A delivery: one post to one destination, with its status.

A delivery stores the wanted revision (`revision_id`; None to remove the copy) and the revision that the copy is
known to have (`copy_revision_id`). If they differ, there is something to send. A change during an operation
therefore needs no queue: the two still differ when the operation has finished.
"""

from __future__ import annotations

from datetime import datetime
from secrets import randbits

from sqlalchemy import (
    BigInteger,
    ForeignKey,
    Index,
    String,
    UniqueConstraint,
    or_,
    select,
    text,
)
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.connectors.base import Receipt
from blogsvc.errors import NotFound, check_transition
from blogsvc.lib import blog_paths
from blogsvc.lib.ids import new_id
from blogsvc.models.attempt import Attempt
from blogsvc.models.base import Base, db, partial_index
from blogsvc.models.connection import Connection
from blogsvc.models.delivery_operation import DeliveryOperation
from blogsvc.models.delivery_states import BLOCKABLE, DELIVERY_MOVES, PENDING, State
from blogsvc.models.event import record
from blogsvc.models.platform_copy import Drift
from blogsvc.models.post import Post
from blogsvc.models.revision import Revision
from blogsvc.models.transactions import wake_scheduler

_HAS_DUPLICATES = text("extra_count > 0")
_HAS_DRIFTED = text("drift IS NOT NULL")
_IS_DEGRADED = text("losses IS NOT NULL AND losses_dismissed_at IS NULL")
_HAS_MAIL_FAILED = text("mail_failed_at IS NOT NULL")


def new_version() -> int:
    """Return a random version for a delivery. The sum of those of a post fits into 64 bits."""
    return randbits(48)


class Delivery(DeliveryOperation, Base):
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    destination: Mapped[str] = mapped_column(String(64))
    connection_id: Mapped[str | None] = mapped_column(ForeignKey("connection.id", ondelete="SET NULL"))
    state: Mapped[State] = mapped_column(String(20))

    # When the wanted revision was set, and when it should be live: the scheduled time, if there is one.
    wanted_at: Mapped[datetime]
    due_at: Mapped[datetime]
    created_at: Mapped[datetime]

    # A random number that changes with every change of the delivery. See post_versions.py.
    document_version: Mapped[int] = mapped_column(BigInteger, default=new_version, server_default="0")

    post: Mapped[Post] = relationship(back_populates="deliveries")
    connection: Mapped[Connection | None] = relationship()
    attempts: Mapped[list[Attempt]] = relationship(order_by="Attempt.number", passive_deletes=True)

    __table_args__ = (
        UniqueConstraint("post_id", "destination"),
        Index(None, "state", "next_attempt_at"),
        Index(None, "connection_id", "state"),
        Index(None, "connection_id", "remote_id"),
        partial_index("ix_delivery_drifted", "drift", where=_HAS_DRIFTED),
        partial_index("ix_delivery_duplicated", "extra_count", where=_HAS_DUPLICATES),
        partial_index("ix_delivery_degraded", "destination", where=_IS_DEGRADED),
        partial_index("ix_delivery_mail_failed", "destination", where=_HAS_MAIL_FAILED),
        Index(None, "due_at", "destination", "state", "delivered_at"),  # all that a report reads
    )

    @classmethod
    def get(cls, delivery_id: str, *, trashed: bool = False) -> Delivery:
        """Return the delivery. Raises NotFound, also if its post is in the trash, unless `trashed` is set."""
        delivery = db.session.get(cls, delivery_id)
        if delivery is None or (delivery.post.deleted_at is not None and not trashed):
            raise NotFound(f"There is no delivery {delivery_id!r}.")
        return delivery

    @classmethod
    def to(cls, post: Post, destination: str, connection: Connection | None, now: datetime) -> Delivery:
        """Add a delivery to a post, without a wanted revision."""
        delivery = cls(
            id=new_id("dlv", now),
            post_id=post.id,
            destination=destination,
            connection=connection,
            state="queued",
            keys={},
            extra={},
            fence=0,
            failure_count=0,
            extra_count=0,
            is_in_doubt=False,
            is_mail_spent=False,
            is_drift_accepted=False,
            is_draft=False,
            is_deletion_wanted=False,
            wanted_at=now,
            due_at=now,
            created_at=now,
            updated_at=now,
        )
        post.deliveries.append(delivery)
        return delivery

    def require_move(self, move: str) -> None:
        """Raise StateConflict unless this state allows the move.

        A changed or removed copy also allows `retry`, and a draft that was kept allows `withdraw`, to delete it.
        """
        moves = {**DELIVERY_MOVES, "delivered": ("retry", "withdraw")} if self.drift else DELIVERY_MOVES
        moves = {**moves, "withdrawn": ("withdraw",)} if self.is_draft else moves
        check_transition("delivery", self.state, move, moves)

    def want(self, revision_id: str | None, now: datetime, *, delete: bool = False) -> None:
        """Set the wanted revision; None to withdraw the copy. An operation that is being sent finishes first.

        A withdrawn copy is kept as a draft where the platform has drafts, unless `delete` is set.
        """
        self.revision_id, self.is_deletion_wanted = revision_id, delete
        self.updated_at = self.wanted_at = self.due_at = now
        if self.state not in {"sending", "uncertain"}:
            self._drop_doubt_of_withdrawn_text()
            self._queue(now)

    def withdraw(self, now: datetime, *, delete: bool = False) -> None:
        """Withdraw the copy, as `want`. Without a connection, a copy stays: it cannot be removed."""
        if self.connection is not None:
            self.want(None, now, delete=delete)
        elif self.state == "blocked":
            self.cancel(now)

    def retry_now(self, now: datetime) -> None:
        """Retry now, without waiting for the back-off."""
        self.wanted_at = now
        self._queue(now)

    def connect(self, connection: Connection, *, is_same_account: bool) -> None:
        """Continue with the account that has this destination name now. A copy at another account is forgotten."""
        if not is_same_account:
            self.forget_copy()
            self.keys = {}
        self.connection = connection

    def wait_for_account(self, now: datetime) -> None:
        """Wait until an account is connected for this destination."""
        self.connection = None
        self._queue(now)
        self.record_blocked(now)

    def record_blocked(self, now: datetime) -> None:
        """Record the event that this delivery waits for an account, if it does."""
        if self.state == "blocked":
            self.record("delivery.blocked", now, code="not_connected")

    def hand_over(self, now: datetime) -> None:
        """Wait for a person to do what the current operation needs. Nothing was sent."""
        self.record_not_sent()
        if (self.needed_operation, self.revision_id) != (self.operation, self.armed_revision_id):
            self._close(now)  # the post was changed meanwhile
            return
        self.end_attempt("awaiting_hand", None)
        self.failure_count, self.updated_at = 0, now
        self.record("delivery.ready", now, operation=self.operation)

    def remind(self, at: datetime, now: datetime) -> None:
        """Ask the person again at this time, and no longer before."""
        self.next_attempt_at, self.updated_at = at, now
        wake_scheduler()

    def release(self, now: datetime) -> None:
        """Send what waited for an account. It is due from now on."""
        self.due_at = now
        self.retry_now(now)

    def overrule(self) -> None:
        """Make the next operation overwrite changes made on the platform, or create a removed copy again."""
        if self.drift == "gone":
            self.forget_copy()
        elif self.revision_id is None:
            self.version = None
        elif self.drift == "edited" or self.error_code == "conflict":
            self.version = self.copy_revision_id = self.copy_hash = None
        self.record_drift(None)

    @property
    def is_degraded(self) -> bool:
        """True if readers miss something of the copy, and the author has not dismissed it."""
        return self.state == "delivered" and bool(self.losses) and self.losses_dismissed_at is None

    def accept_copy(self, now: datetime) -> bool:
        """Accept the copy as it is, as the author decided. Return False if there was nothing to accept."""
        if self.state in ("failed", "blocked", "awaiting_hand"):
            self.cancel(now)
        elif self.state == "delivered" and self.drift == "gone":
            self.revision_id = None
            self.mark_removed(now)
        elif self.state == "delivered" and self.drift == "edited":
            self.is_drift_accepted = True
        elif self.is_degraded or self.mail_failed_at:
            self.losses_dismissed_at = now if self.is_degraded else self.losses_dismissed_at
            self.mail_failed_at = None
        else:
            return False
        return True

    def _queue(self, now: datetime) -> None:
        self.state, self.next_attempt_at, self.updated_at = "queued", now, now
        self.failure_count = 0
        if self.is_settled:
            self._finish(now)
        elif self.connection is None:
            self.state, self.next_attempt_at = "blocked", None
        else:
            wake_scheduler()

    def _finish(self, now: datetime) -> None:
        """Mark as finished: the copy has the wanted revision, or is removed as wanted."""
        self.end_attempt("withdrawn" if self.revision_id is None else "delivered", None)
        self.operation = self.armed_revision_id = None
        self.is_in_doubt, self.failure_count, self.updated_at = False, 0, now

    @property
    def is_held(self) -> bool:
        """True while nothing is sent, because the connection is disconnected."""
        return self.connection is not None and self.connection.state == "disconnected"

    @property
    def is_blocked(self) -> bool:
        """True while it waits for an account to be connected, for the first time or again."""
        return self.state == "blocked" or (self.state in BLOCKABLE and self.is_held)

    @property
    def expected_at(self) -> datetime | None:
        """The time of the next attempt; None if none is planned, or until the account is connected again."""
        return self.next_attempt_at if self.next_attempt_at is not None and not self.is_held else None

    @property
    def is_being_withdrawn(self) -> bool:
        """True if the copy is removed as wanted, or will be unless that fails."""
        return self.revision_id is None and self.state != "failed"

    @property
    def is_leftover(self) -> bool:
        """True for a removed copy whose destination the post no longer has. It does not count for the post's state."""
        return self.state == "withdrawn" and self.destination not in self.post.platforms

    def record(self, type: str, now: datetime, **data: object) -> None:
        """Record an event of this delivery, in the transaction that makes the change."""
        record(type, now, post_id=self.post_id, delivery_id=self.id, platform=self.destination, **data)

    def is_taken(self, remote_id: str, url: str | None = None) -> bool:
        """Return True if another delivery at the same account has the copy with this id or, if given, this link."""
        is_same = Delivery.remote_id == remote_id
        others = select(Delivery.id).where(
            Delivery.connection_id == self.connection_id,
            Delivery.id != self.id,
            or_(is_same, Delivery.url == url) if url else is_same,
        )
        return db.session.scalar(others.limit(1)) is not None

    def record_delivered(self, receipt: Receipt, copy_hash: str, now: datetime) -> None:
        """Record that the copy now has the revision that was sent."""
        self._record_copy(receipt, self.armed_revision_id, copy_hash, now)

    def record_earlier_copy(self, receipt: Receipt, now: datetime) -> None:
        """Record a copy that an earlier operation may have created, so that its text is updated next."""
        self._record_copy(receipt, None, None, now)

    def _record_copy(self, receipt: Receipt, revision_id: str | None, copy_hash: str | None, now: datetime) -> None:
        self.remote_id, self.url, self.version = receipt.remote_id, receipt.url, receipt.version
        self.extra = dict(receipt.extra)
        self.copy_revision_id, self.copy_hash = revision_id, copy_hash
        self.delivered_at, self.first_delivered_at = now, self.first_delivered_at or now
        self.is_draft = False
        self.record_drift(None)
        self._close(now)

    def record_kept_draft(self, draft: Receipt, now: datetime) -> None:
        """Record that the copy is a draft on the platform now. Publishing again publishes this draft."""
        self.remote_id, self.url, self.version = draft.remote_id, None, draft.version
        self.extra, self.is_draft = dict(draft.extra), True
        self.copy_revision_id = self.copy_hash = self.look_at = self.measure_at = None
        self.record_drift(None)
        self._close(now)

    def put_right(self, now: datetime) -> None:
        """Send the copy again, because a late write may have changed it."""
        self.late_until = None
        self._queue(now)

    def leave_changed(self, drift: Drift, now: datetime) -> None:
        """End `put_right`: somebody else changed the copy, not a late write."""
        self.record_not_sent()
        self.forget_late_writes()
        if not self.is_draft:
            self.record_drift(drift)
            self.record("delivery.drifted", now, drift=drift, url=self.url)
        self._close(now)

    def mark_removed(self, now: datetime) -> None:
        """Record that no copy exists: it was removed, or was never created."""
        self.forget_copy()
        self._close(now)

    def _close(self, now: datetime) -> None:
        """End the current operation, and queue the next one if the wanted revision has changed meanwhile."""
        self.end_doubt()
        self.failure_count = 0
        self.operation = self.armed_revision_id = None
        self.end_attempt("queued", now)
        self._queue(now)

    def record_on_site(self, revision: Revision | None, now: datetime) -> None:
        """Record that the built-in blog shows this revision. Nothing has to be sent; `url` is the path of the post."""
        assert revision is not None
        self.revision_id = self.copy_revision_id = revision.id
        self.remote_id, self.url, self.delivered_at = self.post_id, blog_paths.of_post(revision.slug), now
        self.first_delivered_at = self.first_delivered_at or now
        self._finish(now)

    def cancel(self, now: datetime) -> None:
        """Send nothing more. An existing copy stays; a new one that is being sent now is removed after it arrives."""
        self.drop_doubt_of_rate_limit()
        if self.state == "sending":
            if self.copy_revision_id is None:
                self.want(None, now)
        elif self.is_in_doubt:
            self.fail("cancelled", "It was cancelled before it was known whether the copy arrived.", now)
        elif self.state in PENDING or self.state in ("failed", "blocked"):
            if self.remote_id is not None and not self.is_draft and self.copy_revision_id is None:
                # The author overruled a change on the platform before: the copy stays, at a revision that is unknown.
                self.copy_revision_id = self.revision_id or self.post.live_revision_id
            self.forget_late_writes()
            self.want(self.copy_revision_id, now)
