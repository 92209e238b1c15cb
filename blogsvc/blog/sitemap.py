"""The sitemap: the posts, and the pages that list them, for search engines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from flask import Blueprint, Response, render_template

from blogsvc.blog import cache, overviews, queries
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.lib import blog_paths
from blogsvc.lib.time import stamp
from blogsvc.models import Author, Series
from blogsvc.models.navigation import FIXED
from blogsvc.models.post_labels import SITE_TAG, shown_counts
from blogsvc.posts.public_paths import authors_with_page, series_with_page

blueprint = Blueprint("sitemap", __name__)

MAX_ADDRESSES = 50_000  # that of the sitemap protocol


@blueprint.get("/sitemap.xml")
def sitemap() -> Response:
    def make() -> CachedPage:
        blog = Blog.read()
        lists, pages = _lists()[:MAX_ADDRESSES], queries.pages(blog)
        left = max(0, MAX_ADDRESSES - len(lists) - len(pages))
        posts = queries.newest(blog, left, titles_only=True)
        changes = _last_changes(posts)
        entries = [(entry.path, entry.updated_at) for entry in [*pages, *posts] if not entry.revision.canonical_url]
        addresses = [*((path, changes.get(path)) for path in lists), *entries][:MAX_ADDRESSES]
        return CachedPage.of(
            render_template("blog/sitemap.xml", blog=blog, addresses=addresses, stamp=stamp), "application/xml"
        )

    return cache.answer("/sitemap.xml", make)[0]


def _lists() -> list[str]:
    """Return the paths of the pages that list posts and that readers can see."""
    return [
        FIXED["home"],
        FIXED["tags"],
        FIXED["subscribe"],
        *(year.path for year in overviews.years()),
        *map(blog_paths.of_author, sorted(authors_with_page([author.slug for author in Author.all()]))),
        *map(blog_paths.of_series, sorted(series_with_page([series.slug for series in Series.all()]))),
        *map(blog_paths.of_tag, sorted(shown_counts(SITE_TAG))),
    ]


def _last_changes(posts: Iterable[BlogPost]) -> dict[str, datetime]:
    """Return when the lists of these posts changed last, by path."""
    changes: dict[str, datetime] = {}
    for post in posts:
        for path in _lists_with(post):
            changes[path] = max(post.updated_at, changes.get(path, post.updated_at))
    return changes


def _lists_with(post: BlogPost) -> Iterator[str]:
    yield "/"
    yield blog_paths.of_year(post.published_at.year)
    yield from map(blog_paths.of_author, post.revision.authors)
    yield from map(blog_paths.of_tag, post.tags)
    if post.revision.series:
        yield blog_paths.of_series(post.revision.series)
