"""Roll-ups of page views: views and visitors by hour, day and month, and referrers by day and month.

The roll-ups hold all views before `RollupProgress.until`; later views are only in `page_view`. In each table, a row
without a post counts all pages of the blog together, including those that are not posts.

A visitor counts once per UTC day and post, in the hour of the first view of that day. So the figures of a day are
the sum of its hours, and those of a month the sum of its days. For the whole blog, a visitor counts once per UTC day.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from secrets import token_hex

from sqlalchemy import BigInteger, ForeignKey, Index, Integer, String, UniqueConstraint, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.time import parse, stamp
from blogsvc.models.base import Base, db
from blogsvc.models.setting import Setting

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ViewHour(Base):
    """Views in one hour, kept as long as the views themselves."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    hour: Mapped[datetime]
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    views: Mapped[int]
    visitors: Mapped[int]

    # The second index holds all that a list of posts reads.
    __table_args__ = (UniqueConstraint("post_id", "hour"), Index(None, "hour", "post_id", "views", "visitors"))


class ViewDay(Base):
    """Views on one UTC day, kept forever."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    day: Mapped[date]
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    views: Mapped[int]
    visitors: Mapped[int]

    # The second index holds all that a list of posts reads.
    __table_args__ = (UniqueConstraint("post_id", "day"), Index(None, "day", "post_id", "views", "visitors"))


class ViewMonth(Base):
    """Views in one month of UTC days: the sum of its days, kept forever."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    month: Mapped[date]
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    views: Mapped[int]
    visitors: Mapped[int]

    __table_args__ = (UniqueConstraint("post_id", "month"), Index(None, "month", "post_id", "views", "visitors"))


class ReferrerDay(Base):
    """Views on one UTC day that came from one host. Only the most common hosts of a post and day are stored."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    day: Mapped[date]
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    host: Mapped[str] = mapped_column(String(253))
    views: Mapped[int]

    __table_args__ = (UniqueConstraint("post_id", "day", "host"), Index(None, "day"))


class ReferrerMonth(Base):
    """Views in one month that came from one host: the sum of its days."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    month: Mapped[date]
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    host: Mapped[str] = mapped_column(String(253))
    views: Mapped[int]

    __table_args__ = (UniqueConstraint("post_id", "month", "host"), Index(None, "month"))


@dataclass(frozen=True)
class RollupProgress:
    """The span of time that the roll-ups and the views cover.

    Views before `until`, which is a full hour, are in the roll-ups. Views and hours before `since`, the start of a
    UTC day, may have been deleted. Nobody reads roll-ups from `until` on: they may be incomplete or outdated.
    """

    since: datetime = EPOCH
    until: datetime = EPOCH
    # A random token while the views from `until` to `claimed_until` are being rolled up. Views that arrive in this span
    # remove the claim.
    claim: str = ""
    claimed_until: datetime = EPOCH

    @classmethod
    def read(cls) -> RollupProgress:
        # From the database, not from the session: the progress must be as new as the roll-ups that are read next.
        stored = db.session.scalar(select(Setting.value).where(Setting.name == "view_rollups")) or {}
        claim = stored.pop("claim", "")
        return cls(**{name: parse(text) for name, text in stored.items()}, claim=claim)

    def write(self) -> None:
        times = {name: stamp(getattr(self, name)) for name in ("since", "until", "claimed_until")}
        Setting.write("view_rollups", {**times, "claim": self.claim})

    def claimed(self, start: datetime, end: datetime) -> RollupProgress:
        """Return the progress while the views of one day are rolled up again, from its start to `end`."""
        return replace(self, until=start, claim=token_hex(8), claimed_until=end)

    def finished(self) -> RollupProgress:
        """Return the progress after the claimed views were rolled up."""
        return replace(self, until=self.claimed_until, claim="", claimed_until=EPOCH)

    def with_views_at(self, at: datetime) -> RollupProgress:
        """Return the progress after views were added, the first of them at this time."""
        if at >= max(self.until, self.claimed_until):
            return self
        return replace(self, until=min(self.until, day_start(at)), claim="", claimed_until=EPOCH)


def next_month(day: date) -> date:
    """Return the first day of the next month."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


def day_start(at: datetime) -> datetime:
    """Return the start of the UTC day."""
    return at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


def next_midnight(at: datetime) -> datetime:
    """Return the start of the UTC day that begins at this time or next."""
    start = day_start(at)
    return start if start == at else start + DAY
