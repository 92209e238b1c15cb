"""What a user or an API key has created on a day, and the quotas for it. Imports and the command line have none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import BigInteger, String, Update, and_, bindparam, func, insert, or_, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.config import Config
from blogsvc.errors import Fault, Invalid
from blogsvc.lib.sizes import MIB
from blogsvc.models.adoptable import is_key
from blogsvc.models.base import Base, db
from blogsvc.models.media import Media
from blogsvc.models.transactions import connection


class Usage(Base):
    # The id of a user or an API key.
    creator_id: Mapped[str] = mapped_column(String(40), primary_key=True)
    # A UTC day.
    day: Mapped[date] = mapped_column(primary_key=True)
    posts: Mapped[int] = mapped_column(default=0)
    # Of uploaded images, as they were uploaded.
    bytes: Mapped[int] = mapped_column(BigInteger, default=0)


_IS_TODAY = and_(Usage.creator_id == bindparam("who"), Usage.day == bindparam("today"))
_BYTES_TODAY = select(Usage.bytes).where(_IS_TODAY)


def _add_to(column: str) -> Update:
    """Return the statement that adds an amount, unless that exceeds the most; 0 is no limit."""
    amount, most = bindparam("amount", type_=BigInteger), bindparam("most", type_=BigInteger)
    new = Usage.__table__.c[column] + amount
    return update(Usage).where(_IS_TODAY, or_(most == 0, new <= most)).values({column: new})


# Made once, because every new post counts.
_ADD = {column: _add_to(column) for column in ("posts", "bytes")}


@dataclass(frozen=True)
class Quota:
    """The quotas of a user or an API key. A limit of 0 means none."""

    creator_id: str
    config: Config

    def count_post(self, now: datetime) -> None:
        """Count a new post. Raises Invalid if there are too many. Call it in the transaction that creates the post."""
        most = self.config.posts_per_day
        if not self._add("posts", 1, most, now):
            raise _exceeded(
                f"{self._who} created {most:,} posts today, which is the limit. Continue tomorrow (UTC), or raise"
                " BLOGSVC_POSTS_PER_DAY."
            )

    def require_upload(self, size: int, now: datetime) -> None:
        """Raise Invalid if an upload of this size, in bytes, would exceed the quota of today."""
        most = self.config.upload_mib_per_day * MIB
        used = db.session.scalar(_BYTES_TODAY, {"who": self.creator_id, "today": now.date()}) or 0
        if most and used + size > most:
            raise self._upload_exceeded()

    def count_upload(self, size: int, now: datetime) -> None:
        """Count an upload. Call it in the transaction that stores the image, which checks the quota again."""
        if not self._add("bytes", size, self.config.upload_mib_per_day * MIB, now):
            raise self._upload_exceeded()

    def _upload_exceeded(self) -> Invalid:
        return _exceeded(
            f"{self._who} uploaded almost {self.config.upload_mib_per_day:,} MiB today, which is the limit. Continue"
            " tomorrow (UTC), or raise BLOGSVC_UPLOAD_MIB_PER_DAY."
        )

    def _add(self, column: str, amount: int, most: int, now: datetime) -> bool:
        """Add to a column of today's row. Returns False, with nothing changed, if that would exceed `most`."""
        rows, today = connection(), {"who": self.creator_id, "today": now.date()}
        if rows.execute(_ADD[column], {**today, "amount": amount, "most": most}).rowcount:
            return True
        if rows.scalar(_BYTES_TODAY, today) is not None or (most and amount > most):
            return False
        counts = {"posts": 0, "bytes": 0, column: amount}
        rows.execute(insert(Usage), {"creator_id": self.creator_id, "day": now.date(), **counts})
        return True

    @property
    def _who(self) -> str:
        return "This API key" if is_key(self.creator_id) else "You"


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
