"""Page views of the built-in blog, stored without cookies, IP addresses or other personal data."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base


class PageView(Base):
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    # None for pages that are not a post: the home page, a tag, the archive.
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    viewed_at: Mapped[datetime]
    # A hash with a salt that changes daily, so that visitors can be counted for one day only. None if the visitor
    # opted out of tracking.
    visitor: Mapped[bytes | None] = mapped_column(LargeBinary(16))
    referrer: Mapped[str | None] = mapped_column(String(253))

    __table_args__ = (Index(None, "viewed_at"), Index(None, "post_id", "viewed_at"))
