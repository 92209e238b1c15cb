"""Notices: what each user, and the webhooks, were told and are to be told about what needs a person, by kind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sqlalchemy import BigInteger, ColumnElement, ForeignKey, Index, String, and_, func, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.event import Event

# Events of this time become one notice, and a recipient gets one of each kind in an hour.
GATHER, REST = timedelta(minutes=1), timedelta(hours=1)
# After this time without a result, a notice that a stopped process was sending is sent again.
LEASE = timedelta(minutes=5)


class Notice(Base):
    """The notices of one kind to one recipient: what is pending, and when the last one was sent."""

    id: Mapped[int] = mapped_column(primary_key=True)
    # None for the webhooks.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("user.id", ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(String(20))
    # When the pending notice will be sent, or sent again; None if nothing is pending.
    due_at: Mapped[datetime | None] = mapped_column(index=True)
    # The pending notice is about the events after this position.
    position: Mapped[int] = mapped_column(BigInteger)
    sent_at: Mapped[datetime | None]
    failure_count: Mapped[int] = mapped_column(default=0)

    __table_args__ = (Index(None, "user_id", "kind", unique=True),)

    @classmethod
    def of(cls, user_id: str | None, kind: str) -> Notice:
        """Return the row of a recipient and kind, which is added if there is none."""
        notice = db.session.scalar(select(cls).where(_is_of(user_id), cls.kind == kind))
        if notice is None:
            notice = cls(user_id=user_id, kind=kind, position=0, failure_count=0)
            db.session.add(notice)
        return notice

    def gather(self, position: int, since: datetime, now: datetime) -> None:
        """Make a notice of the events after this position, the first of which was recorded at `since`.

        A notice that is pending already includes them.
        """
        if self.due_at is None:
            self.position, self.failure_count = position, 0
            self.due_at = max(since + GATHER, self._rests_until(now) or since)

    def claim(self, now: datetime) -> None:
        """Keep other processes from sending it. If this process is killed, it is sent again."""
        self.due_at = now + LEASE

    def settle(self, upto: int, now: datetime, *, is_sent: bool = True, has_more: bool = False) -> None:
        """Record that the events up to this position were sent, or needed nobody any more."""
        self.position, self.failure_count = upto, 0
        self.sent_at = now if is_sent else self.sent_at
        self.due_at = (self._rests_until(now) or now + GATHER) if has_more else None

    def postpone(self, wait: timedelta, now: datetime) -> None:
        """Record that it could not be sent."""
        self.failure_count += 1
        self.due_at = now + wait

    def _rests_until(self, now: datetime) -> datetime | None:
        """Return until when nothing of this kind may be sent. A time in the future means that the clock was wrong."""
        if self.sent_at is None or self.sent_at > now or self.sent_at + REST <= now:
            return None
        return self.sent_at + REST


class NoticePosition(Base):
    """The only row has the position of the last event that was looked at."""

    id: Mapped[int] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column(BigInteger)


def _is_of(user_id: str | None) -> ColumnElement[bool]:
    return Notice.user_id.is_(None) if user_id is None else Notice.user_id == user_id


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Return a condition. A time beyond the longest wait is due too: the system time was set back."""
    return or_(Notice.due_at <= now, Notice.due_at > now + REST + GATHER)


def due_users(now: datetime) -> list[str]:
    """Return the ids of the users with due notices."""
    query = select(Notice.user_id).where(Notice.user_id.is_not(None), _is_due(now)).group_by(Notice.user_id)
    return [user_id for user_id in db.session.scalars(query) if user_id is not None]


def next_due_at(but: Collection[str]) -> datetime | None:
    """Return when the next notice to a user is due, except to these."""
    return db.session.scalar(select(func.min(Notice.due_at)).where(Notice.user_id.not_in(but)))


def due_notices(user_id: str | None, now: datetime) -> list[Notice]:
    """Return the notices to send to a recipient now, locked: if one is due, also those that are due in a moment."""
    query = select(Notice).where(_is_of(user_id), or_(_is_due(now), Notice.due_at <= now + GATHER)).order_by(Notice.id)
    rows = list(db.session.scalars(query.with_for_update()))
    is_any_due = db.session.scalar(select(func.count()).where(_is_of(user_id), _is_due(now)))
    return rows if is_any_due else []


def all_due_notices(now: datetime) -> list[Notice]:
    """Return the due notices of all users, locked."""
    query = select(Notice).where(Notice.user_id.is_not(None), _is_due(now)).order_by(Notice.id)
    return list(db.session.scalars(query.with_for_update()))


def position_of_notices() -> int:
    """Return the position of the last event that was looked at for notices, locked."""
    return db.session.scalar(select(NoticePosition.position).with_for_update()) or 0


def move_position(position: int) -> None:
    db.session.merge(NoticePosition(id=1, position=position))


def is_anything_to_gather(now: datetime) -> bool:
    """Return True if there are new events, or due notices for webhooks. One query, because it runs each minute."""
    newest = func.coalesce(select(func.max(Event.position)).scalar_subquery(), 0)
    position = select(NoticePosition.position).scalar_subquery()
    is_due = select(Notice.id).where(_is_of(None), _is_due(now)).exists()
    is_any_unnumbered = select(Event.position).where(Event.position < 0).exists()
    return bool(db.session.scalar(select(or_(newest > func.coalesce(position, 0), is_any_unnumbered, is_due))))


def first_events(after: int, upto: int, types: Sequence[str]) -> dict[str, tuple[int, datetime]]:
    """Return position and time of the first event of each type, with `after` < position <= `upto`."""
    query = select(Event.type, func.min(Event.position), func.min(Event.created_at))
    query = query.where(and_(Event.position > after, Event.position <= upto), Event.type.in_(types))
    return {type: (position, at) for type, position, at in db.session.execute(query.group_by(Event.type))}
