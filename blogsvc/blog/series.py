"""Series as readers see them: the page of each, and the place of a post in one."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.blog import queries
from blogsvc.blog.contract import EntryTitle, Place
from blogsvc.blog.page_heads import PageHead
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.lib import blog_paths
from blogsvc.models import Series


@dataclass(frozen=True)
class BlogSeries(PageHead):
    """A series with its parts in reading order: the published posts that are in lists."""

    slug: str
    is_complete: bool
    parts: list[EntryTitle]

    @property
    def feed_path(self) -> str:
        return blog_paths.of_series_feed(self.slug)


def series_at(blog: Blog, slug: str) -> BlogSeries | None:
    """Return a series that readers may see: without a published part, only one that has a description.

    The title of any other may be that of an unpublished draft.
    """
    row = Series.find(slug)
    parts = queries.parts_of(blog, row.slug) if row is not None else []
    if row is None or not (parts or row.description):
        return None
    head = row.title, row.description, row.cover_image, blog_paths.of_series(row.slug), blog.url, blog.language
    return BlogSeries(*head, row.slug, row.is_complete, parts)


def place_of(entry: BlogPost) -> Place | None:
    """Return the place of a post in its series, None if it is in none, or not in lists."""
    if not entry.revision.series or (series := series_at(entry.blog, entry.revision.series)) is None:
        return None
    parts = series.parts
    at = next((at for at, part in enumerate(parts) if part.path == entry.path), None)
    if at is None:
        return None
    around = parts[at - 1] if at else None, parts[at + 1] if at + 1 < len(parts) else None
    return Place(series.title, series.path, at + 1, len(parts), *around)
