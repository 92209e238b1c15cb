"""A post, its states, and the moves that each state allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Literal

from sqlalchemy import ColumnElement, ForeignKey, Index, String, and_, bindparam, delete, insert, select, text
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import Fault, Invalid, NotFound, Stale, check_transition
from blogsvc.lib.ids import new_id
from blogsvc.lib.text.facts import facts_of, is_large_removal, removed_words
from blogsvc.lib.time import stamp
from blogsvc.models.base import Base, db, execute_write, partial_index, wake_scheduler
from blogsvc.models.connection import SITE
from blogsvc.models.event import is_first_publication, record
from blogsvc.models.media import note_uses
from blogsvc.models.post_fields import POST_FIELDS, PostFields, rev_of
from blogsvc.models.post_search import index_words
from blogsvc.models.revision import KEPT_REASONS, Revision

if TYPE_CHECKING:
    from blogsvc.models.delivery import Delivery

State = Literal["draft", "scheduled", "publishing", "published", "partial", "failed", "missed", "unpublished"]

# The moves that an author may make in each state.
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
    """The working copy of a post, and its state. Readers see a Revision of it."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    state: Mapped[State] = mapped_column(String(20), default="draft")
    platforms: Mapped[list[str]] = mapped_column(default=list)
    word_count: Mapped[int] = mapped_column(default=0)
    # The user who created the post. None if it came from the API or the user was removed.
    author_id: Mapped[str | None] = mapped_column(String(40))
    # The id of the post in the feeds of the blog that it was imported from. None for the id that this blog makes.
    feed_id: Mapped[str | None] = mapped_column(String(500))

    scheduled_at: Mapped[datetime | None]
    # The local time that the author entered, kept so that `scheduled_at` can be computed again if the rules of the
    # time zone change. `fold` selects one of two equal local times, as in datetime.
    wall_time: Mapped[str | None] = mapped_column(String(32))
    time_zone: Mapped[str | None] = mapped_column(String(64))
    fold: Mapped[int | None]

    revision_count: Mapped[int] = mapped_column(default=0)
    # The revision that was last published or is pinned for publishing. Not a foreign key, to avoid a cycle between
    # the two tables.
    live_revision_id: Mapped[str | None] = mapped_column(String(40))
    # The revision on the built-in blog, or None if the post is not on it.
    site_revision_id: Mapped[str | None] = mapped_column(String(40))
    has_unpublished_changes: Mapped[bool] = mapped_column(default=False)

    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    published_at: Mapped[datetime | None]
    # The date that a post from elsewhere gets as `published_at` when it is first published. None: the time of that.
    dated_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]

    # A random value that changes with every change of the post or its deliveries. Part of the cache key.
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
        partial_index("ix_post_trashed", "deleted_at", "id", where=_IS_TRASHED),
        partial_index("ix_post_due", "scheduled_at", where=_IS_WAITING),
        partial_index("ix_post_on_site", "published_at", "id", where=_IS_ON_SITE),
    )

    @classmethod
    def write(
        cls,
        fields: dict[str, Any],
        platforms: list[str],
        now: datetime,
        reason: str = "saved",
        *,
        author_id: str | None = None,
        updated_at: datetime | None = None,
        post_id: str | None = None,
    ) -> Post:
        """Create a draft with its first revision.

        Args:
            fields: field values, with an unused slug.
            reason: why the revision is stored.
            updated_at: the time of the last change, for an imported post; None for `now`.
            post_id: an unused id to keep, for a post exported from another instance; None for a new id.
        """
        post = cls(id=post_id or new_id("post", now), state="draft", platforms=platforms, created_at=now)
        post.updated_at, post.author_id, post.revision_count = updated_at or now, author_id, 1
        post.tags, post.overrides, post.has_unpublished_changes = [], {}, False
        post.deliveries = []  # known to be empty, so that it is not loaded
        for name in POST_FIELDS:
            setattr(post, name, fields.get(name, getattr(post, name)))
        post.word_count = facts_of(post.content or "").words
        db.session.add(post)
        db.session.flush()  # before the rows that refer to the post
        first = post._store(Revision.of(post.id, 1, post.fields(), reason, post.updated_at))
        first.created_by = first.created_by or author_id
        execute_write(_INSERT_SLUG, {"slug": post.slug, "post_id": post.id, "was_shown": False})
        post._index_words(is_new=True)
        post._store_labels(set())
        note_uses(post.id, post.image_keys(), is_new=True)
        return post

    @classmethod
    def get(cls, post_id: str, *, trashed: bool = False) -> Post:
        """Return the post. Raises NotFound, also for a post in the trash, unless `trashed` is set."""
        post = db.session.get(cls, post_id)
        if post is None or (post.deleted_at is not None and not trashed):
            raise NotFound(f"There is no post {post_id!r}.")
        return post

    @classmethod
    def version_of(cls, post_id: str, *, trashed: bool = False) -> str:
        """Return only the version, which is enough to find the cached document. Raises NotFound as `get` does."""
        row = db.session.execute(_VERSION, {"post_id": post_id}).first()
        if row is None or (row.deleted_at is not None and not trashed):
            raise NotFound(f"There is no post {post_id!r}.")
        version: str = row.version
        return version

    def feed_id_at(self, host: str) -> str:
        """Return the permanent id of the post in the feeds of the blog at this host."""
        return self.feed_id or self.own_feed_id(host)

    def own_feed_id(self, host: str) -> str:
        """Return a permanent URI that does not depend on the slug (RFC 4151)."""
        return f"tag:{host},{self.created_at:%Y-%m-%d}:{self.id}"

    @property
    def is_only_draft(self) -> bool:
        """True for a post that was never published and is not planned to be, so that no reader misses it."""
        return self.state == "draft" and self.published_at is None

    @property
    def first_published_at(self) -> datetime | None:
        """The date that readers see: that of the first publication, or the one that the post will have."""
        return self.published_at or self.dated_at

    def require_move(self, move: str) -> None:
        """Raise StateConflict unless this state allows the move."""
        check_transition("post", self.state, move, POST_MOVES)

    def _index_words(self, *, is_new: bool) -> None:
        index_words(self.id, is_new, " \n ".join((self.title, self.summary, *self.tags)), self.content)

    def _labels(self) -> set[tuple[str, str]]:
        return {("tag", tag) for tag in self.tags} | {("platform", name) for name in self.platforms}

    def _store_labels(self, there: set[tuple[str, str]]) -> None:
        """Store the tags and destinations as labels, given the labels that are stored."""
        wanted = self._labels()
        for kind, value in there - wanted:
            execute_write(_DELETE_LABEL, {"of_post": self.id, "of_kind": kind, "of_value": value})
        if new := sorted(wanted - there):
            execute_write(_INSERT_LABEL, [{"kind": kind, "value": value, "post_id": self.id} for kind, value in new])

    def _note_image_uses(self) -> None:
        """Update the image uses, from the working copy and the live and scheduled revisions."""
        ids = {self.live_revision_id, self.site_revision_id} - {None}
        sent = (db.session.get(Revision, id) for id in ids)
        shown = self.image_keys().union(*(revision.image_keys() for revision in sent if revision is not None))
        note_uses(self.id, shown, is_new=False)

    def revise(self, reason: str, now: datetime) -> Revision:
        """Return the latest revision, or add a new one if the fields have changed since."""
        last = self.latest_revision()
        if last is not None and last.fields() == self.fields():
            last.reason = reason if last.reason == "autosaved" else last.reason
            return last
        return self._add_revision(self.fields(), reason, now)

    def autosave(self, now: datetime) -> bool:
        """Store the working copy in the autosave revision of this writing session, or in a new one.

        A revision that is live or scheduled is never overwritten, nor is a text that the working copy shortens, unless
        the revision before has its words. Returns True if a session began.
        """
        last = self.latest_revision()
        if (
            last is None
            or not last.is_of_session(now)
            or last.id in (self.live_revision_id, self.site_revision_id)
            or last.fields() == self.fields()
        ):
            before = self.revision_count
            self.revise("autosaved", now)
            return self.revision_count > before
        kept = self._kept_revision()
        if _is_missed(last.content, self.content, kept):
            last.reason = "before removal" if is_large_removal(last.content, self.content) else "longest"
            self._add_revision(self.fields(), "autosaved", now)
            return False
        if kept is not None and _has_outgrown(self.content, kept.content):
            self._fold(kept, last)
            last = kept
        elif kept is not None and is_large_removal(kept.content, self.content):
            kept.reason = "before removal"
        last.rewrite(self.fields(), now)
        return False

    def _kept_revision(self) -> Revision | None:
        """Return the revision before the latest, if an autosave of its session kept it."""
        with db.session.no_autoflush:
            before = Revision.find(self.id, self.revision_count - 1)
        return before if before is not None and before.reason in KEPT_REASONS else None

    def _fold(self, kept: Revision, last: Revision) -> None:
        """Continue the session in the revision that was kept, and delete the latest one."""
        db.session.delete(last)
        db.session.flush()
        self.revision_count = kept.number
        kept.reason = "autosaved"

    def revise_with(self, fields: dict[str, Any], now: datetime) -> Revision:
        """Return the latest revision with these changes, which the working copy may not have."""
        last, wanted = self.revise("saved", now), self.fields() | fields
        return last if last.fields() == wanted else self._add_revision(wanted, "saved", now)

    def set_aside(self, fields: dict[str, Any], now: datetime) -> Revision:
        """Store discarded text as a revision, without changing the working copy."""
        return self._add_revision(self.fields() | fields, "set aside", now)

    def _add_revision(self, fields: dict[str, Any], reason: str, now: datetime) -> Revision:
        self.revision_count += 1
        return self._store(Revision.of(self.id, self.revision_count, fields, reason, now))

    @staticmethod
    def _store(revision: Revision) -> Revision:
        db.session.add(revision)
        db.session.flush()  # so that `latest_revision` finds it
        return revision

    def latest_revision(self) -> Revision | None:
        with db.session.no_autoflush:  # the row of the post is written once, with its next revision
            return Revision.find(self.id, self.revision_count)

    def live_revision(self) -> Revision | None:
        return db.session.get(Revision, self.live_revision_id) if self.live_revision_id else None

    def pinned_revision(self) -> Revision | None:
        """Return the published or scheduled revision, or None if the post was never published and is not scheduled."""
        return self.live_revision() if self.state == "scheduled" or self.published_at else None

    def note_changes(self) -> None:
        """Set `has_unpublished_changes`, by comparing with the published or scheduled revision."""
        pinned = self.pinned_revision()
        self.has_unpublished_changes = pinned is not None and pinned.fields() != self.fields()

    @property
    def rev(self) -> str:
        """A token for the current fields and destinations. A form sends it back, to detect concurrent changes."""
        return rev_of(self, (*POST_FIELDS, "platforms"))

    def require_unchanged(self, rev: str, names: Collection[str]) -> None:
        """Raise Stale if one of these fields has changed since `rev` was read."""
        if not self.is_seen_as(rev, names):
            raise Stale("This was changed elsewhere since you last saw it.")

    def pin(self, reason: str, now: datetime) -> Revision:
        """Store the working copy as the revision to publish, and render it."""
        return self.pin_revision(self.revise(reason, now))

    def pin_revision(self, revision: Revision) -> Revision:
        """Take a revision as the one to publish, and render it."""
        revision.render()
        was, self.live_revision_id = self.live_revision_id, revision.id
        self.has_unpublished_changes = revision.fields() != self.fields()
        if was not in (None, revision.id) or self.has_unpublished_changes:
            self._note_image_uses()
        return revision

    def schedule(self, at: datetime, now: datetime) -> None:
        self.require_move("schedule")
        self.state, self.scheduled_at = "scheduled", at
        self.pin("scheduled", now)
        wake_scheduler()

    def reschedule(self, at: datetime) -> None:
        """Change the scheduled time, but not the pinned revision."""
        self.require_move("schedule")
        self.scheduled_at = at
        wake_scheduler()

    def miss(self, now: datetime) -> None:
        """Mark as missed: the post was not published on time, and its author must decide what to do."""
        self.state = "missed"
        record("post.missed", now, post_id=self.id, scheduledAt=stamp(self.scheduled_at) if self.scheduled_at else None)

    def unschedule(self) -> bool:
        """Remove the scheduled time. Return False if there was none."""
        if self.state in {"draft", "unpublished"}:
            return False
        self.require_move("unschedule")
        self.retire()
        return True

    def rewrite(self, fields: dict[str, Any], platforms: list[str], now: datetime) -> None:
        """Change fields of the working copy, and its destinations, with what is derived from them."""
        labels, images = self._labels(), self.image_keys()
        for name, value in fields.items():
            setattr(self, name, value)
        is_removed = not set(self.platforms) <= set(platforms)
        self.platforms, self.updated_at = platforms, now
        if is_removed:
            self._stop_waiting(now)
        if "content" in fields:
            self.word_count = facts_of(self.content).words
        if not SEARCHED_FIELDS.isdisjoint(fields):
            self._index_words(is_new=False)
        self._store_labels(labels)
        if self.image_keys() != images:
            self._note_image_uses()

    def _stop_waiting(self, now: datetime) -> None:
        """Cancel deliveries that wait for a person, at a destination that the post has no longer and has no copy at."""
        for delivery in self.deliveries:
            is_new = delivery.state == "blocked" or (delivery.state == "awaiting_hand" and delivery.remote_id is None)
            if is_new and delivery.destination not in self.platforms:
                delivery.cancel(now)
        self.settle(now)

    def add_platforms(self, names: Iterable[str]) -> None:
        """Add destinations that the post does not have yet."""
        labels = self._labels()
        self.platforms = list(dict.fromkeys([*self.platforms, *names]))
        self._store_labels(labels)

    def rename_destinations(self, names: Mapping[str, str]) -> None:
        """Replace names of destinations, given by their old names. The time of the last change stays."""
        labels = self._labels()
        self.platforms = list(dict.fromkeys(names.get(name, name) for name in self.platforms))
        renamed = {names[name]: own for name, own in self.overrides.items() if name in names}
        if renamed:
            self.overrides = renamed | {name: own for name, own in self.overrides.items() if name not in names}
        self._store_labels(labels)

    def require_publishable(self, what: str, platforms: list[str] | None = None) -> None:
        """Raise Invalid if the title, the content or the destinations are missing.

        Args:
            what: the participle for the message, such as "published".
            platforms: the destinations; None for those of the post.
        """
        faults = []
        if not self.title.strip():
            faults.append(Fault("#/title", "required", f"Add a title before the post can be {what}."))
        if not self.content.strip():
            faults.append(Fault("#/content", "required", f"Add content before the post can be {what}."))
        if not (self.platforms if platforms is None else platforms):
            faults.append(
                Fault("#/platforms", "required", f"Choose at least one destination before the post can be {what}.")
            )
        if faults:
            raise Invalid(*faults)

    def enter_site(self, delivery: Delivery, now: datetime) -> bool:
        """Show the live revision on the built-in blog. Return True if readers will see a change."""
        was, self.site_revision_id = self.site_revision_id, self.live_revision_id
        is_news = was != self.live_revision_id
        if is_news and was is not None:
            self._note_image_uses()
        revision = self.live_revision()
        address = db.session.get(PostSlug, revision.slug) if is_news and revision is not None else None
        if address is not None:
            address.was_shown = True
        delivery.record_on_site(revision, now)
        return is_news

    def leave_site(self, now: datetime) -> None:
        """Remove the post from the built-in blog."""
        was, self.site_revision_id = self.site_revision_id, None
        if was != self.live_revision_id:
            self._note_image_uses()
        delivery = self.delivery_to(SITE)
        if delivery is not None:
            delivery.revision_id = None
            delivery.mark_removed(now)

    def retire(self) -> None:
        """Reset to draft or unpublished, without a scheduled time."""
        self.state = "draft" if self.published_at is None else "unpublished"
        self.forget_time()

    def forget_time(self) -> None:
        """Remove the scheduled time, also one that has passed."""
        self.scheduled_at = self.wall_time = self.time_zone = self.fold = None

    def count_copies(self) -> None:
        """Set the state by the copies that remain, without an event: unpublished, if none is wanted any more."""
        copies = [delivery for delivery in self.deliveries if not delivery.is_leftover]
        is_wanted = any(delivery.revision_id is not None for delivery in copies)
        self.state = state_of(copies) if is_wanted else "unpublished"
        if not is_wanted:
            self.forget_time()

    @property
    def is_live(self) -> bool:
        """True if the post was published and not unpublished since, even if deliveries failed."""
        return self.state in {"publishing", "published", "partial", "failed"}

    def settle(self, now: datetime) -> None:
        """Update the state from the deliveries, and record an event if it changed, but not of a post in the trash.

        Call it in every transaction that changes a delivery.
        """
        state = state_of([delivery for delivery in self.deliveries if not delivery.is_leftover])
        if self.is_live and state != self.state:
            self.state = state
            if self.deleted_at is None:
                news: dict[str, Any] = {}
                if state == "published":
                    news = {"first": is_first_publication(self.id), "open": self.open_count}
                record(f"post.{state}", now, post_id=self.id, **news)

    @property
    def open_count(self) -> int:
        """The number of deliveries that wait for a person, but are no failures."""
        return sum(delivery.state in OPEN_STATES for delivery in self.deliveries)

    def delivery_to(self, platform: str) -> Delivery | None:
        return next((delivery for delivery in self.deliveries if delivery.destination == platform), None)


def _is_missed(old: str, new: str, kept: Revision | None) -> bool:
    """Return True if an autosave must not replace the old text, given the revision that was kept before it."""
    if kept is not None and not removed_words(old, new + "\n" + kept.content):
        return False
    return facts_of(new).words < facts_of(old).words or is_large_removal(old, new)


def _has_outgrown(new: str, kept: str) -> bool:
    """Return True if a text has become as long as the one that was kept, and has nearly all of its words."""
    return facts_of(new).words >= facts_of(kept).words and not is_large_removal(kept, new)


# Of the table and not of the model, so that every request for a post skips the object mapper.
_COLUMNS = Post.__table__.c
_VERSION = select(_COLUMNS.version, _COLUMNS.deleted_at).where(_COLUMNS.id == bindparam("post_id"))


# The states in which a delivery waits for a person, but is no failure.
OPEN_STATES = frozenset({"blocked", "awaiting_hand"})


def state_of(deliveries: Collection[Delivery]) -> State:
    """Return the state of a published post, derived only from its deliveries.

    Open deliveries, which wait for a person although nothing is wrong, do not count beside others that are delivered.
    A copy stays delivered while a person has to update or delete it.
    """
    states = {
        "delivered" if delivery.state == "awaiting_hand" and delivery.url else delivery.state for delivery in deliveries
    }
    if states & {"queued", "sending", "retrying"}:
        return "publishing"
    if states & OPEN_STATES:
        states -= OPEN_STATES
        if states <= {"withdrawn"}:
            return "publishing"
    if states <= {"withdrawn"}:
        return "unpublished"
    if states <= {"delivered", "withdrawn"}:
        return "published"
    return "partial" if states & {"delivered", "uncertain"} else "failed"


SEARCHED_FIELDS = frozenset({"title", "summary", "tags", "content"})


class PostSlug(Base):
    """A current or former slug of a post. Former slugs are kept so that old links still work."""

    slug: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    # The blog has shown the post at this slug, or the blog that it was imported from. Other slugs are no addresses.
    was_shown: Mapped[bool] = mapped_column(default=False)

    @classmethod
    def taken(cls, slugs: Collection[str]) -> set[str]:
        """Return those of the slugs that a post has or had."""
        wanted, found = list(slugs), set[str]()
        for start in range(0, len(wanted), 500):
            query = select(cls.slug).where(cls.slug.in_(wanted[start : start + 500]))
            found.update(db.session.scalars(query))
        return found


class PostLabel(Base):
    """A tag or destination of a post, in its own row so that lists can filter by it."""

    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    value: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)


_INSERT_SLUG, _INSERT_LABEL = insert(PostSlug), insert(PostLabel)
_DELETE_LABEL = delete(PostLabel).where(
    PostLabel.post_id == bindparam("of_post"),
    PostLabel.kind == bindparam("of_kind"),
    PostLabel.value == bindparam("of_value"),
)


def ids_of_author(user_id: str) -> tuple[str, ...]:
    """Return the ids of all posts of a user, including those in the trash."""
    return tuple(db.session.scalars(select(Post.id).where(Post.author_id == user_id)))


def _is_due(now: datetime) -> ColumnElement[bool]:
    return and_(_IS_WAITING, Post.scheduled_at <= now)


def is_any_due(now: datetime) -> bool:
    return db.session.scalar(select(Post.id).where(_is_due(now)).limit(1)) is not None


def due_posts(now: datetime, most: int) -> list[Post]:
    """Return up to `most` scheduled posts that are due, oldest first, and lock their rows."""
    query = (
        select(Post)
        .where(_is_due(now))
        .order_by(Post.scheduled_at, Post.id)
        .limit(most)
        .with_for_update(skip_locked=True)
    )
    return list(db.session.scalars(query))


@contextmanager
def live_revisions(posts: list[Post]) -> Iterator[None]:
    """Load the live revisions of many posts in one query. Inside the block, `live_revision()` needs no query."""
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
