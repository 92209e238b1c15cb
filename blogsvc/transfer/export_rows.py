"""What an export contains, read in batches so that it needs little memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import func, select, true
from sqlalchemy.orm import defer

from blogsvc.lib import blog_paths
from blogsvc.lib.progress import Report
from blogsvc.models import Author, Media, Post, PostSlug, Redirect, Revision, Series, Setting, TagPage, db, setting
from blogsvc.models.redirect import Target, imported_for_no_post
from blogsvc.models.site_images import SITE_IMAGES, site_images
from blogsvc.models.theme import Theme, has_own_theme
from blogsvc.navigation.social_links import own_links
from blogsvc.redirects.listing import shown

# Posts and images in memory at a time. A post may have a text of 1 MiB.
EXPORT_BATCH = 10
# Revisions of a post in memory at a time.
REVISION_BATCH = 5


def camel_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields with names in camelCase, as in all JSON of an export."""
    return {re.sub("_(.)", lambda initial: initial[1].upper(), name): value for name, value in fields.items()}


def blog(files: Mapping[str, str]) -> dict[str, Any]:
    """Return what the blog is called and looks like, with the look and the menus if an owner has chosen some.

    Args:
        files: the files or URLs of images in the export, by the ids of the images.
    """
    images = site_images()
    return {
        **camel_fields(setting.blog()),
        "look": asdict(Theme.read()) if has_own_theme() else {},
        "navigation": Setting.read("blog_navigation"),
        "social": [{"label": link.label, "url": link.url, "isMe": link.is_me} for link in own_links()],
        **camel_fields({name: files.get(images.get(name, "")) for name in SITE_IMAGES}),
    }


def all_posts(report: Report, *, trashed: bool) -> Iterator[Post]:
    """Yield all posts, oldest first, in batches to limit memory."""
    last, done = "", 0
    wanted = true() if trashed else Post.deleted_at.is_(None)
    number = db.session.scalar(select(func.count()).select_from(Post).where(wanted)) or 0
    while True:
        query = select(Post).where(Post.id > last, wanted).order_by(Post.id).limit(EXPORT_BATCH)
        posts = list(db.session.scalars(query))
        if not posts:
            return
        last = posts[-1].id
        for post in posts:
            yield post
            done += 1
            report(done, number)
        db.session.expunge_all()
        db.session.rollback()


def all_media() -> Iterator[Media]:
    """Yield all images, oldest first, in batches to limit memory."""
    last = ""
    while True:
        rows = list(db.session.scalars(select(Media).where(Media.id > last).order_by(Media.id).limit(EXPORT_BATCH)))
        if not rows:
            return
        last = rows[-1].id
        yield from rows
        db.session.expunge_all()
        db.session.rollback()


def revisions_of(post: Post) -> Iterator[Revision]:
    last = 0
    while True:
        query = select(Revision).where(Revision.post_id == post.id, Revision.number > last)
        rows = list(
            db.session.scalars(query.options(defer(Revision.html)).order_by(Revision.number).limit(REVISION_BATCH))
        )
        if not rows:
            return
        last = rows[-1].number
        yield from rows


def former_slugs(post: Post) -> list[str]:
    is_former = PostSlug.post_id == post.id, PostSlug.slug != post.slug, PostSlug.was_shown
    return list(db.session.scalars(select(PostSlug.slug).where(*is_former).order_by(PostSlug.slug)))


def old_addresses(files: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the old addresses that are not of a post, and where each leads.

    Args:
        files: the files of images in the export, by the ids of the images.
    """
    return [
        {"address": address, "leadsTo": path}
        for address, target in imported_for_no_post().items()
        if (path := files.get(target.media_id or "") or _path_of(target))
    ]


def authors(files: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return all authors.

    Args:
        files: the files or URLs of images in the export, by the ids of the images.
    """
    return [
        {
            "slug": author.slug,
            "name": author.name,
            "bio": author.bio,
            "picture": files.get(author.picture_id or ""),
            "links": [{"label": link["label"], "url": link["url"], "isMe": link["is_me"]} for link in author.links],
            "fediverse": author.fediverse,
        }
        for author in Author.all()
    ]


def redirects() -> list[dict[str, str | int | None]]:
    """Return the redirects that users made or that pages left behind, and where each leads."""
    rows = db.session.scalars(select(Redirect).where(Redirect.source != "import").order_by(Redirect.path)).all()
    return [{"path": one.row.path, "target": one.address, "status": one.row.status} for one in shown(rows)]


def all_series(link: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """Return the series, with the addresses of their cover images as `link` gives them."""
    return [
        {
            "slug": one.slug,
            "title": one.title,
            "description": one.description,
            "coverImage": link(one.cover_image) if one.cover_image else None,
            "isComplete": one.is_complete,
        }
        for one in Series.all()
    ]


def tag_pages(link: Callable[[str], str] = str) -> list[dict[str, Any]]:
    """Return what the pages of tags begin with, with the addresses of their cover images as `link` gives them."""
    return [
        {
            "tag": one.tag,
            "title": one.title,
            "description": one.description,
            "coverImage": link(one.cover_image) if one.cover_image else None,
        }
        for one in TagPage.all()
    ]


def _path_of(target: Target) -> str | None:
    if target.media_id is not None:
        media = db.session.get(Media, target.media_id)
        return media.path if media is not None else None
    return blog_paths.of_tag(target.tag) if target.tag is not None else target.address
