"""A slot: a place in the week for a post, such as Tuesdays at nine."""

from __future__ import annotations

from sqlalchemy import String, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db


class QueueSlot(Base):
    """It recurs by the clocks on the wall of the blog's zone, whatever their offset is that day."""

    __tablename__ = "slot"

    # 0 is Monday, 6 is Sunday.
    weekday: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    # "09:00"
    time: Mapped[str] = mapped_column(String(5), primary_key=True)

    @classmethod
    def all(cls) -> list[QueueSlot]:
        """In the order of the week."""
        return list(db.session.scalars(select(cls).order_by(cls.weekday, cls.time)))
