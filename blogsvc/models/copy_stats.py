"""Statistics of copies: snapshots of the total counts that a platform reported at one time."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, Row, Select, func, select, tuple_
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.connectors.base import Figures
from blogsvc.models.base import Base, db
from blogsvc.models.delivery import Delivery

COUNT_NAMES = ("views", "likes", "comments", "shares", "clicks")
MAX_COUNT = 2**53 - 1  # the largest integer that all JSON parsers read exactly


class CopyStats(Base):
    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    delivery_id: Mapped[str] = mapped_column(ForeignKey("delivery.id", ondelete="CASCADE"))
    taken_at: Mapped[datetime]
    views: Mapped[int | None] = mapped_column(BigInteger)
    likes: Mapped[int | None] = mapped_column(BigInteger)
    comments: Mapped[int | None] = mapped_column(BigInteger)
    shares: Mapped[int | None] = mapped_column(BigInteger)
    clicks: Mapped[int | None] = mapped_column(BigInteger)

    __table_args__ = (Index(None, "delivery_id", "taken_at"), Index(None, "taken_at"))

    @classmethod
    def of(cls, delivery_id: str, figures: Figures, now: datetime) -> CopyStats:
        """Return a snapshot of these figures. Counts that are negative or above MAX_COUNT become None (unknown)."""
        counts = {name: getattr(figures, name) for name in COUNT_NAMES}
        sane = {
            name: count if count is not None and 0 <= count <= MAX_COUNT else None for name, count in counts.items()
        }
        return cls(delivery_id=delivery_id, taken_at=now, **sane)


@dataclass(frozen=True)
class StatGrowth:
    """The change of a copy's counts between two snapshots; None for counts that the platform does not report."""

    post_id: str
    platform: str
    at: datetime
    counts: dict[str, int | None]


def growth_of_copies(
    start: datetime, end: datetime, post_ids: Collection[str], platforms: Collection[str]
) -> list[StatGrowth]:
    """Return the changes with `start` <= time < `end` for these posts and platforms. Empty collections mean all."""
    is_within = CopyStats.taken_at >= start, CopyStats.taken_at < end
    within = _snapshots(post_ids, platforms).where(*is_within)
    # The baseline of each copy that has a snapshot within: its last snapshot before `start`.
    last = (
        select(CopyStats.delivery_id, func.max(CopyStats.taken_at))
        .where(CopyStats.taken_at < start, CopyStats.delivery_id.in_(select(CopyStats.delivery_id).where(*is_within)))
        .group_by(CopyStats.delivery_id)
    )
    before = _snapshots(post_ids, platforms).where(tuple_(CopyStats.delivery_id, CopyStats.taken_at).in_(last))
    rows = sorted([*db.session.execute(before), *db.session.execute(within)], key=lambda row: row[:2])
    found: list[StatGrowth] = []
    for _, snapshots in groupby(rows, key=lambda row: row.delivery_id):
        found.extend(growth for growth in _steps(snapshots) if growth.at >= start)
    return found


# A row of `_snapshots`.
Taken = Row[str, datetime, str, str, int | None, int | None, int | None, int | None, int | None]


def _snapshots(post_ids: Collection[str], platforms: Collection[str]) -> Select:  # type: ignore[type-arg]
    counts = [getattr(CopyStats, name) for name in COUNT_NAMES]
    query = select(CopyStats.delivery_id, CopyStats.taken_at, Delivery.post_id, Delivery.destination, *counts).join(
        Delivery
    )
    if post_ids:
        query = query.where(Delivery.post_id.in_(post_ids))
    return query.where(Delivery.destination.in_(platforms)) if platforms else query


def _steps(snapshots: Iterator[Taken]) -> Iterator[StatGrowth]:
    """Yield the changes from one snapshot of a copy to the next. They are negative if a count fell, such as likes."""
    before: dict[str, int] = {}
    for row in snapshots:
        reported = {name: getattr(row, name) for name in COUNT_NAMES}
        counts = {name: None if now is None else now - before.get(name, 0) for name, now in reported.items()}
        before |= {name: now for name, now in reported.items() if now is not None}
        yield StatGrowth(row.post_id, row.destination, row.taken_at, counts)
