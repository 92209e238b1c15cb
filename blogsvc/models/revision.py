"""A revision: the words of a post as they once stood. What is live is always a revision."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.errors import NotFound
from blogsvc.lib import markdown
from blogsvc.lib.ids import new_id
from blogsvc.lib.memory import Memory
from blogsvc.lib.text import strip_front_matter
from blogsvc.models.base import Base, db
from blogsvc.models.words import Words

MOST_REVISIONS = 2**31 - 1  # what the column can hold


class Revision(Words, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    number: Mapped[int]
    # Why it was kept: saved, scheduled, published, restored.
    reason: Mapped[str] = mapped_column(String(20))
    html: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]

    __table_args__ = (UniqueConstraint("post_id", "number"),)

    @classmethod
    def of(cls, post_id: str, number: int, words: dict[str, Any], reason: str, now: datetime) -> Revision:
        return cls(id=new_id("rev", now), post_id=post_id, number=number, reason=reason, created_at=now, **words)

    @classmethod
    def numbered(cls, post_id: str, number: int) -> Revision:
        """Raises NotFound."""
        chosen = select(cls).where(cls.post_id == post_id, cls.number == number)
        row = db.session.scalar(chosen) if number <= MOST_REVISIONS else None
        if row is None:
            raise NotFound(f"This post has no revision {number}.")
        return row

    def render(self) -> str:
        """The content as sanitised HTML, rendered at the first call and stored."""
        if self.html is None:
            self.html = rendered(self.content)
        return self.html


_LATELY: Memory[str, str] = Memory(4 * 1024 * 1024, len)


def rendered(content: str) -> str:
    """Markdown as sanitised HTML, remembered for a while: a long text takes seconds, too long to hold the write lock.

    Whoever is about to publish calls this first; what is then rendered under the lock is at hand.
    """
    return _LATELY.get(content) or _LATELY.put(content, markdown.render(strip_front_matter(content)))
