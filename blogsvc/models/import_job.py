"""An import: a file of posts that somebody brings from elsewhere, what was found in it, and how far it has come."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, String, Text, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db, wake_scheduler

State = Literal["reading", "planned", "running", "finished", "failed", "cancelled"]
EntryState = Literal["waiting", "made", "skipped", "failed"]
IMPORT_MOVES: dict[str, tuple[str, ...]] = {
    "reading": ("discard",),
    "planned": ("begin", "discard"),
    "running": ("cancel",),
    "finished": (),
    "failed": ("discard",),
    "cancelled": (),
}
AT_WORK = ("reading", "running")
# Whoever works on it says so as often; after so long without a word another may.
LEASE = timedelta(seconds=30)


class ImportJob(Base):
    __tablename__ = "import"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    filename: Mapped[str] = mapped_column(String(255))
    format: Mapped[str | None] = mapped_column(String(20))
    state: Mapped[State] = mapped_column(String(20))
    # Who brings it: the author of what comes in. Nobody, from the command line.
    person_id: Mapped[str | None] = mapped_column(String(40))
    choices: Mapped[dict[str, Any]] = mapped_column(default=dict)
    # What in the file is no post: [["3 pages", "Only posts are brought in."]].
    left_out: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    error: Mapped[str | None] = mapped_column(String(2000))
    # How often a host of pictures failed: one that does so often is not asked for all of them.
    failures: Mapped[dict[str, Any]] = mapped_column(default=dict)
    fence: Mapped[int] = mapped_column(default=0)
    lease_until: Mapped[datetime | None]
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]

    __table_args__ = (Index(None, "state"),)

    @classmethod
    def of(cls, filename: str, person_id: str | None, now: datetime) -> ImportJob:
        return cls(
            id=new_id("imp", now),
            filename=filename[-255:],
            state="reading",
            person_id=person_id,
            choices={},
            left_out=[],
            failures={},
            fence=0,
            created_at=now,
        )

    @classmethod
    def get(cls, import_id: str) -> ImportJob:
        """Raises NotFound."""
        found = db.session.get(cls, import_id)
        if found is None:
            raise NotFound(f"There is no import {import_id!r}.")
        return found

    @classmethod
    def latest(cls, most: int = 20) -> list[ImportJob]:
        return list(db.session.scalars(select(cls).order_by(cls.created_at.desc(), cls.id.desc()).limit(most)))

    def may(self, move: str) -> None:
        """Raises StateConflict."""
        check_transition("import", self.state, move, IMPORT_MOVES)

    @property
    def is_at_work(self) -> bool:
        return self.state in AT_WORK

    def claim(self, now: datetime) -> int | None:
        """Take it in hand: the number by which this worker alone may go on; None while another has it."""
        if not self.is_at_work or (self.lease_until is not None and self.lease_until > now):
            return None
        self.fence += 1
        self.lease_until = now + LEASE
        return self.fence

    def is_held(self, fence: int) -> bool:
        return self.fence == fence and self.is_at_work

    def move_to(self, state: State, now: datetime) -> None:
        self.state, self.lease_until = state, None
        if not self.is_at_work and state != "planned":
            self.finished_at = now
        if self.is_at_work:
            wake_scheduler()

    def counts(self) -> dict[str, int]:
        """How many of its entries are in each state."""
        query = select(ImportedPost.state, func.count()).where(ImportedPost.import_id == self.id)
        counted = dict(iter(db.session.execute(query.group_by(ImportedPost.state))))
        return {state: counted.get(state, 0) for state in ("waiting", "made", "skipped", "failed")}


class ImportedPost(Base):
    """One post of the file. What was found of it is put aside, in a file, at `place` and so long."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    import_id: Mapped[str] = mapped_column(ForeignKey("import.id", ondelete="CASCADE"))
    number: Mapped[int]
    # Names it where it came from: whatever came in once does not come in again.
    source: Mapped[str] = mapped_column(String(100), index=True)
    title: Mapped[str] = mapped_column(String(300))
    slug: Mapped[str] = mapped_column(String(100))
    status: Mapped[str] = mapped_column(String(20))
    # Why it would be skipped, as it looked when the file was read: known, taken; None where it is new.
    obstacle: Mapped[str | None] = mapped_column(String(20))
    warnings: Mapped[list[str]] = mapped_column(default=list)
    # Where it was read, without scheme and slash at the end; for links among the posts.
    address: Mapped[str | None] = mapped_column(String(500))
    place: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int]
    state: Mapped[EntryState] = mapped_column(String(20))
    detail: Mapped[str | None] = mapped_column(Text)
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="SET NULL"), index=True)

    __table_args__ = (UniqueConstraint("import_id", "number"), Index(None, "import_id", "address"))

    @classmethod
    def next_of(cls, import_id: str) -> ImportedPost | None:
        query = select(cls).where(cls.import_id == import_id, cls.state == "waiting").order_by(cls.number)
        return db.session.scalar(query.limit(1))

    @classmethod
    def all_of(cls, import_id: str) -> list[ImportedPost]:
        return list(db.session.scalars(select(cls).where(cls.import_id == import_id).order_by(cls.number)))

    def close(self, state: EntryState, detail: str | None = None) -> None:
        self.state, self.detail = state, detail


class ImportedImage(Base):
    """A picture that an import has taken in: the next post that shows it shows the same."""

    __tablename__ = "imported_picture"

    import_id: Mapped[str] = mapped_column(ForeignKey("import.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    media_id: Mapped[str] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), index=True)


def known_sources(sources: Collection[str]) -> dict[str, str]:
    """Of these, those whose post is here, each with the id of that."""
    wanted = list(sources)
    found: dict[str, str] = {}
    for start in range(0, len(wanted), 500):
        some = ImportedPost.source.in_(wanted[start : start + 500])
        query = select(ImportedPost.source, ImportedPost.post_id).where(some, ImportedPost.post_id.is_not(None))
        found |= {source: post_id for source, post_id in db.session.execute(query) if post_id}
    return found


def due_imports(now: datetime) -> list[str]:
    """Those to be worked on that nobody has in hand."""
    query = select(ImportJob).where(ImportJob.state.in_(AT_WORK)).order_by(ImportJob.created_at)
    return [one.id for one in db.session.scalars(query) if one.lease_until is None or one.lease_until <= now]


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """When the next is due, other than those."""
    query = select(ImportJob).where(ImportJob.state.in_(AT_WORK), ImportJob.id.not_in(but))
    return min((one.lease_until or one.created_at for one in db.session.scalars(query)), default=None)
