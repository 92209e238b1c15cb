"""The slugs of posts, former ones too."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import ForeignKey, Row, String, bindparam, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.models.base import Base, db
from blogsvc.models.transactions import connection, execute_write


class PostSlug(Base):
    """A current or former slug of a post. Former slugs are kept so that old links still work."""

    slug: Mapped[str] = mapped_column(String(100), primary_key=True)
    post_id: Mapped[str] = mapped_column(ForeignKey("post.id", ondelete="CASCADE"), index=True)
    # The blog has shown the post at this slug, or the blog that it was imported from. Other slugs are no addresses.
    was_shown: Mapped[bool] = mapped_column(default=False)

    @classmethod
    def taken(cls, slugs: Collection[str]) -> set[str]:
        """Return those of the slugs that a post has or had."""
        wanted, taken_slugs = list(slugs), set[str]()
        for start in range(0, len(wanted), 500):
            query = select(cls.slug).where(cls.slug.in_(wanted[start : start + 500]))
            taken_slugs.update(db.session.scalars(query))
        return taken_slugs


_INSERT = insert(PostSlug)
_FIND = select(PostSlug.post_id, PostSlug.was_shown).where(PostSlug.slug == bindparam("wanted"))
_REMOVE = delete(PostSlug).where(PostSlug.slug == bindparam("wanted"))
_MARK_SHOWN = (
    update(PostSlug).where(PostSlug.slug == bindparam("shown"), PostSlug.was_shown.is_(False)).values(was_shown=True)
)


def store_slug(slug: str, post_id: str, *, was_shown: bool = False) -> None:
    """Store an unused slug of a post."""
    execute_write(_INSERT, {"slug": slug, "post_id": post_id, "was_shown": was_shown})


def find_slug(slug: str) -> Row[str, bool] | None:
    """Return the `post_id` of a slug and whether it `was_shown`; None if no post has or had it."""
    return connection().execute(_FIND, {"wanted": slug}).one_or_none()


def remove_slug(slug: str) -> None:
    execute_write(_REMOVE, {"wanted": slug})


def mark_shown(slug: str) -> None:
    """Record that the blog shows its post at this slug."""
    execute_write(_MARK_SHOWN, {"shown": slug})
