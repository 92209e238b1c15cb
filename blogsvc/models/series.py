"""Series: posts that readers read one after the other."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import String, Text, func, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.slugged import Slugged

MAX_TITLE_LENGTH = 200


class Series(Slugged, Base):
    """A series of posts, whose revisions name it by its slug."""

    NOUN = "series"

    title: Mapped[str] = mapped_column(String(MAX_TITLE_LENGTH))
    # Markdown.
    description: Mapped[str] = mapped_column(Text, default="")
    cover_image: Mapped[str | None] = mapped_column(String(2000))
    # No more parts will come.
    is_complete: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]

    @classmethod
    def of(cls, title: str, now: datetime, *, slug: str | None = None) -> Series:
        """Add a series. Without a slug, a free one is made from the title."""
        series = cls(id=new_id("ser", now), slug=slug or cls.free_slug(title), title=title, created_at=now)
        series.description, series.is_complete = "", False
        db.session.add(series)
        db.session.flush()  # so that the next one sees that the slug is taken
        return series

    @classmethod
    def all(cls) -> list[Series]:
        """Return all series, by title."""
        return list(db.session.scalars(select(cls).order_by(cls.title, cls.slug)))

    @classmethod
    def titled(cls, title: str) -> Series | None:
        """Return the series with this title, in upper or lower case, or else the one with this slug."""
        same = select(cls).where(func.lower(cls.title) == title.lower()).order_by(cls.created_at).limit(1)
        return db.session.scalar(select(cls).where(cls.title == title)) or db.session.scalar(same) or cls.find(title)
