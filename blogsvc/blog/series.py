"""Series as readers see them: the page of each, and the place of a post in one."""

from __future__ import annotations

from dataclasses import dataclass

from blogsvc.blog import queries
from blogsvc.blog.page_heads import PageHead
from blogsvc.blog.posts import Blog, BlogPost, PostTitle
from blogsvc.lib import blog_paths
from blogsvc.models import Series


@dataclass(frozen=True)
class BlogSeries(PageHead):
    """A series with its parts in reading order: the published posts that are in lists."""

    slug: str
    is_complete: bool
    parts: list[PostTitle]

    @property
    def feed_path(self) -> str:
        return blog_paths.of_series_feed(self.slug)


@dataclass(frozen=True)
class PlaceInSeries:
    """The place of a post in its series. `number` counts from 1."""

    series: BlogSeries
    number: int

    @property
    def total(self) -> int:
        return len(self.series.parts)

    @property
    def previous(self) -> PostTitle | None:
        return self.series.parts[self.number - 2] if self.number > 1 else None

    @property
    def next(self) -> PostTitle | None:
        return self.series.parts[self.number] if self.number < self.total else None


def series_at(blog: Blog, slug: str) -> BlogSeries | None:
    """Return a series that readers may see: without a published part, only one that has a description.

    The title of any other may be that of an unpublished draft.
    """
    row = Series.find(slug)
    parts = queries.parts_of(blog, row.slug) if row is not None else []
    if row is None or not (parts or row.description):
        return None
    head = row.title, row.description, row.cover_image, blog_paths.of_series(row.slug), blog.url
    return BlogSeries(*head, row.slug, row.is_complete, parts)


def place_of(entry: BlogPost) -> PlaceInSeries | None:
    """Return the place of a post in its series, None if it is in none, or not in lists."""
    if not entry.revision.series or (series := series_at(entry.blog, entry.revision.series)) is None:
        return None
    numbers = (number for number, part in enumerate(series.parts, 1) if part.slug == entry.slug)
    number = next(numbers, None)
    return PlaceInSeries(series, number) if number else None
