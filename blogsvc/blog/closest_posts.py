"""The posts whose addresses are closest to one that is not found.

They depend on the address, so they are inserted into the one 404 page of the page cache. The newest posts are read once
in each version of the site, so a flood of wrong addresses asks the database nothing for this.
"""

from __future__ import annotations

from dataclasses import dataclass

from flask import render_template

from blogsvc.blog import cache, queries
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.contract import EntryTitle
from blogsvc.blog.posts import Blog
from blogsvc.context import InMemory
from blogsvc.lib.bounded_cache import VersionedCache, equal_weight
from blogsvc.posts.closest_slugs import NEWEST, ClosestSlugs

MOST = 3
PLACE = b"<!-- the closest posts -->"  # in the template of the page


@dataclass(frozen=True)
class _Newest:
    """The newest posts by slug."""

    posts: dict[str, EntryTitle]
    slugs: ClosestSlugs


_newest: InMemory[VersionedCache[str, _Newest]] = InMemory(lambda _tools: VersionedCache(1, equal_weight))


def insert(page: bytes, path: str) -> bytes:
    """Return the 404 page with up to three posts that may be meant by a path."""
    newest = _current()
    entries = tuple(newest.posts[slug] for slug in newest.slugs.to(path, MOST))
    html = render_template("blog/_closest_posts.html", entries=entries) if entries else ""
    return page.replace(PLACE, CachedPage.of(html).body)


def _current() -> _Newest:
    version = cache.known_version().current()
    found = _newest().get("", version)
    if found is None:
        posts = queries.newest_titles(Blog.read(), NEWEST)
        found = _newest().put("", version, _Newest(posts, ClosestSlugs(posts)))
    return found
