"""Queue slots: weekly times for posts, such as Tuesdays at 09:00."""

from __future__ import annotations

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db


class QueueSlot(Base):
    """A weekly time, in the local time of the blog's time zone, also across daylight saving changes."""

    # 0 is Monday, 6 is Sunday.
    weekday: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # "09:00"
    time: Mapped[str] = mapped_column(String(5), primary_key=True)

    @classmethod
    def all(cls) -> list[QueueSlot]:
        """Return all slots, from Monday to Sunday."""
        return list(db.session.scalars(select(cls).order_by(cls.weekday, cls.time)))
