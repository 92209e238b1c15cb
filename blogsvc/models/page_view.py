"""A view of a page of the built-in blog: no cookie, no address, nothing that leads to a person."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base


class PageView(Base):
    __tablename__ = "view"

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    # None: the home page, a tag, the archive.
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    viewed_at: Mapped[datetime]
    # A hash salted anew each day, so that visitors can be told apart for a day and never after. None: asked not to.
    visitor: Mapped[bytes | None] = mapped_column(LargeBinary(16))
    referrer: Mapped[str | None] = mapped_column(String(253))

    __table_args__ = (Index(None, "viewed_at"), Index(None, "post_id", "viewed_at"))
