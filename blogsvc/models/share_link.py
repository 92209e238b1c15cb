"""Share links: whoever has one reads a draft and comments on it, until it ends."""

from __future__ import annotations

from datetime import datetime, timedelta
from secrets import token_urlsafe

from sqlalchemy import ColumnElement, ForeignKey, LargeBinary, String, Text, and_, func, select
from sqlalchemy.orm import Mapped, mapped_column, relationship

from blogsvc.errors import NotFound
from blogsvc.lib.crypto import hash_key
from blogsvc.lib.ids import new_id
from blogsvc.models.base import Base, db
from blogsvc.models.post import Post

# Links that have ended are listed for this time.
ENDED_LINKS_KEPT_FOR = timedelta(days=30)


class ShareLink(Base):
    """A link to the page of a draft. Only the hash of its token is stored."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    # For whom the link is, as noted by who made it. May be empty.
    name: Mapped[str] = mapped_column(String(100))
    # The user who made it or renewed it last, and so knows its address: `models.creator`.
    created_by: Mapped[str | None] = mapped_column(String(40), index=True)
    created_at: Mapped[datetime]
    # When it ends: the planned time, or when it was revoked.
    expires_at: Mapped[datetime] = mapped_column(index=True)
    is_revoked: Mapped[bool] = mapped_column(default=False)
    last_opened_at: Mapped[datetime | None]
    open_count: Mapped[int] = mapped_column(default=0)

    post: Mapped[Post] = relationship()

    @classmethod
    def make(
        cls, post: Post, name: str, now: datetime, lasts: timedelta, created_by: str | None
    ) -> tuple[ShareLink, str]:
        """Create a link and return it with its token, which cannot be shown again."""
        link = cls(id=new_id("shr", now), post_id=post.id, name=name, created_by=created_by)
        link.created_at, link.expires_at, link.is_revoked, link.open_count = now, now + lasts, False, 0
        token = link.renew()
        db.session.add(link)
        return link, token

    def renew(self) -> str:
        """Replace the token and return the new one. The old one is worth nothing from now on."""
        token = token_urlsafe(24)
        self.hash = hash_key(token)
        return token

    @classmethod
    def of_token(cls, token: str, now: datetime) -> ShareLink | None:
        """Return the link with this token; None if there is none, or it has ended."""
        return db.session.scalar(select(cls).where(cls.hash == hash_key(token), cls.expires_at > now))

    @classmethod
    def get(cls, link_id: str) -> ShareLink:
        """Return the link. Raises NotFound."""
        link = db.session.get(cls, link_id)
        if link is None:
            raise NotFound("This share link doesn't exist any more.")
        return link

    @classmethod
    def of_post(cls, post_id: str) -> list[ShareLink]:
        """Return the links of a post, the newest first."""
        return list(
            db.session.scalars(select(cls).where(cls.post_id == post_id).order_by(cls.created_at.desc(), cls.id.desc()))
        )

    @classmethod
    def open(cls, now: datetime) -> list[ShareLink]:
        """Return the links that work, of all posts that are not in the trash."""
        query = select(cls).join(Post, Post.id == cls.post_id).where(cls.expires_at > now, Post.deleted_at.is_(None))
        return list(db.session.scalars(query.order_by(cls.created_at, cls.id)))

    def has_ended(self, now: datetime) -> bool:
        return self.expires_at <= now

    def revoke(self, now: datetime) -> None:
        """End the link. A link that has ended stays as it is."""
        if not self.has_ended(now):
            self.expires_at, self.is_revoked = now, True

    def note_opening(self, now: datetime) -> None:
        self.last_opened_at, self.open_count = now, self.open_count + 1


class DraftComment(Base):
    """A comment on a draft by somebody who has a share link. Plain text. Kept when the link ends."""

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    link_id: Mapped[str | None] = mapped_column(ForeignKey("share_link.id", ondelete="SET NULL"), index=True)
    # The name that the reader gave. Nobody checks it.
    name: Mapped[str] = mapped_column(String(100))
    text: Mapped[str] = mapped_column(Text)
    # The beginning of the paragraph that it is about, as the reader saw it. May be empty.
    quote: Mapped[str] = mapped_column(String(300))
    created_at: Mapped[datetime]
    resolved_at: Mapped[datetime | None]

    post: Mapped[Post] = relationship()

    @classmethod
    def get(cls, comment_id: str) -> DraftComment:
        """Return the comment. Raises NotFound."""
        comment = db.session.get(cls, comment_id)
        if comment is None:
            raise NotFound("This comment was already deleted.")
        return comment

    @classmethod
    def of_post(cls, post_id: str) -> list[DraftComment]:
        """Return the comments on a post, open ones first, each in the order in which they were written."""
        order = (cls.resolved_at.is_not(None), cls.created_at, cls.id)
        return list(db.session.scalars(select(cls).where(cls.post_id == post_id).order_by(*order)))

    @classmethod
    def of_link(cls, link_id: str) -> list[DraftComment]:
        """Return the open comments that were written with a link, in order."""
        query = select(cls).where(cls.link_id == link_id, cls.resolved_at.is_(None))
        return list(db.session.scalars(query.order_by(cls.created_at, cls.id)))

    @classmethod
    def count(cls, *conditions: ColumnElement[bool]) -> int:
        return db.session.scalar(select(func.count()).select_from(cls).where(*conditions)) or 0

    @classmethod
    def are_open(cls, post_id: str) -> ColumnElement[bool]:
        """Return a condition: the comments on a post that are not resolved."""
        return and_(cls.post_id == post_id, cls.resolved_at.is_(None))
