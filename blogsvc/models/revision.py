"""A revision: the words of a post as they once stood. What is live is always a revision."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, select
from sqlalchemy.orm import Mapped, defer, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib import markdown
from blogsvc.lib.bounded_cache import BoundedCache
from blogsvc.lib.ids import new_id
from blogsvc.lib.text import strip_front_matter
from blogsvc.models.base import Base, db
from blogsvc.models.post_fields import PostFields

# As long as somebody writes, what is saved by itself is one revision; after so long it is the next.
SESSION = timedelta(minutes=10)
MOST_REVISIONS = 2**31 - 1  # what the column can hold


class Revision(PostFields, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    number: Mapped[int]
    # Why it was kept: saved, autosaved, scheduled, published, restored, set aside.
    reason: Mapped[str] = mapped_column(String(20))
    # The number of the one whose words it took up again.
    restored_from: Mapped[int | None]
    html: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("post_id", "number"),)

    @classmethod
    def of(cls, post_id: str, number: int, words: dict[str, Any], reason: str, now: datetime) -> Revision:
        return cls(id=new_id("rev", now), post_id=post_id, number=number, reason=reason, created_at=now, **words)

    @classmethod
    def before(cls, post_id: str, number: int | None, most: int) -> list[Revision]:
        """The revisions of a post that came before this one, the newest first; the latest, where none is named."""
        chosen = select(cls).where(cls.post_id == post_id).order_by(cls.number.desc()).limit(most)
        if number is not None:
            chosen = chosen.where(cls.number < min(number, MOST_REVISIONS))
        return list(db.session.scalars(chosen.options(defer(cls.html))))

    @classmethod
    def numbered(cls, post_id: str, number: int) -> Revision:
        """Raises NotFound."""
        chosen = select(cls).where(cls.post_id == post_id, cls.number == number)
        row = db.session.scalar(chosen) if number <= MOST_REVISIONS else None
        if row is None:
            raise NotFound(f"This post has no revision {number}.")
        return row

    def is_of_session(self, now: datetime) -> bool:
        """Whether it was begun, not long ago, by what saves by itself."""
        return self.reason == "autosaved" and now - self.created_at <= SESSION

    def rewrite(self, words: dict[str, Any]) -> None:
        """Take other words, where nobody has seen those that it had."""
        for name, value in words.items():
            setattr(self, name, value)
        self.html = None

    def render(self) -> str:
        """The content as sanitised HTML, rendered at the first call and stored."""
        if self.html is None:
            self.html = rendered(self.content)
        return self.html


_LATELY: BoundedCache[str, str] = BoundedCache(4 * 1024 * 1024, len)


def rendered(content: str) -> str:
    """Markdown as sanitised HTML, remembered for a while: a long text takes seconds, too long to hold the write lock.

    Whoever is about to publish calls this first; what is then rendered under the lock is at hand.
    """
    return _LATELY.get(content) or _LATELY.put(content, markdown.render(strip_front_matter(content)))
