"""The slugs that are closest to an address without a page: the post that it means may be at one of them."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import select

from blogsvc.lib.text.fuzzy import ClosestNames
from blogsvc.models import Post, Revision, db
from blogsvc.models.post_conditions import IS_FINDABLE

# How many of the newest posts are looked through.
NEWEST = 2_000


class ClosestSlugs:
    """Finds the closest of thousands of slugs to each of many paths, which readers choose."""

    def __init__(self, slugs: Iterable[str]) -> None:
        self._names = ClosestNames(slugs)

    @classmethod
    def of_newest(cls) -> ClosestSlugs:
        """Return those of the newest posts and pages that are not unlisted."""
        query = select(Revision.slug).join(Post, Post.site_revision_id == Revision.id).where(*IS_FINDABLE)
        return cls(db.session.scalars(query.order_by(Post.published_at.desc(), Post.id.desc()).limit(NEWEST)))

    def to(self, path: str, most: int) -> list[str]:
        """Return up to `most` slugs that are like the last part of a path, the closest first."""
        return self._names.to(path.rstrip("/").rpartition("/")[2].partition(".")[0], most)
