"""An import: an uploaded file of posts, the posts found in it, and the progress."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import JSON, BigInteger, ForeignKey, Index, Integer, String, Text, UniqueConstraint, func, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.lease import Leased
from blogsvc.models.transactions import wake_scheduler

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
# The imports that somebody began after the review: they may have created posts.
BEGUN = ("running", "finished", "cancelled")
# A worker renews its lease regularly. After this time without renewal, another worker may take over.
LEASE = timedelta(seconds=30)


class ImportJob(Leased, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    filename: Mapped[str] = mapped_column(String(255))
    format: Mapped[str | None] = mapped_column(String(20))
    state: Mapped[State] = mapped_column(String(20))
    # What the user chose, and "interrupted", the number of `interruptions`.
    choices: Mapped[dict[str, Any]] = mapped_column(default=dict)
    # The user who started the import, and author of the imported posts. None from the command line.
    user_id: Mapped[str | None] = mapped_column(String(40))
    # Contents of the file that are not posts or pages: [["3 products", "Only posts and pages are imported."]].
    # When the import has ended, also images of no post that could not be imported.
    left_out: Mapped[list[list[str]]] = mapped_column(JSON, default=list)
    # How many addresses of the old blog are known, how many lead to a page here, and which do not, with the reason:
    # {"known": 309, "found": 308, "missing": [["/shop", "Only posts and pages are imported."]]}. While the import is
    # planned, as it will be, beside what else is taken over: pages, authors, links and facts about the blog.
    old_addresses: Mapped[dict[str, Any] | None] = mapped_column(JSON, deferred=True)  # it may be long
    error: Mapped[str | None] = mapped_column(String(2000))
    # Failed image downloads by host. After several failures, the other images of that host are skipped.
    failures: Mapped[dict[str, Any]] = mapped_column(default=dict)
    created_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]

    __table_args__ = (Index(None, "state"),)

    @classmethod
    def of(cls, filename: str, user_id: str | None, now: datetime) -> ImportJob:
        return cls(
            id=new_id("imp", now),
            filename=filename[-255:],
            state="reading",
            user_id=user_id,
            choices={},
            left_out=[],
            failures={},
            fence=0,
            created_at=now,
        )

    @classmethod
    def get(cls, import_id: str) -> ImportJob:
        """Return the import. Raises NotFound."""
        found = db.session.get(cls, import_id)
        if found is None:
            raise NotFound(f"There is no import {import_id!r}.")
        return found

    @classmethod
    def latest(cls, most: int = 20) -> list[ImportJob]:
        return list(db.session.scalars(select(cls).order_by(cls.created_at.desc(), cls.id.desc()).limit(most)))

    @classmethod
    def at_work(cls) -> list[ImportJob]:
        """Return the imports that read their file or import posts, oldest first."""
        return list(db.session.scalars(select(cls).where(cls.state.in_(AT_WORK)).order_by(cls.created_at)))

    def require_move(self, move: str) -> None:
        """Raise StateConflict unless this state allows the move."""
        check_transition("import", self.state, move, IMPORT_MOVES)

    @property
    def is_at_work(self) -> bool:
        return self.state in AT_WORK

    def claim(self, now: datetime, owner: str) -> int | None:
        """Take the lease and return its fencing number. None if another worker has it or there is nothing to do."""
        if not self.is_at_work or (self.lease_until is not None and self.lease_until > now):
            return None
        if self.state == "reading" and self.lease_owner is not None:  # who had the lease did not give it back
            self.choices = {**self.choices, "interrupted": self.interruptions + 1}
        return self.take_lease(now, LEASE, owner)

    @property
    def interruptions(self) -> int:
        """How often a worker was killed, or stopped in another way, while it read the file."""
        return int(self.choices.get("interrupted", 0))

    def is_held(self, fence: int) -> bool:
        return self.fence == fence and self.is_at_work

    def move_to(self, state: State, now: datetime) -> None:
        self.state = state
        self.end_lease()
        if not self.is_at_work and state != "planned":
            self.finished_at = now
        if self.is_at_work:
            wake_scheduler()

    def counts(self) -> dict[str, int]:
        """Return the number of posts in each state."""
        query = select(ImportedPost.state, func.count()).where(ImportedPost.import_id == self.id)
        counted = dict(iter(db.session.execute(query.group_by(ImportedPost.state))))
        return {state: counted.get(state, 0) for state in ("waiting", "made", "skipped", "failed")}


class ImportedPost(Base):
    """One post of the file. Its parsed content is stored in a separate file, at offset `place`, `length` bytes long."""

    id: Mapped[int] = mapped_column(BigInteger().with_variant(Integer, "sqlite"), primary_key=True)
    import_id: Mapped[str] = mapped_column(ForeignKey("import_job.id", ondelete="CASCADE"))
    number: Mapped[int]
    # Identifies the post in its source, so that it is not imported twice.
    source: Mapped[str] = mapped_column(String(100), index=True)
    title: Mapped[str] = mapped_column(String(300))
    slug: Mapped[str] = mapped_column(String(100))
    # "draft", "published", or "scheduled" for a post that can keep its time.
    status: Mapped[str] = mapped_column(String(20))
    # Why the post would be skipped, as of reading the file: known (imported before), taken (slug in use), or None.
    obstacle: Mapped[str | None] = mapped_column(String(20))
    warnings: Mapped[list[str]] = mapped_column(default=list)
    # The former URL, without scheme and trailing slash, or only its path. Used for links between the imported posts.
    address: Mapped[str | None] = mapped_column(String(500))
    # The slug of the name of its file, by which other files link to it.
    file_name: Mapped[str | None] = mapped_column(String(100))
    place: Mapped[int] = mapped_column(BigInteger)
    length: Mapped[int]
    state: Mapped[EntryState] = mapped_column(String(20))
    detail: Mapped[str | None] = mapped_column(Text)
    post_id: Mapped[str | None] = mapped_column(ForeignKey("post.id", ondelete="SET NULL"), index=True)

    __table_args__ = (
        UniqueConstraint("import_id", "number"),
        *(Index(None, "import_id", name) for name in ("address", "slug", "title", "file_name")),
    )

    @classmethod
    def next_of(cls, import_id: str, most: int) -> list[ImportedPost]:
        query = select(cls).where(cls.import_id == import_id, cls.state == "waiting").order_by(cls.number)
        return list(db.session.scalars(query.limit(most)))

    @classmethod
    def all_of(cls, import_id: str) -> list[ImportedPost]:
        return list(db.session.scalars(select(cls).where(cls.import_id == import_id).order_by(cls.number)))

    @classmethod
    def snapshot_of(cls, import_id: str) -> list[ImportedPost]:
        """Return the posts as they are now. No transaction expires them, so that reading them asks for none again."""
        entries = cls.all_of(import_id)
        for entry in entries:
            db.session.expunge(entry)
        return entries

    def close(self, state: EntryState, detail: str | None = None) -> None:
        self.state, self.detail = state, detail


class ImportedImage(Base):
    """An image that an import has already stored, so that other posts with the same image reuse it."""

    import_id: Mapped[str] = mapped_column(ForeignKey("import_job.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(String(64), primary_key=True)
    media_id: Mapped[str] = mapped_column(ForeignKey("media.id", ondelete="CASCADE"), index=True)


def known_sources(sources: Collection[str]) -> dict[str, str]:
    """Return the sources that were imported already and whose post still exists, with the id of that post."""
    wanted = list(sources)
    post_ids: dict[str, str] = {}
    for start in range(0, len(wanted), 500):
        some = ImportedPost.source.in_(wanted[start : start + 500])
        query = select(ImportedPost.source, ImportedPost.post_id).where(some, ImportedPost.post_id.is_not(None))
        post_ids |= {source: post_id for source, post_id in db.session.execute(query) if post_id}
    return post_ids


def due_imports(now: datetime) -> list[str]:
    """Return the ids of the imports that need work and have no active lease, oldest first."""
    return [one.id for one in ImportJob.at_work() if one.lease_until is None or one.lease_until <= now]


def next_due_at(but: Collection[str] = ()) -> datetime | None:
    """Return when the next import is due, without those in `but`; None if there is none."""
    query = select(ImportJob).where(ImportJob.state.in_(AT_WORK), ImportJob.id.not_in(but))
    return min((one.lease_until or one.created_at for one in db.session.scalars(query)), default=None)
