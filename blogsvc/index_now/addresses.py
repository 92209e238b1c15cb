"""Which addresses search engines may learn."""

from __future__ import annotations

from sqlalchemy import and_, select

from blogsvc.models import Post, PostSlug, Revision, db
from blogsvc.models.index_now import IS_TELLABLE, ChangedPage


def slugs_to_tell(fence: int) -> list[str]:
    """Return the slugs of a request, without those of posts that are unlisted or whose original is elsewhere.

    Search engines must not learn the addresses of such posts, whatever happened since the change.
    """
    has_secret_post = (
        select(PostSlug.slug)
        .join(Post, Post.id == PostSlug.post_id)
        .join(Revision, Revision.id == Post.site_revision_id)
        .where(PostSlug.slug == ChangedPage.slug, ~and_(*IS_TELLABLE))
    )
    query = select(ChangedPage.slug).where(ChangedPage.fence == fence, ~has_secret_post.exists())
    return list(dict.fromkeys(db.session.scalars(query.order_by(ChangedPage.id))))
