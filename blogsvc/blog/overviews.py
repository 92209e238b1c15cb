"""What the blog has: its tags, and its years with their posts."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import func, select

from blogsvc.blog import queries
from blogsvc.blog.contract import Archive, Month, TagCount, TagGroup, Year
from blogsvc.blog.posts import Blog
from blogsvc.lib import blog_paths
from blogsvc.lib.text.search_terms import fold
from blogsvc.models import Post, Revision, TagPage, db
from blogsvc.models.post_conditions import IS_LISTED
from blogsvc.models.post_labels import SITE_TAG, shown_counts
from blogsvc.models.sql_time import year_of

# The heading of tags that begin with no letter.
OTHERS = "#"


def tags() -> tuple[TagGroup, ...]:
    """Return the tags that readers see by their titles from A to Z, grouped by their first letter.

    Those without one come last.
    """
    counts = shown_counts(SITE_TAG)
    titles = {page.tag: page.title for page in TagPage.all() if page.title}
    shown = (TagCount(titles.get(tag, tag), blog_paths.of_tag(tag), count) for tag, count in counts.items())
    found = sorted(((fold(tag.title), tag.title.casefold(), tag) for tag in shown), key=itemgetter(0, 1))
    groups: dict[str, list[TagCount]] = {}
    for words, _, tag in found:
        groups.setdefault(words[:1].upper() if words[:1].isalpha() else OTHERS, []).append(tag)
    in_order = sorted(groups.items(), key=lambda group: group[0] == OTHERS)
    return tuple(TagGroup(initial, tuple(tags)) for initial, tags in in_order)


def years() -> tuple[Year, ...]:
    """Return the years in UTC with the number of their posts, the newest first."""
    year = year_of(Post.published_at)
    listed = select(year, func.count()).join(Revision, Revision.id == Post.site_revision_id).where(*IS_LISTED)
    rows = db.session.execute(listed.group_by(year).order_by(year.desc()))
    return tuple(Year(start.year, blog_paths.of_year(start.year), count) for start, count in rows)


def archive(blog: Blog, number: int | None) -> Archive | None:
    """Return the archive with the posts of a year, or of the newest one. None if the year has no posts."""
    all_years = years()
    if number is None:
        shown = next(iter(all_years), None)
    elif (shown := next((year for year in all_years if year.year == number), None)) is None:
        return None
    if shown is None:
        return Archive((), None, None, None, ())
    at = all_years.index(shown)
    newer, older = all_years[at - 1] if at else None, next(iter(all_years[at + 1 :]), None)
    return Archive(all_years, shown, newer, older, _months(blog, shown.year))


def _months(blog: Blog, year: int) -> tuple[Month, ...]:
    """Return the posts of a year, newest first, by month."""
    entries = queries.titles_between(blog, datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    groups = ((month, tuple(group)) for month, group in groupby(entries, key=lambda entry: entry.published_at.month))
    return tuple(Month(f"{month:02}", datetime(year, month, 1, tzinfo=UTC), group) for month, group in groups)
