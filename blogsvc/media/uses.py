"""What uses an image: posts, the blog itself, authors, series and tags."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import lazyload, load_only

from blogsvc.errors import InUse
from blogsvc.models import Media, MediaUse, Post, db
from blogsvc.models.site_images import used_as

MAX_POSTS_NAMED = 20


def require_unused(media: Media) -> None:
    """Raise InUse if posts, the blog itself, authors, series or tags use an image."""
    posts = tuple((post.id, post.title) for post in posts_using(media, MAX_POSTS_NAMED))
    titles = ", ".join(f"“{title}” ({id})" for id, title in posts)
    uses = [f"used by {titles}"] if posts else []
    uses += used_as([media.id]).get(media.id, [])
    if uses:
        raise InUse(
            f"This image is {' and '.join(uses)}. Remove it there, or delete it with ?force=true.",
            posts=posts,
            allowed=("update", "delete with force"),
        )


def posts_using(media: Media, limit: int | None = None) -> list[Post]:
    """Return the posts that use the image, now or in their live or scheduled revision, including the trash."""
    query = select(Post).join(MediaUse, MediaUse.post_id == Post.id).where(MediaUse.media_id == media.id)
    return list(db.session.scalars(query.order_by(Post.id).limit(limit)))


def usage_of(rows: list[Media]) -> dict[str, list[Post]]:
    """Return the posts that use each image, by the id of the image. Posts are loaded without their text."""
    query = (
        select(MediaUse.media_id, Post)
        .join(Post, MediaUse.post_id == Post.id)
        .where(MediaUse.media_id.in_([media.id for media in rows]))
        .options(load_only(Post.title, Post.author_id, Post.deleted_at), lazyload(Post.deliveries))
    )
    uses: dict[str, list[Post]] = {media.id: [] for media in rows}
    for media_id, post in db.session.execute(query.order_by(Post.id)):
        uses[media_id].append(post)
    return uses
