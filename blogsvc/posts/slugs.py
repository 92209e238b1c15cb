"""Slugs: make them from titles, check that they are free, and keep old links working after a change."""

from __future__ import annotations

import re
from secrets import randbelow

from sqlalchemy import bindparam, select

from blogsvc.errors import Fault, Invalid
from blogsvc.lib.text.slug_letters import SlugStyle, slugs_of_any_style
from blogsvc.models.post import Post
from blogsvc.models.post_slugs import PostSlug, find_slug, remove_slug, store_slug
from blogsvc.models.setting import Setting
from blogsvc.models.transactions import connection

# First path segments that the service uses itself; no post may have them as its slug.
RESERVED = frozenset(
    {
        "analytics",
        "api",
        "archive",
        "assets",
        "desk",
        "docs",
        "draft",
        "favicon.ico",
        "feed",
        "feed.json",
        "feed.xml",
        "health",
        "login",
        "logout",
        "media",
        "metrics",
        "page",
        "ready",
        "robots.txt",
        "rss.xml",
        "search",
        "settings",
        "setup",
        "sitemap.xml",
        "static",
        "subscribe",
        "tag",
        "tags",
        "well-known",
    }
)
# The slug of a title without letters and digits.
UNTITLED = "untitled"
# In characters; the rest of the slug is for a number.
MAX_STEM_LENGTH = 71
MAX_NUMBERED = 20
# So many that not all of them are taken.
RANDOM_NUMBERS = 4


def require_free(slug: str) -> str:
    """Return the slug. Raises Invalid if it is reserved or in use."""
    if slug in RESERVED or find_slug(slug) is not None:
        raise Invalid(Fault("#/slug", "taken", f"The slug {slug!r} is already in use. Choose another one."))
    return slug


def style() -> SlugStyle:
    """Return how this blog makes slugs from titles."""
    return SlugStyle(Setting.read("blog_slug_script"), Setting.read("blog_language"))


def free_slug(title: str, language: str | None = None, but: Post | None = None) -> str:
    """Return a slug for the title, with a number from 2 if it is taken. Slugs of `but` count as free.

    Args:
        language: the language of the post; None for that of the blog.
    """
    # ASCII titles have the same slug in every style, so that they need no settings.
    made_as = SlugStyle() if title.isascii() else style()
    stem = made_as.slug_of(title, language, MAX_STEM_LENGTH) or UNTITLED
    # After MAX_NUMBERED, use random numbers, because counting up gets slower with every post of this title.
    if stem not in RESERVED and ((found := find_slug(stem)) is None or (but is not None and found.post_id == but.id)):
        return stem
    numbers = [*range(2, MAX_NUMBERED), *(randbelow(10**8) for _ in range(RANDOM_NUMBERS))]
    wanted = [f"{stem}-{number}" for number in numbers]
    taken = connection().scalars(_TAKEN, {"slugs": wanted, "but": but.id if but else ""}).all()
    return next(slug for slug in wanted if slug not in taken)


def is_slug_of(title: str, slug: str) -> bool:
    """Return True if `free_slug` could have made this slug from this title, whatever the settings were then."""
    stem = re.sub(r"-[0-9]+$", "", slug)
    return not {slug, stem}.isdisjoint(one or UNTITLED for one in slugs_of_any_style(title, MAX_STEM_LENGTH))


def change_slug(post: Post, slug: str | None) -> str:
    """Reserve a new slug for a post, and return it. None makes one from the title.

    If the blog has shown the post at the old slug, it redirects to the new one. If it may still show it, the slug stays
    reserved; else it becomes free. Raises Invalid if the new slug is reserved or in use.
    """
    slug = slug or free_slug(post.title, post.language, but=post)
    mine = find_slug(slug)
    if mine is None or mine.post_id != post.id:
        require_free(slug)
        store_slug(slug, post.id)
    old = find_slug(post.slug)
    if old is not None and post.slug != slug and not old.was_shown and not _is_slug_pinned(post):
        remove_slug(post.slug)
    return slug


def _is_slug_pinned(post: Post) -> bool:
    """Return True if the published or scheduled revision has the current slug, so that the blog may show it later."""
    pinned = post.pinned_revision()
    return pinned is not None and pinned.slug == post.slug


# Those of `slugs` that are in use by another post than `but`.
_TAKEN = select(PostSlug.slug).where(
    PostSlug.slug.in_(bindparam("slugs", expanding=True)), PostSlug.post_id != bindparam("but")
)
