"""Tags and destinations of posts, in rows of their own so that lists can filter by them.

The kinds "tag" and "platform" are of the working copy. The kinds in `SITE_KINDS` are of what readers see: the tags,
authors and series of the revision on the built-in blog, for as long as the blog lists the post.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, String, bindparam, delete, func, insert, select
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.post_fields import PostFields
from blogsvc.models.transactions import execute_write


class PostLabel(Base):
    """A tag or destination of a post, in its own row so that lists can filter by it."""

    kind: Mapped[str] = mapped_column(String(10), primary_key=True)
    value: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), primary_key=True, index=True)


SITE_TAG, SITE_AUTHOR, SITE_SERIES = "site_tag", "site_by", "site_in"
SITE_KINDS = (SITE_TAG, SITE_AUTHOR, SITE_SERIES)
_INSERT = insert(PostLabel)
_DELETE = delete(PostLabel).where(
    PostLabel.post_id == bindparam("of_post"),
    PostLabel.kind == bindparam("of_kind"),
    PostLabel.value == bindparam("of_value"),
)
_DELETE_OF_SITE = delete(PostLabel).where(PostLabel.post_id == bindparam("of_post"), PostLabel.kind.in_(SITE_KINDS))


def store_labels(post_id: str, labels: set[tuple[str, str]], stored: set[tuple[str, str]]) -> None:
    """Store the labels of a post as (kind, value), given those that are stored."""
    for kind, value in stored - labels:
        execute_write(_DELETE, {"of_post": post_id, "of_kind": kind, "of_value": value})
    if new := sorted(labels - stored):
        execute_write(_INSERT, [{"kind": kind, "value": value, "post_id": post_id} for kind, value in new])


def store_site_labels(post_id: str, shown: PostFields) -> None:
    """Store the labels of a post that has none on the built-in blog yet: those of the revision that readers see."""
    tags, authors = ((SITE_TAG, tag) for tag in shown.tags), ((SITE_AUTHOR, slug) for slug in shown.authors)
    series = [(SITE_SERIES, shown.series)] if shown.series else []
    store_labels(post_id, {*tags, *authors, *series}, set())


def shown_counts(kind: str) -> dict[str, int]:
    """Return how many posts readers see with each label of a kind in `SITE_KINDS`."""
    query = select(PostLabel.value, func.count()).where(PostLabel.kind == kind).group_by(PostLabel.value)
    return dict(iter(db.session.execute(query)))


def remove_site_labels(post_id: str) -> None:
    execute_write(_DELETE_OF_SITE, {"of_post": post_id})
