"""Revisions: stored versions of the content of a post. The live version is always a revision."""

from __future__ import annotations

from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from sqlalchemy import ForeignKey, String, Text, UniqueConstraint, bindparam, or_, select, text
from sqlalchemy.orm import Mapped, defer, mapped_column

from blogsvc.errors import NotFound, TextRefused
from blogsvc.lib.bounded_cache import BoundedCache, equal_weight
from blogsvc.lib.ids import new_id
from blogsvc.lib.response_cache import MAX_RESPONSE_BYTES
from blogsvc.lib.workers import text_jobs
from blogsvc.lib.workers.text_jobs import requester
from blogsvc.models.base import Base, db, partial_index
from blogsvc.models.post_fields import NOT_FOUND_SLUG, PostFields
from blogsvc.models.setting import Setting
from blogsvc.models.transactions import is_writing

# Autosaves within this time of the first one update the same revision; later ones create a new revision.
SESSION = timedelta(minutes=10)
# The reasons of revisions that an autosave keeps because it shortens the text.
KEPT_REASONS = ("longest", "before removal")
# A larger page would be made again for every reader, because it is not kept in memory. The rest is for the template.
MAX_PAGE_BYTES = MAX_RESPONSE_BYTES - 64 * 1024
# The bytes that the page adds to elements (`blog/images.py`, `blog/prose.py`), by the beginnings of their tags.
_ADDED_BYTES = {"<img": 600, "<pre": 250, "<table": 150, "<h2": 250, "<h3": 250} | dict.fromkeys(
    ("<p", "<h", "<ul", "<ol", "<dl", "<blockquote", "<details", "<div", "<figcaption"), 12
)
MAX_REVISION_NUMBER = 2**31 - 1  # what the column can hold


class Revision(PostFields, Base):
    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"))
    number: Mapped[int]
    # Why it was stored: saved, autosaved, scheduled, published, restored, restored part, set aside, or one of
    # `KEPT_REASONS`.
    reason: Mapped[str] = mapped_column(String(20))
    # The id of the user or API key that wrote it. None for the command line.
    created_by: Mapped[str | None] = mapped_column(String(40))
    # The number of the revision that it restores.
    restored_from: Mapped[int | None]
    html: Mapped[str | None] = mapped_column(Text)
    created_at: Mapped[datetime]
    # When the last autosave changed it.
    updated_at: Mapped[datetime | None]

    __table_args__ = (
        UniqueConstraint("post_id", "number"),
        partial_index("ix_revision_pinned", "post_id", where=text("is_pinned")),
    )

    @classmethod
    def of(cls, post_id: str, number: int, fields: dict[str, Any], reason: str, now: datetime) -> Revision:
        """Return a new revision, by whoever asks."""
        row = cls(id=new_id("rev", now), post_id=post_id, number=number, reason=reason, created_at=now, **fields)
        row.created_by = requester.get() or None
        return row

    @classmethod
    def before(cls, post_id: str, number: int | None, most: int) -> list[Revision]:
        """Return up to `most` revisions before this number, or the latest ones if it is None. The newest is first."""
        chosen = select(cls).where(cls.post_id == post_id).order_by(cls.number.desc()).limit(most)
        if number is not None:
            chosen = chosen.where(cls.number < min(number, MAX_REVISION_NUMBER))
        return list(db.session.scalars(chosen.options(defer(cls.html))))

    @classmethod
    def nearest(cls, post_id: str, number: int) -> Revision | None:
        """Return the newest revision up to this number, or the oldest one."""
        of_post = select(cls).where(cls.post_id == post_id)
        upto = of_post.where(cls.number <= min(number, MAX_REVISION_NUMBER)).order_by(cls.number.desc()).limit(1)
        return db.session.scalar(upto) or db.session.scalar(of_post.order_by(cls.number).limit(1))

    @classmethod
    def find(cls, post_id: str, number: int) -> Revision | None:
        return db.session.scalar(_NUMBERED, {"of_post": post_id, "number": number})

    @classmethod
    def numbered(cls, post_id: str, number: int) -> Revision:
        """Return the revision with this number. Raises NotFound."""
        row = cls.find(post_id, number) if number <= MAX_REVISION_NUMBER else None
        if row is None:
            raise NotFound(f"This post has no revision {number}.")
        return row

    @property
    def saved_at(self) -> datetime:
        return self.updated_at or self.created_at

    def is_of_session(self, now: datetime) -> bool:
        """Return True for an autosave by the same user or key, recent enough to be updated by the next one."""
        is_ours = self.created_by == (requester.get() or None)
        return self.reason == "autosaved" and is_ours and now - self.created_at <= SESSION

    def rewrite(self, fields: dict[str, Any], now: datetime) -> None:
        """Replace the content. Only for a revision that was never live or scheduled."""
        for name, value in fields.items():
            setattr(self, name, value)
        self.html, self.updated_at = None, now

    def render(self) -> str:
        """Return the content as sanitized HTML. The first call in a transaction stores it."""
        html = self.html
        if html is None:
            html = rendered(self.content, self.language)
            if is_writing():
                self.html = html
        return html


# `is_findable`, as conditions.
IS_FINDABLE_REVISION = (
    Revision.is_unlisted.is_(False),
    or_(Revision.kind == "post", Revision.slug != NOT_FOUND_SLUG),
)
_NUMBERED = select(Revision).where(Revision.post_id == bindparam("of_post"), Revision.number == bindparam("number"))
# By content and language: English, if the language makes no difference.
_LATELY: BoundedCache[tuple[str, str], str] = BoundedCache(4 * 1024 * 1024, lambda key, html: len(key[0]) + len(html))
# The reasons of refused texts, by digest, so that a text is not tried again for each destination.
_REFUSED: BoundedCache[bytes, str] = BoundedCache(200, equal_weight)


def rendered(content: str, language: str | None) -> str:
    """Return Markdown as sanitized HTML, from a cache if possible. Raises TextRefused, also for a too large page.

    A long text takes seconds to render, which is too long to hold the write lock. Call this before the transaction
    that publishes, so that `Revision.render` finds the result in the cache.

    Args:
        language: that of the text, whose quotation marks it gets; None for that of the blog.
    """
    has_quotes = '"' in content or "'" in content
    key = content, (language or Setting.read("blog_language")) if has_quotes else "en"
    if (html := _LATELY.get(key)) is not None:
        return html
    digest = sha256(content.encode(errors="replace")).digest()
    if (reason := _REFUSED.get(digest)) is not None:
        raise TextRefused(reason)
    try:
        return _LATELY.put(key, _fitting(text_jobs.render(content, key[1])))
    except TextRefused as error:
        _REFUSED.put(digest, str(error))
        raise


def _fitting(html: str) -> str:
    size = len(html.encode()) + sum(added * html.count(tag) for tag, added in _ADDED_BYTES.items())
    if size > MAX_PAGE_BYTES:
        mib = 1024 * 1024
        raise TextRefused(
            f"The page of this text would have {size / mib:.1f} MiB; the limit is {MAX_PAGE_BYTES / mib:.1f} MiB. Split"
            " it into several posts, or remove images, tables or formatting."
        )
    return html
