"""What the blog has: its tags, and its years with their posts."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter

from sqlalchemy import func, select

from blogsvc.blog import queries
from blogsvc.blog.contract import Archive, FullYear, Month, TagCount, TagGroup, Year
from blogsvc.blog.curve import path_of
from blogsvc.blog.posts import Blog
from blogsvc.lib import blog_paths
from blogsvc.lib.text.search_terms import fold
from blogsvc.models import Post, Revision, TagPage, db
from blogsvc.models.post_conditions import IS_LISTED
from blogsvc.models.post_labels import SITE_TAG, shown_counts
from blogsvc.models.sql_time import month_of

# The heading of tags that begin with no letter.
OTHERS = "#"
# Of an archive with fewer posts, one page shows all years.
MOST_ON_ONE_PAGE = 500


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


def archive(blog: Blog, number: int | None) -> Archive | None:
    """Return the archive with the posts of a year; without one with all posts, or those of the newest year if they are
    many. None if the year has no posts.
    """
    counts = _counts_by_month()
    all_years = _years(counts)
    total = sum(year.count for year in all_years)
    if number is None:
        chosen = all_years if total <= MOST_ON_ONE_PAGE else all_years[:1]
    elif not (chosen := [year for year in all_years if year.year == number]):
        return None
    at = all_years.index(chosen[0]) if chosen else 0
    is_whole = len(chosen) == len(all_years)
    return Archive(
        count=total,
        since=counts[0][0] if counts else None,
        years=tuple(all_years),
        curve=path_of([(start.year * 12 + start.month - 1, count) for start, count in counts]),
        shown=tuple(FullYear(year.year, year.path, year.count, _months(blog, year.year)) for year in chosen),
        newer=all_years[at - 1] if at and not is_whole else None,
        older=all_years[at + 1] if at + 1 < len(all_years) and not is_whole else None,
    )


def _counts_by_month() -> list[tuple[datetime, int]]:
    """Return the months in UTC that have posts, oldest first, each with their number."""
    month = month_of(Post.published_at)
    listed = select(month, func.count()).join(Revision, Revision.id == Post.site_revision_id).where(*IS_LISTED)
    return [(start, count) for start, count in db.session.execute(listed.group_by(month).order_by(month))]


def years() -> list[Year]:
    """Return the years in UTC that have posts, newest first."""
    return _years(_counts_by_month())


def _years(counts: list[tuple[datetime, int]]) -> list[Year]:
    by_year = groupby(counts, key=lambda month: month[0].year)
    found = [Year(year, blog_paths.of_year(year), sum(count for _, count in months)) for year, months in by_year]
    return found[::-1]


def _months(blog: Blog, year: int) -> tuple[Month, ...]:
    """Return the posts of a year, newest first, by month."""
    entries = queries.titles_between(blog, datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    groups = ((month, tuple(group)) for month, group in groupby(entries, key=lambda entry: entry.published_at.month))
    return tuple(Month(f"{month:02}", datetime(year, month, 1, tzinfo=UTC), group) for month, group in groups)
