"""What a person or an API key has created on a day, and the quotas for it. Imports and the command line have none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import BigInteger, ColumnElement, String, func, insert, select, true, update
from sqlalchemy.orm import InstrumentedAttribute, Mapped, mapped_column

from blogsvc.config import Config
from blogsvc.errors import Fault, Invalid
from blogsvc.models.base import Base, db
from blogsvc.models.media import Media

MIB = 1024 * 1024


class Usage(Base):
    # The id of a person or an API key.
    maker: Mapped[str] = mapped_column(String(40), primary_key=True)
    # A UTC day.
    day: Mapped[date] = mapped_column(primary_key=True)
    posts: Mapped[int] = mapped_column(default=0)
    # Of uploaded images, as they were uploaded.
    bytes: Mapped[int] = mapped_column(BigInteger, default=0)


@dataclass(frozen=True)
class Quota:
    """The quotas of a person or an API key. A limit of 0 means none."""

    maker: str
    config: Config

    def count_post(self, now: datetime) -> None:
        """Count a new post. Raises Invalid if there are too many. Call it in the transaction that creates the post."""
        most = self.config.posts_per_day
        if not self._add(Usage.posts, 1, most, now):
            raise _exceeded(
                f"{self._who} created {most:,} posts today, which is the limit. Continue tomorrow (UTC), or raise"
                " BLOGSVC_POSTS_PER_DAY."
            )

    def require_upload(self, size: int, now: datetime) -> None:
        """Raise Invalid if an upload of this size, in bytes, would exceed the quota of today."""
        most = self.config.upload_mib_per_day * MIB
        if most and (db.session.scalar(select(Usage.bytes).where(*self._today(now))) or 0) + size > most:
            raise self._upload_exceeded()

    def count_upload(self, size: int, now: datetime) -> None:
        """Count an upload. Call it in the transaction that stores the image, which checks the quota again."""
        if not self._add(Usage.bytes, size, self.config.upload_mib_per_day * MIB, now):
            raise self._upload_exceeded()

    def _upload_exceeded(self) -> Invalid:
        return _exceeded(
            f"{self._who} uploaded almost {self.config.upload_mib_per_day:,} MiB today, which is the limit. Continue"
            " tomorrow (UTC), or raise BLOGSVC_UPLOAD_MIB_PER_DAY."
        )

    def _add(self, column: InstrumentedAttribute[int], amount: int, most: int, now: datetime) -> bool:
        """Add to a column of today's row. Returns False, with nothing changed, if that would exceed `most`."""
        today, rows = self._today(now), db.session().connection()
        is_within = column + amount <= most if most else true()
        if rows.execute(update(Usage).where(*today, is_within).values({column: column + amount})).rowcount:
            return True
        is_first = rows.scalar(select(func.count()).select_from(Usage).where(*today)) == 0
        if not is_first or (most and amount > most):
            return False
        counts = {"posts": 0, "bytes": 0, column.key: amount}
        rows.execute(insert(Usage).values(maker=self.maker, day=now.date(), **counts))
        return True

    def _today(self, now: datetime) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
        return Usage.maker == self.maker, Usage.day == now.date()

    @property
    def _who(self) -> str:
        return "This API key" if self.maker.startswith("key_") else "You"


def require_room(size: int, config: Config) -> None:
    """Raise Invalid if all images together would exceed their limit."""
    most = config.media_mib
    if most and (db.session.scalar(select(func.sum(Media.bytes))) or 0) + size > most * MIB:
        raise _exceeded(
            f"The images would take more than {most:,} MiB, which is the limit. Delete unused images, or raise"
            " BLOGSVC_MEDIA_MIB."
        )


def _exceeded(detail: str) -> Invalid:
    return Invalid(Fault("#", "quota_exceeded", detail))
