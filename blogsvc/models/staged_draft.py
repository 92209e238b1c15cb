"""A draft on a platform, made from a scheduled post before its time, so that publishing takes one request.

Like a delivery, a draft has its keys before the first request. While `is_in_doubt` is set, the platform may have
created it without our knowing its id, and it is looked up before it is created again.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from sqlalchemy import ForeignKey, String, UniqueConstraint, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.connectors.base import Draft, Keys, Receipt
from blogsvc.lib.back_off import BackOff
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.connection import Connection
from blogsvc.models.lease import LATE_ARRIVAL, Retried
from blogsvc.models.post import Post

# waiting: to be tried at `next_attempt_at`. sending: a request is running. ready: on the platform. failed: not tried
# again with this revision.
State = Literal["waiting", "sending", "ready", "failed"]
STAGE_BACK_OFF = BackOff(tuple(timedelta(seconds=s) for s in (60, 120, 300, 1800, 7200, 43200)), jitter=0.2)


class StagedDraft(Retried, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    connection_id: Mapped[str] = mapped_column(ForeignKey("connection.id", ondelete="CASCADE"), index=True)
    state: Mapped[State] = mapped_column(String(20), index=True)
    # The revision that was sent last, and the hash of what was sent.
    revision_id: Mapped[str | None] = mapped_column(String(40))
    payload_hash: Mapped[str] = mapped_column(String(64), default="")
    keys: Mapped[dict[str, str]] = mapped_column(default=dict)
    remote_id: Mapped[str | None] = mapped_column(String(2000))
    url: Mapped[str | None] = mapped_column(String(2000))
    version: Mapped[str | None] = mapped_column(String(500))
    extra: Mapped[dict[str, str]] = mapped_column(default=dict)
    is_in_doubt: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    post: Mapped[Post] = relationship()
    connection: Mapped[Connection] = relationship()

    __table_args__ = (UniqueConstraint("post_id", "connection_id"),)

    @classmethod
    def of(cls, post_id: str, connection_id: str) -> StagedDraft | None:
        """Return the draft of a post on the platform of a connection, or None."""
        return db.session.scalar(select(cls).where(cls.post_id == post_id, cls.connection_id == connection_id))

    @classmethod
    def new(cls, post: Post, connection: Connection, now: datetime) -> StagedDraft:
        """Add a draft that is not on the platform yet."""
        draft = cls(id=new_id("drf", now), post=post, connection=connection, state="waiting", created_at=now)
        draft.updated_at, draft.keys, draft.extra, draft.payload_hash = now, {}, {}, ""
        draft.fence, draft.failure_count, draft.is_in_doubt = 0, 0, False
        db.session.add(draft)
        return draft

    @property
    def receipt(self) -> Receipt | None:
        """What the platform returned for the draft, or None if its id is not known."""
        return None if self.remote_id is None else Receipt(self.remote_id, self.url, self.version, dict(self.extra))

    @property
    def to_publish(self) -> Draft | None:
        """The draft for the delivery of its post; None if there is none, or it could not be found."""
        is_usable = self.remote_id is not None or (self.is_in_doubt and self.state != "failed")
        return Draft(self.receipt, self.payload_hash) if is_usable else None

    @property
    def can_exist(self) -> bool:
        """True if the draft is on the platform, or may be."""
        return self.remote_id is not None or self.is_in_doubt

    def begin(
        self, revision_id: str | None, keys: Keys, is_to_create: bool, now: datetime, lease: timedelta, owner: str
    ) -> None:
        """Start a request. From now on, one that creates the draft may have done so."""
        self.revision_id, self.keys, self.updated_at = revision_id, keys, now
        self.is_in_doubt = self.is_in_doubt or (is_to_create and self.remote_id is None)
        self.begin_attempt(now, lease, owner)

    def record_stored(self, receipt: Receipt, payload_hash: str, now: datetime) -> None:
        """Record that the draft is on the platform, with the text that was sent."""
        self.record_found(receipt, now)
        self.state, self.payload_hash, self.next_attempt_at = "ready", payload_hash, None

    def record_found(self, receipt: Receipt, now: datetime) -> None:
        """Record the id of the draft. Its text is not known, so it is sent again."""
        self.remote_id, self.url, self.version = receipt.remote_id, receipt.url, receipt.version
        self.extra, self.payload_hash, self.is_in_doubt = dict(receipt.extra), "", False
        self.failure_count = 0
        self._end("waiting", now, now)

    def forget_copy(self) -> None:
        """Forget the draft on the platform: it does not exist, or was deleted there."""
        self.remote_id = self.url = self.version = None
        self.extra, self.payload_hash, self.is_in_doubt = {}, "", False

    def postpone(self, detail: str, now: datetime, wait: timedelta | None = None) -> None:
        """Record a failure, and try again after `wait`, by default after the back-off."""
        at = now + max(wait or timedelta(0), STAGE_BACK_OFF.after(self.failure_count))
        self.failure_count += 1
        self._end("waiting", at, now, detail)

    def record_unknown_outcome(self, detail: str, now: datetime) -> None:
        """Record a request whose outcome is unknown: look the draft up later, or send its text again."""
        self.version = None  # it may be our own change
        self.postpone(detail, now, LATE_ARRIVAL)

    def record_not_found(self, now: datetime) -> None:
        """Record that the draft was not there when its post was due. One that arrives late is discarded."""
        self.fail(now)
        self.next_attempt_at = now + LATE_ARRIVAL

    def keep(self, now: datetime) -> None:
        """Leave the draft as it is until its post is published, or its text changes."""
        self._end("ready", None, now)

    def fail(self, now: datetime, rejected: str | None = None) -> None:
        """Record that this revision can't be staged, and why if the platform rejected it."""
        self._end("failed", None, now, rejected)

    def _end(self, state: State, at: datetime | None, now: datetime, detail: str | None = None) -> None:
        self.updated_at = now
        self.end_attempt(state, at, detail=detail)
