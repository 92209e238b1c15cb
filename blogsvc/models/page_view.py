"""Page views of the built-in blog, stored without cookies, IP addresses or other personal data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict, TypeVar

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, LargeBinary, String, func, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.post import Post
from blogsvc.models.setting import Setting
from blogsvc.models.transactions import execute_write, transaction
from blogsvc.models.view_rollup import RollupProgress

# The ceiling of the table, which then takes 0.8 GB. Views beyond it are not stored.
MAX_ROWS = 3_000_000
Row = TypeVar("Row", bound=Mapping[str, Any])


class NewView(TypedDict):
    """The columns of a row: equal views."""

    post_id: str | None
    viewed_at: datetime
    visitor: bytes | None
    referrer: str | None
    views: int


class PageView(Base):
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    # None for pages that are not a post: the home page, a tag, the archive.
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    viewed_at: Mapped[datetime]
    # A hash with a salt that changes daily, so that visitors can be counted for one day only. None if the visitor
    # opted out of tracking.
    visitor: Mapped[bytes | None] = mapped_column(LargeBinary(16))
    referrer: Mapped[str | None] = mapped_column(String(253))
    # The number of equal views that this row stands for.
    views: Mapped[int] = mapped_column(default=1)

    __table_args__ = (Index(None, "viewed_at"), Index(None, "post_id", "viewed_at"), Index(None, "visitor"))


def add_views(views: Sequence[NewView]) -> None:
    """Add views. Days that were already rolled up and get more views are rolled up again.

    A view before `RollupProgress.since`, which only a wrong system time can cause, counts on the first day after it.
    """
    progress = RollupProgress.read()
    oldest = max(progress.since, min(view["viewed_at"] for view in views))
    execute_write(_INSERT, [{**view, "viewed_at": max(progress.since, view["viewed_at"])} for view in views])
    add_to_row_count(len(views))
    if (changed := progress.with_views_at(oldest)) != progress:
        changed.write()


def row_count() -> int:
    """Return the number of rows, with those that were deleted with their posts since the last correction."""
    count: int = Setting.read("view_rows")
    return count


def add_to_row_count(change: int) -> None:
    """Change the stored number of rows, which is known without counting them."""
    if change:
        Setting.write("view_rows", max(0, row_count() + change))


def correct_row_count() -> None:
    """Correct the stored number of rows. They are counted outside of the write lock."""
    db.session.rollback()  # both numbers are of one moment
    error = (db.session.scalar(select(func.count()).select_from(PageView)) or 0) - row_count()
    if error:
        with transaction():
            add_to_row_count(error)


def of_existing_posts(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without a post, and those whose post was not deleted meanwhile."""
    post_ids = {row["post_id"] for row in rows} - {None}
    known = {None, *db.session.scalars(select(Post.id).where(Post.id.in_(post_ids)))}
    return [row for row in rows if row["post_id"] in known]


_INSERT = insert(PageView)
