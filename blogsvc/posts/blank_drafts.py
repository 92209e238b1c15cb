"""Drafts in which nothing was ever written, because "New post" creates one at once.

The pages don't list them. They are deleted after 30 days, and not before: the page of the draft may still be open, or
have text that only its browser could save.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, and_, exists, select

from blogsvc.models import Post, ShareLink, db, transaction
from blogsvc.posts.trash import erase

KEPT_FOR = timedelta(days=30)


def is_blank() -> ColumnElement[bool]:
    """Return the condition that nothing was ever written into a draft, nor any of its details changed."""
    is_unchanged = and_(Post.state == "draft", Post.updated_at == Post.created_at, Post.title == "")
    return and_(is_unchanged, Post.content == "")


def erase_blank_drafts(now: datetime) -> None:
    """Delete the blank drafts that are older than 30 days, and not shared."""
    is_old = and_(is_blank(), Post.created_at < now - KEPT_FOR, ~exists().where(ShareLink.post_id == Post.id))
    db.session.rollback()  # read what is there now
    for post_id in db.session.scalars(select(Post.id).where(is_old)).all():
        with transaction():  # somebody may have begun to write
            post = db.session.scalar(select(Post).where(Post.id == post_id, is_old))
            if post is not None:
                erase(post, now)
