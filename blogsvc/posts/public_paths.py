"""The paths of the pages that readers can see: of posts by their slugs, and of the targets of redirects."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import select

from blogsvc.lib import blog_paths
from blogsvc.models import Media, Post, PostSlug, Revision, db
from blogsvc.models.author import known_slugs
from blogsvc.models.redirect import Target
from blogsvc.posts import tags


def paths_of_slugs(addresses: Iterable[str]) -> dict[str, str]:
    """Return the paths of the public posts that have a slug, now or formerly, by the address of that slug."""
    slugs = [address[1:] for address in addresses if not {"/", "?"} & set(address[1:])]
    if not slugs:
        return {}
    query = (
        select(PostSlug.slug, Revision.slug)
        .join(Post, Post.id == PostSlug.post_id)
        .join(Revision, Revision.id == Post.site_revision_id)
        .where(PostSlug.slug.in_(slugs), PostSlug.was_shown, Post.deleted_at.is_(None))
    )
    return {f"/{slug}": blog_paths.of_post(shown) for slug, shown in db.session.execute(query)}


def paths_of(targets: Collection[Target]) -> dict[Target, str | None]:
    """Return the paths of targets other than tags; None for those that are not public."""
    post_ids, media_ids = {one.post_id for one in targets} - {None}, {one.media_id for one in targets} - {None}
    query = select(Post.id, Revision.slug).join(Revision, Post.site_revision_id == Revision.id)
    query = query.where(Post.id.in_(post_ids), Post.deleted_at.is_(None))
    slugs = dict(iter(db.session.execute(query))) if post_ids else {}
    images = db.session.scalars(select(Media).where(Media.id.in_(media_ids))) if media_ids else ()
    media_paths = {one.id: one.path for one in images}
    post_paths = {post_id: blog_paths.of_post(slug) for post_id, slug in slugs.items()}
    return {
        one: post_paths.get(one.post_id or "") or media_paths.get(one.media_id or "") or one.address for one in targets
    }


def path_of_tag(tag: str) -> str | None:
    """Return the path of a tag's page; None if no public post has the tag."""
    return blog_paths.of_tag(tag) if tags.is_shown(tag) else None


def is_list(path: str) -> bool:
    """Return True for the path of an author's page."""
    match path.split("/"):
        case ["", "author", slug]:
            return bool(known_slugs([slug]))
    return False
