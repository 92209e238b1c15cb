"""Page views of the built-in blog, stored without cookies, IP addresses or other personal data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypedDict

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String, insert
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, execute_write
from blogsvc.models.view_rollup import RollupProgress, day_start


class NewView(TypedDict):
    """The columns of a view."""

    post_id: str | None
    viewed_at: datetime
    visitor: bytes | None
    referrer: str | None


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


def add_views(views: Sequence[NewView]) -> None:
    """Add views. Days that were already rolled up and get more views are rolled up again.

    A view before `RollupProgress.since`, which only a wrong system time can cause, counts on the first day after it.
    """
    progress = RollupProgress.read()
    oldest = max(progress.since, min(view["viewed_at"] for view in views))
    rows = [{**view, "viewed_at": max(progress.since, view["viewed_at"])} for view in views]
    execute_write(_INSERT, rows)
    if oldest < progress.until:
        replace(progress, until=day_start(oldest)).write()


_INSERT = insert(PageView)
