"""Missing addresses: which paths without a page readers have asked for, and how often."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import String, delete, or_, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.models.base import Base, db
from blogsvc.models.redirect import MAX_ADDRESS_LENGTH

MAX_MISSING = 500
# An address that nobody has asked for in this time is forgotten.
KEPT_FOR = timedelta(days=90)
MAX_HOST_LENGTH = 253


@dataclass
class Requests:
    """How often readers asked for an address, on which days, and from where they came last."""

    count: int
    first_on: date
    last_on: date
    referrer_host: str | None

    def add(self, other: Requests) -> None:
        self.count += other.count
        self.first_on, self.last_on = min(self.first_on, other.first_on), max(self.last_on, other.last_on)
        self.referrer_host = other.referrer_host or self.referrer_host


class MissingAddress(Base):
    __tablename__ = "missing"

    # A decoded path without trailing slash.
    path: Mapped[str] = mapped_column(String(MAX_ADDRESS_LENGTH), primary_key=True)
    count: Mapped[int]
    first_on: Mapped[date]
    last_on: Mapped[date]
    # The host of the page that linked to the address, which may be this blog.
    referrer_host: Mapped[str | None] = mapped_column(String(MAX_HOST_LENGTH))

    @classmethod
    def get(cls, path: str) -> MissingAddress:
        row = db.session.get(cls, path)
        if row is None:
            raise NotFound(f"{path!r} is not among the missing addresses.")
        return row


def add_requests(requests: Mapping[str, Requests]) -> None:
    """Count requests, inside the caller's transaction. The rarest addresses leave if there are too many."""
    rows = {row.path: row for row in db.session.scalars(select(MissingAddress))}
    totals = {path: Requests(row.count, row.first_on, row.last_on, row.referrer_host) for path, row in rows.items()}
    for path, more in requests.items():
        totals.setdefault(path, Requests(0, more.first_on, more.last_on, None)).add(more)
    for path in requests.keys() & _kept(totals):
        values = vars(totals[path])
        if path in rows:
            for name, value in values.items():
                setattr(rows[path], name, value)
        else:
            db.session.add(MissingAddress(path=path, **values))
    remove(rows.keys() - _kept(totals))


def _kept(totals: Mapping[str, Requests]) -> set[str]:
    today = max(one.last_on for one in totals.values())
    recent = [path for path, one in totals.items() if today - one.last_on <= KEPT_FOR]
    recent.sort(key=lambda path: (totals[path].count, totals[path].last_on), reverse=True)
    return set(recent[:MAX_MISSING])


def remove(paths: Collection[str]) -> None:
    if paths:
        db.session.execute(delete(MissingAddress).where(MissingAddress.path.in_(list(paths))))


def worth_showing() -> list[MissingAddress]:
    """Return the addresses that were asked for on two days or that a page links to, those asked for most first."""
    is_repeated = MissingAddress.first_on != MissingAddress.last_on
    query = select(MissingAddress).where(or_(is_repeated, MissingAddress.referrer_host.is_not(None)))
    return list(db.session.scalars(query.order_by(MissingAddress.count.desc(), MissingAddress.path)))
