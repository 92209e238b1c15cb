"""How often something was attempted, such as to sign in: in rows, so that all processes count together."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, String, delete
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.transactions import transaction


class AttemptCounter(Base):
    # What is counted, for whom, and within which limit.
    key: Mapped[str] = mapped_column(String(200), primary_key=True)
    count: Mapped[int]
    ends_at: Mapped[datetime] = mapped_column(index=True)

    @classmethod
    def current(cls, key: str, now: datetime) -> AttemptCounter | None:
        """Return the counter, or None if nothing was counted or its time has ended."""
        counter = db.session.get(cls, key)
        return counter if counter is not None and counter.ends_at > now else None

    @classmethod
    def add(cls, key: str, amount: int, seconds: int, now: datetime) -> int:
        """Add to a counter, which begins anew after `seconds`, and return its count."""
        with transaction():
            counter = cls.current(key, now)
            if counter is None:
                cls.remove(cls.ends_at <= now)
                counter = cls(key=key, count=0, ends_at=now + timedelta(seconds=seconds))
                db.session.add(counter)
            counter.count += amount
            return counter.count

    @classmethod
    def remove(cls, *conditions: ColumnElement[bool]) -> int:
        """Remove the counters that meet the conditions, and return their number."""
        with transaction():
            return len(db.session.scalars(delete(cls).where(*conditions).returning(cls.key)).all())
