"""A post: its fields, its state, and the changes that each state allows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from copy import deepcopy
from datetime import datetime
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from sqlalchemy import Index, Select, String, bindparam, inspect, select, text
from sqlalchemy.orm import Mapped, lazyload, mapped_column, relationship
from sqlalchemy.orm.attributes import set_committed_value
from sqlalchemy.orm.util import identity_key

from blogsvc.errors import Fault, Invalid, NotFound, Stale
from blogsvc.lib.ids import new_id
from blogsvc.lib.text.facts import TextFacts, facts_of
from blogsvc.models.base import Base, db, partial_index
from blogsvc.models.connection import SITE
from blogsvc.models.event import is_first_publication, record
from blogsvc.models.index_now import note_change
from blogsvc.models.media import note_uses
from blogsvc.models.post_fields import EMPTY_VALUES, POST_FIELDS, rev_of
from blogsvc.models.post_labels import store_labels
from blogsvc.models.post_schedule import Scheduled
from blogsvc.models.post_search import index_words
from blogsvc.models.post_slugs import mark_shown, store_slug
from blogsvc.models.post_states import OPEN_STATES, state_of
from blogsvc.models.revision import Revision
from blogsvc.models.rows import insert_row
from blogsvc.models.site_lists import enter_lists, leave_lists

if TYPE_CHECKING:
    from blogsvc.models.delivery import Delivery

SEARCHED_FIELDS = frozenset({"title", "summary", "tags", "content"})
_IMAGE_FIELDS = frozenset({"content", "cover_image", "cover_alt", "overrides"})
IS_WAITING = text("state = 'scheduled' AND deleted_at IS NULL")
# A draft, or a post that is unpublished. The concatenation stops SQLite from reading the index of all states instead.
IS_DRAFT = text("state || '' IN ('draft', 'unpublished') AND deleted_at IS NULL")
_IS_ON_SITE = text("site_revision_id IS NOT NULL")
_IS_TRASHED = text("deleted_at IS NOT NULL")
IS_PAGE = text("post.kind = 'page'")


class Post(Scheduled, Base):
    """The working copy of a post, and its state. Readers see a Revision of it."""

    platforms: Mapped[list[str]] = mapped_column(default=list)
    word_count: Mapped[int] = mapped_column(default=0)
    # The user who created the post. None if it came from the API or the user was removed.
    author_id: Mapped[str | None] = mapped_column(String(40))
    # The id of the post in the feeds of the blog that it was imported from. None for the id that this blog makes.
    feed_id: Mapped[str | None] = mapped_column(String(500))

    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    # The date that a post from elsewhere gets as `published_at` when it is first published. None: the time of that.
    dated_at: Mapped[datetime | None]
    deleted_at: Mapped[datetime | None]

    # A random value that changes with every change of the post. See post_versions.py.
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
        partial_index("ix_post_due", "scheduled_at", where=IS_WAITING),
        partial_index("ix_post_draft", "updated_at", "id", where=IS_DRAFT),
        partial_index("ix_post_on_site", "published_at", "id", where=_IS_ON_SITE),
        partial_index("ix_post_page", "created_at", "id", where=text("kind = 'page'")),
        partial_index("ix_post_part", "series", "series_part", where=text("series_part IS NOT NULL")),
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
        facts: TextFacts | None = None,
    ) -> Post:
        """Create a draft with its first revision.

        Args:
            fields: field values, with an unused slug, and `dated_at`.
            reason: why the revision is stored.
            updated_at: the time of the last change, for an imported post; None for `now`.
            post_id: an unused id to keep, for a post exported from another instance; None for a new id.
            facts: those of the content, if they are known.
        """
        post = cls.unsaved(fields, platforms, now, post_id)
        post.updated_at, post.author_id, post.revision_count = updated_at or now, author_id, 1
        facts = facts or facts_of(post.content)
        post.word_count = facts.words
        insert_row(post)
        first = Revision.of(post.id, 1, post.fields(), reason, post.updated_at)
        first.created_by = first.created_by or author_id
        insert_row(first)
        store_slug(post.slug, post.id)
        post._index_words(facts, is_new=True)
        store_labels(post.id, post._labels(), set())
        note_uses(post.id, post.image_uses(), is_new=True)
        return post

    @classmethod
    def unsaved(
        cls, fields: Mapping[str, Any], platforms: list[str], now: datetime, post_id: str | None = None
    ) -> Post:
        """Return a draft that is not stored, with the fields that `write` takes."""
        post = cls(id=post_id or new_id("post", now), state="draft", platforms=platforms, created_at=now)
        post.has_unpublished_changes, post.dated_at = False, fields.get("dated_at")
        post.deliveries = []  # known to be empty, so that it is not loaded
        for name in POST_FIELDS:
            setattr(post, name, fields.get(name, deepcopy(EMPTY_VALUES.get(name))))
        return post

    @classmethod
    def get(cls, post_id: str, *, trashed: bool = False) -> Post:
        """Return the post. Raises NotFound, also for a post in the trash, unless `trashed` is set."""
        post = cls._read(post_id)
        if post is None or (post.deleted_at is not None and not trashed):
            raise NotFound(f"There is no post {post_id!r}.")
        return post

    @classmethod
    def _read(cls, post_id: str) -> Post | None:
        """Return the post with its deliveries, from the session if it is there.

        Two statements of our own take a third of the time that those of `session.get` take.
        """
        read_post, read_deliveries = _reads()
        post: Post | None = db.session.identity_map.get(identity_key(cls, post_id))
        if post is None or inspect(post).expired:
            post = db.session.scalar(read_post, {"post_id": post_id})
        if post is not None and "deliveries" not in post.__dict__:
            copies = db.session.scalars(read_deliveries, {"post_id": post_id}).all()
            set_committed_value(post, "deliveries", list(copies))
        return post

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

    def _index_words(self, facts: TextFacts, *, is_new: bool) -> None:
        index_words(self.id, is_new, " \n ".join((self.title, self.summary, *self.tags)), facts)

    def _labels(self) -> set[tuple[str, str]]:
        return {("tag", tag) for tag in self.tags} | {("platform", name) for name in self.platforms}

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

    def rewrite(
        self, fields: dict[str, Any], platforms: list[str], now: datetime, facts: TextFacts | None = None
    ) -> None:
        """Change fields of the working copy, and its destinations, with what is derived from them.

        Args:
            facts: those of the content, if they are known.
        """
        labels, has_images = self._labels(), not _IMAGE_FIELDS.isdisjoint(fields)
        images = self.image_uses() if has_images else {}
        for name, value in fields.items():
            setattr(self, name, value)
        is_removed = not set(self.platforms) <= set(platforms)
        self.platforms, self.updated_at = platforms, now
        if is_removed:
            self._stop_waiting(now)
        if not SEARCHED_FIELDS.isdisjoint(fields):
            facts = facts or facts_of(self.content)
            self.word_count = facts.words
            self._index_words(facts, is_new=False)
        store_labels(self.id, self._labels(), labels)
        if has_images and self.image_uses() != images:
            self.note_image_uses()

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
        store_labels(self.id, self._labels(), labels)

    def rename_destinations(self, names: Mapping[str, str]) -> None:
        """Replace names of destinations, given by their old names. The time of the last change stays."""
        labels = self._labels()
        self.platforms = list(dict.fromkeys(names.get(name, name) for name in self.platforms))
        renamed = {names[name]: own for name, own in self.overrides.items() if name in names}
        if renamed:
            self.overrides = renamed | {name: own for name, own in self.overrides.items() if name not in names}
        store_labels(self.id, self._labels(), labels)

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

    def enter_site(self, delivery: Delivery, now: datetime, *, delivered_at: datetime | None = None) -> bool:
        """Show the live revision on the built-in blog. Return True if readers will see a change.

        Args:
            delivered_at: the time of the delivery, for an imported post; None for `now`.
        """
        was, self.site_revision_id = self.site_revision_id, self.live_revision_id
        is_news = was != self.live_revision_id
        if is_news and was is not None:
            self.note_image_uses()
        revision = self.live_revision()
        if is_news and revision is not None:
            mark_shown(revision.slug)
            self.note_content(was, revision)
            enter_lists(self.id, revision, is_new=was is None)
            note_change(was, revision, now)
        delivery.record_on_site(revision, delivered_at or now)
        return is_news

    def leave_site(self, now: datetime) -> None:
        """Remove the post from the built-in blog."""
        was, self.site_revision_id = self.site_revision_id, None
        if was != self.live_revision_id:
            self.note_image_uses()
        leave_lists(self.id)
        note_change(was, None, now)
        delivery = self.delivery_to(SITE)
        if delivery is not None:
            delivery.revision_id = None
            delivery.mark_removed(now)

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

    def settle(self, now: datetime, *, is_first: bool = False) -> None:
        """Update the state from the deliveries, and record an event if it changed, but not of a post in the trash.

        Call it in every transaction that changes a delivery.

        Args:
            is_first: True if it is known that the post was never published before; otherwise its events tell.
        """
        state = state_of([delivery for delivery in self.deliveries if not delivery.is_leftover])
        if self.is_live and state != self.state:
            self.state = state
            if self.deleted_at is None:
                news: dict[str, Any] = {}
                if state == "published":
                    news = {"first": is_first or is_first_publication(self.id), "open": self.open_count}
                record(f"post.{state}", now, post_id=self.id, **news)

    @property
    def open_count(self) -> int:
        """The number of deliveries that wait for a person, but are no failures."""
        return sum(delivery.state in OPEN_STATES for delivery in self.deliveries)

    def delivery_to(self, platform: str) -> Delivery | None:
        return next((delivery for delivery in self.deliveries if delivery.destination == platform), None)


@cache
def _reads() -> tuple[Select[Post], Select[Delivery]]:
    """Return the statements for a post and for its deliveries. The model of these imports this one."""
    delivery: type[Delivery] = Post.deliveries.property.entity.class_
    post = select(Post).where(Post.id == bindparam("post_id")).options(lazyload(Post.deliveries))
    return post, select(delivery).where(delivery.post_id == bindparam("post_id")).order_by(delivery.id)


def ids_of_author(user_id: str) -> tuple[str, ...]:
    """Return the ids of all posts of a user, including those in the trash."""
    return tuple(db.session.scalars(select(Post.id).where(Post.author_id == user_id)))
