"""Slugs: which are free, which are a title's, and what moving to another means for the links that lead here."""

from __future__ import annotations

import re
from itertools import chain, count
from secrets import randbelow

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text import slugify
from blogsvc.models.base import db
from blogsvc.models.post import Post, PostSlug

# First parts of a path that are the service's own; no post may live there.
RESERVED = frozenset(
    {
        "api",
        "archive",
        "assets",
        "desk",
        "docs",
        "favicon.ico",
        "feed",
        "feed.json",
        "feed.xml",
        "health",
        "insights",
        "login",
        "logout",
        "media",
        "metrics",
        "page",
        "ready",
        "robots.txt",
        "search",
        "settings",
        "setup",
        "sitemap.xml",
        "static",
        "tag",
        "tags",
        "well-known",
    }
)
# Of the 80 characters of a slug, what is left for the title beside a number.
MAX_STEM_LENGTH = 71
MAX_NUMBERED = 20


def require_free(slug: str) -> str:
    """`slug`, if nobody has it. Raises Invalid."""
    if slug in RESERVED or db.session.get(PostSlug, slug) is not None:
        raise Invalid(Fault("#/slug", "taken", f"The address {slug!r} is in use; choose another slug."))
    return slug


def free_slug(title: str, but: Post | None = None) -> str:
    """The title as an address, numbered from 2 where others have it already."""
    stem = _stem(title)
    numbered = (f"{stem}-{number}" for number in range(2, MAX_NUMBERED))
    # Past those a number is drawn, so that the thousandth post of a name costs what the tenth does.
    drawn = (f"{stem}-{randbelow(10**8)}" for _ in count())
    return next(slug for slug in chain((stem,), numbered, drawn) if not _is_taken(slug, but))


def is_slug_of(title: str, slug: str) -> bool:
    """Whether a slug is one that `free` makes of this title."""
    return re.fullmatch(re.escape(_stem(title)) + r"(-\d+)?", slug) is not None


def change_slug(post: Post, slug: str | None) -> str:
    """A new slug for a post, by default of its title. The old one goes on leading here if readers may know it, or
    will, else it is set free. Raises Invalid where it is another post's or the service's own."""
    slug = slug or free_slug(post.title, but=post)
    mine = db.session.get(PostSlug, slug)
    if mine is None or mine.post_id != post.id:
        require_free(slug)
        db.session.add(PostSlug(slug=slug, post_id=post.id))
    old = db.session.get(PostSlug, post.slug)
    if old is not None and post.slug != slug and not _is_known(post):
        db.session.delete(old)
    return slug


def _is_known(post: Post) -> bool:
    """Whether readers may know the slug that the post has, or will by what is pinned to go out."""
    pinned = post.pinned_revision()
    return post.published_at is not None or (pinned is not None and pinned.slug == post.slug)


def _stem(title: str) -> str:
    return slugify(title, MAX_STEM_LENGTH) or "untitled"


def _is_taken(slug: str, but: Post | None) -> bool:
    there = db.session.get(PostSlug, slug)
    return slug in RESERVED or (there is not None and (but is None or there.post_id != but.id))
