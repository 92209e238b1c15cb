"""The authors that readers see: every user has one, and so have guests and the authors of imported posts."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, Text, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.slugged import Slugged

MAX_NAME_LENGTH = 100


class Author(Slugged, Base):
    """An author of posts, whose revisions name it by its slug."""

    NOUN = "author"

    name: Mapped[str] = mapped_column(String(MAX_NAME_LENGTH))
    # Markdown.
    bio: Mapped[str] = mapped_column(Text, default="")
    # The image, of any shape: pages show its middle as a circle.
    picture_id: Mapped[str | None] = mapped_column(ForeignKey("media.id", ondelete="SET NULL"), index=True)
    # [{"label": "Mastodon", "url": "https://...", "is_me": True}], where `is_me` says that the page is the author's.
    links: Mapped[list[dict[str, Any]]] = mapped_column(JSON, default=list)
    # None for a guest, for an author of imported posts, and after the user was removed.
    user_id: Mapped[str | None] = mapped_column(ForeignKey("user.id", ondelete="SET NULL"), unique=True)
    # The account in the fediverse: "ada@example.social".
    fediverse: Mapped[str | None] = mapped_column(String(300))
    created_at: Mapped[datetime]

    @classmethod
    def of(cls, name: str, now: datetime, *, slug: str | None = None, user_id: str | None = None) -> Author:
        """Add an author. Without a slug, a free one is made from the name."""
        slug = slug or cls.free_slug(name)
        author = cls(id=new_id("auth", now), slug=slug, name=name, bio="", links=[], created_at=now)
        author.user_id = user_id
        db.session.add(author)
        db.session.flush()  # so that the next one sees that the slug is taken
        return author

    @classmethod
    def all(cls) -> list[Author]:
        """Return all authors, by name."""
        return list(db.session.scalars(select(cls).order_by(cls.name, cls.slug)))

    @classmethod
    def of_user(cls, user_id: str | None) -> Author | None:
        return db.session.scalar(select(cls).where(cls.user_id == user_id)) if user_id else None


def is_picture_of_others(media_id: str, user_id: str) -> bool:
    """Return True if an image is the picture of an author that is not of this user."""
    of_others = select(Author.id).where(Author.picture_id == media_id, Author.user_id.is_distinct_from(user_id))
    return db.session.scalar(of_others.limit(1)) is not None


def slugs_of_user(user_id: str | None) -> list[str]:
    """Return the authors that a new post of this user starts with: the user's own, if there is one."""
    author = Author.of_user(user_id)
    return [author.slug] if author else []
