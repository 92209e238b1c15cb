"""Tags and destinations of posts, in rows of their own so that lists can filter by them.

The kinds "tag" and "platform" are of the working copy. The kind "site_tag" is of what readers see: the tags of the
revision on the built-in blog, for as long as the post is on it.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import ForeignKey, String, bindparam, delete, insert
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base
from blogsvc.models.transactions import execute_write


class PostLabel(Base):
    """A tag or destination of a post, in its own row so that lists can filter by it."""

    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    value: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)


SITE_TAG = "site_tag"
_INSERT = insert(PostLabel)
_DELETE = delete(PostLabel).where(
    PostLabel.post_id == bindparam("of_post"),
    PostLabel.kind == bindparam("of_kind"),
    PostLabel.value == bindparam("of_value"),
)
_DELETE_SITE_TAGS = delete(PostLabel).where(PostLabel.post_id == bindparam("of_post"), PostLabel.kind == SITE_TAG)


def store_labels(post_id: str, labels: set[tuple[str, str]], stored: set[tuple[str, str]]) -> None:
    """Store the labels of a post as (kind, value), given those that are stored."""
    for kind, value in stored - labels:
        execute_write(_DELETE, {"of_post": post_id, "of_kind": kind, "of_value": value})
    if new := sorted(labels - stored):
        execute_write(_INSERT, [{"kind": kind, "value": value, "post_id": post_id} for kind, value in new])


def store_site_tags(post_id: str, tags: Iterable[str], *, is_new: bool) -> None:
    """Store the tags that a post has on the built-in blog, in place of its former ones unless it `is_new` there."""
    if not is_new:
        execute_write(_DELETE_SITE_TAGS, {"of_post": post_id})
    store_labels(post_id, {(SITE_TAG, tag) for tag in tags}, set())
