"""Extra copies of a post on one platform, and the searches for them.

A copy that was sent again after a doubt can be there twice: the first request may arrive late. The platform is searched
two and ten minutes later, then daily for a week, and daily as long as extra copies are known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, Select, String, UniqueConstraint, delete, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.connectors.base import Receipt
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.connection import Connection
from blogsvc.models.delivery import Delivery
from blogsvc.models.transactions import transaction, wake_scheduler

SOON = (timedelta(minutes=2), timedelta(minutes=10))
DAY, LAST = timedelta(days=1), timedelta(days=7)
# States in which no attempt is due, so that a search cannot mistake a new copy for an extra one.
AT_REST = ("delivered", "withdrawn", "failed")


class CopySearch(Base):
    """The search for extra copies that were created with these keys. A delivery without a doubt has none."""

    delivery_id: Mapped[str] = mapped_column(ForeignKey("delivery.id", ondelete="CASCADE"), primary_key=True)
    keys: Mapped[dict[str, str]] = mapped_column(default=dict)
    started_at: Mapped[datetime]
    search_at: Mapped[datetime] = mapped_column(index=True)

    delivery: Mapped[Delivery] = relationship()

    @classmethod
    def of(cls, delivery: Delivery) -> CopySearch | None:
        return db.session.get(cls, delivery.id)

    @classmethod
    def begin(cls, delivery: Delivery, now: datetime) -> None:
        """Search for copies of this delivery's current keys from now on: its copy is sent again after a doubt."""
        search = cls.of(delivery)
        if search is None:
            search = cls(delivery_id=delivery.id)
            db.session.add(search)
        search.keys = dict(delivery.keys)
        search.restart(now)

    def is_for(self, keys: Mapping[str, str]) -> bool:
        """Return True if the doubt was about the operation with these keys, not about an earlier one."""
        return self.keys.get("operation") == keys.get("operation")

    def restart(self, now: datetime) -> None:
        self.started_at, self.search_at = now, now + SOON[0]

    def search_now(self, now: datetime) -> None:
        self.search_at = now
        wake_scheduler()

    def go_on(self, now: datetime) -> None:
        """Set the time of the next search, or end it after a week if no extra copy is known."""
        age = now - self.started_at
        if age >= LAST and not extra_copies_of(self.delivery_id):
            db.session.delete(self)
        else:
            self.search_at = next((self.started_at + wait for wait in SOON if wait > age), now + DAY)


class ExtraCopy(Base):
    """A copy besides the one that the delivery knows. `error_detail` says why it could not be removed."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(ForeignKey("delivery.id", ondelete="CASCADE"))
    remote_id: Mapped[str] = mapped_column(String(2000))
    url: Mapped[str | None] = mapped_column(String(2000))
    version: Mapped[str | None] = mapped_column(String(500))
    extra: Mapped[dict[str, str]] = mapped_column(default=dict)
    found_at: Mapped[datetime]
    # The author wants it removed, or wants to keep it.
    is_unwanted: Mapped[bool] = mapped_column(default=False)
    is_kept: Mapped[bool] = mapped_column(default=False)
    error_detail: Mapped[str | None] = mapped_column(String(2000))

    __table_args__ = (UniqueConstraint("delivery_id", "remote_id"),)

    @classmethod
    def record(cls, delivery: Delivery, receipt: Receipt, now: datetime) -> ExtraCopy:
        """Store an extra copy that was not known."""
        extra = cls(
            id=new_id("xcp", now),
            delivery_id=delivery.id,
            remote_id=receipt.remote_id,
            url=receipt.url,
            version=receipt.version,
            extra=dict(receipt.extra),
            found_at=now,
            is_unwanted=False,
            is_kept=False,
        )
        db.session.add(extra)
        return extra

    @property
    def receipt(self) -> Receipt:
        return Receipt(self.remote_id, self.url, self.version, dict(self.extra))


def without_taken(delivery_id: str, copies: Collection[Receipt]) -> list[Receipt]:
    """Return the copies that are no other delivery's: a search by text finds the copy of an equal post, too."""
    if not copies:
        return []
    with transaction():
        delivery = db.session.get(Delivery, delivery_id)  # None: its post was deleted for good meanwhile
        return [copy for copy in copies if delivery and not delivery.is_taken(copy.remote_id, copy.url)]


def extra_copies_of(delivery_id: str) -> list[ExtraCopy]:
    """Return the known extra copies of a delivery, the oldest first."""
    query = select(ExtraCopy).where(ExtraCopy.delivery_id == delivery_id).order_by(ExtraCopy.id)
    return list(db.session.scalars(query))


def count_extra_copies(delivery: Delivery) -> None:
    """Store how many extra copies the author has to decide about."""
    db.session.flush()
    delivery.extra_count = sum(not extra.is_kept for extra in extra_copies_of(delivery.id))


def forget_extra_copies(delivery: Delivery, remote_ids: Collection[str]) -> None:
    """Delete the rows of extra copies that are no longer on the platform."""
    if remote_ids:
        gone = ExtraCopy.delivery_id == delivery.id, ExtraCopy.remote_id.in_(remote_ids)
        db.session.execute(delete(ExtraCopy).where(*gone))
    count_extra_copies(delivery)


def _due(what: Any) -> Select[Any]:
    working = Delivery.state.in_(AT_REST), Connection.state != "disconnected"
    return select(what).select_from(CopySearch).join(Delivery).join(Connection).where(*working)


def due_connections(now: datetime) -> list[str]:
    """Return the ids of the connections that have a search due."""
    due = _due(Delivery.connection_id).where(CopySearch.search_at <= now).distinct()
    return [lane for lane in db.session.scalars(due) if lane]


def next_of(connection_id: str, now: datetime) -> CopySearch | None:
    """Return the search of this connection that is due first, or None."""
    due = _due(CopySearch).where(Delivery.connection_id == connection_id, CopySearch.search_at <= now)
    found: CopySearch | None = db.session.scalar(due.order_by(CopySearch.search_at).limit(1))
    return found


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return the time of the next search, without the connections in `but`; None if none is due."""
    others = _due(CopySearch.search_at).where(Delivery.connection_id.not_in(but))
    first: datetime | None = db.session.scalar(others.order_by(CopySearch.search_at).limit(1))
    return first
