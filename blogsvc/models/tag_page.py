"""What the page of a tag begins with."""

from __future__ import annotations

from sqlalchemy import String, Text, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db

MAX_TITLE_LENGTH = 200


class TagPage(Base):
    """The title, description and cover image of a tag. A tag without a row has none of them."""

    tag: Mapped[str] = mapped_column(String(100), primary_key=True)
    # "" means the tag.
    title: Mapped[str] = mapped_column(String(MAX_TITLE_LENGTH), default="")
    # Markdown.
    description: Mapped[str] = mapped_column(Text, default="")
    cover_image: Mapped[str | None] = mapped_column(String(2000))

    @classmethod
    def find(cls, tag: str) -> TagPage | None:
        return db.session.get(cls, tag)

    @classmethod
    def all(cls) -> list[TagPage]:
        """Return all pages, by tag."""
        return list(db.session.scalars(select(cls).order_by(cls.tag)))
