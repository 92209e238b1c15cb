"""IndexNow: the pages about which search engines are to be told, and how the last requests went."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_hex

from sqlalchemy import String, Text, bindparam, delete, exists, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.revision import IS_FINDABLE_REVISION, Revision
from blogsvc.models.transactions import execute_write

MAX_URLS = 10_000  # the maximum of the protocol in one request
# Changes of this time share a request.
GATHER = timedelta(minutes=1)
# After this time without a result, a request that a stopped process was sending is sent again.
LEASE = timedelta(minutes=2)
# No wait is longer; a later time means that the system time was set back.
MAX_WAIT = timedelta(days=1)


class IndexNow(Base):
    """The only row: whether search engines are told, and how the last requests went."""

    id: Mapped[int] = mapped_column(primary_key=True)
    is_on: Mapped[bool]
    # The name and the content of a public file, by which search engines know that the request is from this blog.
    key: Mapped[str] = mapped_column(String(32))
    # The number of the last request.
    fence: Mapped[int] = mapped_column(default=0)
    # No request is sent before this time.
    not_before: Mapped[datetime | None]
    failure_count: Mapped[int] = mapped_column(default=0)
    told_at: Mapped[datetime | None]
    told_urls: Mapped[int | None]
    told_status: Mapped[int | None]
    failed_at: Mapped[datetime | None]
    # Why the last request failed; None if it succeeded.
    problem: Mapped[str | None] = mapped_column(Text)

    @classmethod
    def find(cls, *, is_locked: bool = False) -> IndexNow | None:
        query = select(cls).where(cls.id == 1)
        return db.session.scalar(query.with_for_update() if is_locked else query)

    @classmethod
    def add(cls) -> IndexNow:
        """Add the row, with a new key."""
        row = cls(id=1, is_on=False, key=token_hex(16), fence=0, failure_count=0)
        db.session.add(row)
        return row

    def claim(self, now: datetime) -> int:
        """Start a request about the oldest changes, and return its number."""
        self.fence += 1
        self.not_before = now + LEASE
        oldest = select(ChangedPage.id).order_by(ChangedPage.id).limit(MAX_URLS)
        db.session.execute(
            update(ChangedPage).where(ChangedPage.id.in_(oldest.scalar_subquery())).values(fence=self.fence)
        )
        return self.fence

    def record_told(self, urls: int, status: int, now: datetime) -> None:
        """Record that search engines know about the changes of the request."""
        self.told_at, self.told_urls, self.told_status = now, urls, status
        self.forget_claimed()
        self.problem = None

    def postpone(self, problem: str, until: datetime, now: datetime) -> None:
        """Record that the request failed, and is sent again later."""
        self.failure_count += 1
        self.problem, self.failed_at, self.not_before = problem, now, until

    def give_up(self, problem: str, now: datetime) -> None:
        """Record that the changes of the request are not told."""
        self.problem, self.failed_at = problem, now
        self.forget_claimed()

    def forget_claimed(self) -> None:
        """Forget the changes of the request."""
        db.session.execute(delete(ChangedPage).where(ChangedPage.fence == self.fence))
        self.failure_count, self.not_before = 0, None


class ChangedPage(Base):
    """A change at an address of the blog that search engines are to be told: a page is new, changed or gone."""

    id: Mapped[int] = mapped_column(primary_key=True)
    slug: Mapped[str] = mapped_column(String(100))
    changed_at: Mapped[datetime]
    # The number of the request that tells it.
    fence: Mapped[int | None] = mapped_column(index=True)


# The condition of revisions whose addresses search engines may learn.
IS_TELLABLE = (*IS_FINDABLE_REVISION, Revision.canonical_url.is_(None))
_ADD = insert(ChangedPage).from_select(
    [ChangedPage.slug, ChangedPage.changed_at],
    select(Revision.slug, bindparam("now", type_=ChangedPage.changed_at.type)).where(
        Revision.id == bindparam("shown"),
        Revision.slug != bindparam("noted"),
        *IS_TELLABLE,
        exists().where(IndexNow.is_on),
    ),
)


def note_change(former_id: str | None, revision: Revision | None, now: datetime) -> None:
    """Note that the blog shows another revision of a post, if search engines are told.

    Args:
        former_id: the id of the revision that the blog showed; None for none.
        revision: the one that it shows; None for none.
    """
    if revision is not None:
        execute_write(_ADD, {"shown": revision.id, "noted": "", "now": now})
    if former_id is not None:
        execute_write(_ADD, {"shown": former_id, "noted": revision.slug if revision else "", "now": now})


def next_due_at() -> datetime | None:
    """Return when the next request is due; None if there is nothing to tell."""
    first = select(ChangedPage.changed_at).order_by(ChangedPage.id).limit(1).scalar_subquery()
    row = db.session.execute(select(IndexNow.not_before, first).where(IndexNow.is_on)).first()
    if row is None or row[1] is None:
        return None
    not_before, changed_at = row
    return max(changed_at + GATHER, not_before or changed_at)


def is_due(now: datetime) -> bool:
    """Return True if a request is to be sent now."""
    at = next_due_at()
    return at is not None and (at <= now or at > now + MAX_WAIT + GATHER)


def forget_changes() -> None:
    db.session.execute(delete(ChangedPage))
