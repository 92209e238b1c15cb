"""A post: what the author writes, the state it is in, and the moves that each state allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ForeignKey, Index, String, bindparam, select, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import Fault, Invalid, NotFound, Stale, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.lib.text import written_words
from blogsvc.lib.time import stamp
from blogsvc.models.base import Base, db, wake_scheduler
from blogsvc.models.connection import SITE
from blogsvc.models.event import record
from blogsvc.models.media import note_uses
from blogsvc.models.post_fields import POST_FIELDS, PostFields, rev_of
from blogsvc.models.post_search import index_words
from blogsvc.models.revision import Revision

if TYPE_CHECKING:
    from blogsvc.models.delivery import Delivery

State = Literal["draft", "scheduled", "publishing", "published", "partial", "failed", "missed", "unpublished"]

# From each state, the moves that an author may make.
POST_MOVES: dict[str, tuple[str, ...]] = {
    "draft": ("edit", "schedule", "publish", "delete"),
    "scheduled": ("edit", "schedule", "unschedule", "publish", "delete"),
    "missed": ("edit", "schedule", "unschedule", "publish", "delete"),
    "unpublished": ("edit", "schedule", "publish", "delete"),
    "publishing": ("edit", "publish", "unpublish", "delete"),
    "published": ("edit", "publish", "unpublish", "delete"),
    "partial": ("edit", "publish", "unpublish", "delete"),
    "failed": ("edit", "publish", "unpublish", "delete"),
}


_IS_WAITING = text("state = 'scheduled' AND deleted_at IS NULL")
_IS_ON_SITE = text("site_revision_id IS NOT NULL")
_IS_TRASHED = text("deleted_at IS NOT NULL")


class Post(PostFields, Base):
    """The working copy of a post, and where it stands. What readers see is a Revision."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    state: Mapped[State] = mapped_column(String(20), default="draft")
    platforms: Mapped[list[str]] = mapped_column(default=list)
    word_count: Mapped[int] = mapped_column(default=0)
    # Who began it in the pages; nobody, where it came through the API, or where they are here no more.
    author_id: Mapped[str | None] = mapped_column(String(40))

    scheduled_at: Mapped[datetime | None]
    # The wall time that the author named, kept so that the instant can follow a change of the zone's rules.
    wall_time: Mapped[str | None] = mapped_column(String(32))
    time_zone: Mapped[str | None] = mapped_column(String(64))
    fold: Mapped[int | None]

    revision_count: Mapped[int] = mapped_column(default=0)
    # The revision last sent out, or pinned to be. No foreign key: the two tables would need each other.
    live_revision_id: Mapped[str | None] = mapped_column(String(40))
    # What the built-in blog shows; None where the post is not on it.
    site_revision_id: Mapped[str | None] = mapped_column(String(40))
    has_unpublished_changes: Mapped[bool] = mapped_column(default=False)

    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    published_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]

    # Another one after each change to the post or to a delivery of it: what was made of an older one is stale.
    version: Mapped[str] = mapped_column(String(16), default=lambda: token_hex(8))

    deliveries: Mapped[list[Delivery]] = relationship(
        back_populates="post", order_by="Delivery.id", lazy="selectin", passive_deletes=True
    )

    __table_args__ = (
        Index(None, "created_at", "id"),
        Index(None, "updated_at", "id"),
        Index(None, "scheduled_at", "id"),
        Index(None, "published_at", "id"),
        Index(None, "title", "id"),
        Index(None, "state", "created_at", "id"),
        Index(None, "author_id", "created_at", "id"),
        Index("ix_post_trashed", "deleted_at", "id", sqlite_where=_IS_TRASHED, postgresql_where=_IS_TRASHED),
        Index("ix_post_due", "scheduled_at", sqlite_where=_IS_WAITING, postgresql_where=_IS_WAITING),
        Index("ix_post_on_site", "published_at", "id", sqlite_where=_IS_ON_SITE, postgresql_where=_IS_ON_SITE),
    )

    @classmethod
    def write(cls, words: dict[str, Any], platforms: list[str], now: datetime, post_id: str | None = None) -> Post:
        """A new draft, with its first revision. `words` has a free slug, `post_id` is one that it had and is free."""
        post = cls(
            id=post_id or new_id("post", now), state="draft", platforms=platforms, created_at=now, updated_at=now
        )
        post.tags, post.overrides, post.revision_count, post.has_unpublished_changes = [], {}, 0, False
        for name in POST_FIELDS:
            setattr(post, name, words.get(name, getattr(post, name)))
        post.word_count = written_words(post.content or "")
        db.session.add(post)
        db.session.flush()  # before all that refers to it
        db.session.add(PostSlug(slug=post.slug, post_id=post.id))
        post.index()
        return post

    @classmethod
    def get(cls, post_id: str, *, trashed: bool = False) -> Post:
        """The post, under the write lock where there is one. Raises NotFound; a discarded one only by `trashed`."""
        post = db.session.get(cls, post_id)
        if post is None or (post.deleted_at is not None and not trashed):
            raise NotFound(f"There is no post {post_id!r}.")
        return post

    @classmethod
    def version_of(cls, post_id: str, *, trashed: bool = False) -> str:
        """The version alone, for whoever holds what was made of it. Raises NotFound as `get` does."""
        row = db.session.execute(_VERSION, {"post_id": post_id}).first()
        if row is None or (row.deleted_at is not None and not trashed):
            raise NotFound(f"There is no post {post_id!r}.")
        version: str = row.version
        return version

    def may(self, move: str) -> None:
        """Raises StateConflict where this state does not allow the move."""
        check_transition("post", self.state, move, POST_MOVES)

    def index(self) -> None:
        """Bring the rows that lists filter by in step with the words, `tags` and `platforms`."""
        index_words(self.id, self.revision_count == 0, self.title, self.summary, *self.tags, self.content)
        wanted = {("tag", tag) for tag in self.tags} | {("platform", name) for name in self.platforms}
        there = {(label.kind, label.value): label for label in self._labels()}
        for key in there.keys() - wanted:
            db.session.delete(there[key])
        for kind, value in sorted(wanted - there.keys()):
            db.session.add(PostLabel(kind=kind, value=value, post_id=self.id))
        self._note_pictures()

    def _note_pictures(self) -> None:
        """Bring the rows that say which pictures it shows in step with its words, and with those of what is live."""
        ids = {self.live_revision_id, self.site_revision_id} - {None}
        sent = (db.session.get(Revision, id) for id in ids)
        shown = self.pictures().union(*(revision.pictures() for revision in sent if revision is not None))
        note_uses(self.id, shown, is_new=self.revision_count == 0)

    def _labels(self) -> Iterable[PostLabel]:
        if self.revision_count == 0:
            return ()
        return db.session.scalars(select(PostLabel).where(PostLabel.post_id == self.id))

    def revise(self, reason: str, now: datetime) -> Revision:
        """The latest revision, or a new one where the words have changed since."""
        last = self.latest_revision()
        if last is not None and last.words() == self.words():
            last.reason = reason if last.reason == "autosaved" else last.reason
            return last
        return self._add_revision(self.words(), reason, now)

    def autosave(self, now: datetime) -> None:
        """Keep the words as they stand: in the revision of this writing session, else in a new one.

        What is live, or pinned to be, is never rewritten.
        """
        last = self.latest_revision()
        if (
            last is not None
            and last.is_of_session(now)
            and last.id not in (self.live_revision_id, self.site_revision_id)
        ):
            last.rewrite(self.words())
        else:
            self.revise("autosaved", now)

    def set_aside(self, words: dict[str, Any], now: datetime) -> Revision:
        """Keep words that were not taken up, beside the working copy."""
        return self._add_revision(self.words() | words, "set aside", now)

    def _add_revision(self, words: dict[str, Any], reason: str, now: datetime) -> Revision:
        self.revision_count += 1
        revision = Revision.of(self.id, self.revision_count, words, reason, now)
        db.session.add(revision)
        return revision

    def latest_revision(self) -> Revision | None:
        if self.revision_count == 0:
            return None
        return db.session.scalar(
            select(Revision).where(Revision.post_id == self.id, Revision.number == self.revision_count)
        )

    def live_revision(self) -> Revision | None:
        return db.session.get(Revision, self.live_revision_id) if self.live_revision_id else None

    def pinned_revision(self) -> Revision | None:
        """What readers see or will see; None where nothing is published or scheduled, though something once was."""
        return self.live_revision() if self.state == "scheduled" or self.published_at else None

    def note_changes(self) -> None:
        """Whether the words are others than those that were published or have a time."""
        pinned = self.pinned_revision()
        self.has_unpublished_changes = pinned is not None and pinned.words() != self.words()

    @property
    def rev(self) -> str:
        """What somebody has seen who reads the words and platforms now, to be given back when they are changed."""
        return rev_of(self, (*POST_FIELDS, "platforms"))

    def demand_seen(self, rev: str, names: Collection[str]) -> None:
        """Raises Stale where one of these is not any more what it was for who saw `rev`."""
        if not self.is_seen_as(rev, names):
            raise Stale("This was changed elsewhere since you last saw it.")

    def pin(self, reason: str, now: datetime) -> Revision:
        """Choose the words as they stand for sending out, rendered once and for all."""
        revision = self.revise(reason, now)
        revision.render()
        was, self.live_revision_id = self.live_revision_id, revision.id
        self.has_unpublished_changes = False
        if was not in (None, revision.id):
            self._note_pictures()
        return revision

    def schedule(self, at: datetime, now: datetime) -> None:
        self.may("schedule")
        self.state, self.scheduled_at = "scheduled", at
        self.pin("scheduled", now)
        wake_scheduler()

    def reschedule(self, at: datetime) -> None:
        """Another time for the revision that is pinned."""
        self.may("schedule")
        self.scheduled_at = at
        wake_scheduler()

    def miss(self, now: datetime) -> None:
        """Its time came and it could not go out: its author chooses now, later or never."""
        self.state = "missed"
        record("post.missed", now, post_id=self.id, scheduledAt=stamp(self.scheduled_at) if self.scheduled_at else None)

    def unschedule(self) -> bool:
        """Take its time back. Answers whether it had one."""
        if self.state in {"draft", "unpublished"}:
            return False
        self.may("unschedule")
        self.retire()
        return True

    def rewrite(self, words: dict[str, Any], platforms: list[str], now: datetime) -> None:
        """Change the working copy."""
        for name, value in words.items():
            setattr(self, name, value)
        self.platforms, self.updated_at = platforms, now
        self.word_count = written_words(self.content)
        self.index()

    def demand_words(self, what: str) -> None:
        """Raises Invalid where there is nothing to publish, or nowhere to publish it."""
        faults = []
        if not self.title.strip():
            faults.append(Fault("#/title", "required", f"A post that is {what} needs a title; give it one first."))
        if not self.content.strip():
            faults.append(Fault("#/content", "required", f"A post that is {what} needs content; write some first."))
        if not self.platforms:
            faults.append(Fault("#/platforms", "required", f"A post that is {what} needs at least one platform."))
        if faults:
            raise Invalid(*faults)

    def enter_site(self, delivery: Delivery, now: datetime) -> bool:
        """Show the live revision on our own blog. Answers whether that changes what readers see."""
        was, self.site_revision_id = self.site_revision_id, self.live_revision_id
        is_news = was != self.live_revision_id
        if is_news and was is not None:
            self._note_pictures()
        delivery.deliver_here(self.live_revision(), now)
        return is_news

    def leave_site(self, now: datetime) -> None:
        """Take the page off our own blog."""
        was, self.site_revision_id = self.site_revision_id, None
        if was != self.live_revision_id:
            self._note_pictures()
        delivery = self.delivery_to(SITE)
        if delivery is not None:
            delivery.revision_id = None
            delivery.is_gone(now)

    def retire(self) -> None:
        """The state of a post that is out of the trash again: nothing of it is scheduled or live."""
        self.state = "draft" if self.published_at is None else "unpublished"
        self.scheduled_at = self.wall_time = self.time_zone = self.fold = None

    @property
    def is_live(self) -> bool:
        """Whether it was published and not taken down: its copies are kept in step from now on."""
        return self.state in {"publishing", "published", "partial", "failed"}

    def settle(self, now: datetime) -> None:
        """Follow the deliveries, in the transaction that changes them, and record a state that is new."""
        state = state_of([delivery for delivery in self.deliveries if not delivery.is_leftover])
        if self.is_live and state != self.state:
            self.state = state
            record(f"post.{state}", now, post_id=self.id)

    def delivery_to(self, platform: str) -> Delivery | None:
        return next((delivery for delivery in self.deliveries if delivery.platform == platform), None)


_VERSION = select(Post.version, Post.deleted_at).where(Post.id == bindparam("post_id"))


def state_of(deliveries: Collection[Delivery]) -> State:
    """The state of a published post, derived from its deliveries and from nothing else."""
    states = {delivery.state for delivery in deliveries}
    if states & {"queued", "sending", "retrying"}:
        return "publishing"
    if states <= {"withdrawn"}:
        return "unpublished"
    if states <= {"delivered", "withdrawn"}:
        return "published"
    return "partial" if states & {"delivered", "uncertain"} else "failed"


class PostSlug(Base):
    """A slug, and the post that it leads to, now or formerly: old links go on working."""

    __tablename__ = "address"

    slug: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)


class PostLabel(Base):
    """A tag or platform of a post, as a row of its own so that lists can filter by it."""

    __tablename__ = "label"

    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    value: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)


def ids_of_author(person_id: str) -> tuple[str, ...]:
    """The posts that a person began, in the trash or not."""
    return tuple(db.session.scalars(select(Post.id).where(Post.author_id == person_id)))


def due_posts(now: datetime, most: int) -> list[Post]:
    """Scheduled posts whose time has come, oldest first."""
    query = (
        select(Post)
        .where(Post.state == "scheduled", Post.deleted_at.is_(None), Post.scheduled_at <= now)
        .order_by(Post.scheduled_at, Post.id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return list(db.session.scalars(query))


@contextmanager
def live_revisions(posts: list[Post]) -> Iterator[None]:
    """Read the revisions of many posts at once; while this lasts, `live_revision()` asks no more."""
    ids = [post.live_revision_id for post in posts]
    held = db.session.scalars(select(Revision).where(Revision.id.in_(ids))).all() if ids else []
    yield
    del held


def next_scheduled_at() -> datetime | None:
    return db.session.scalar(
        select(Post.scheduled_at)
        .where(Post.state == "scheduled", Post.deleted_at.is_(None))
        .order_by(Post.scheduled_at)
        .limit(1)
    )
