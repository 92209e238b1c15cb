"""What the blog has: its tags, and its years with their posts."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import groupby
from typing import NamedTuple

from sqlalchemy import func, select

from blogsvc.blog import queries
from blogsvc.blog.posts import Blog, PostTitle
from blogsvc.lib.text.search_terms import fold
from blogsvc.models import Post, Revision, TagPage, db
from blogsvc.models.post_conditions import IS_LISTED
from blogsvc.models.post_labels import SITE_TAG, shown_counts
from blogsvc.models.sql_time import year_of

# The heading of tags that begin with no letter.
OTHERS = "#"


class TagCount(NamedTuple):
    """A tag with the title of its page and the number of its posts."""

    tag: str
    title: str
    posts: int


class YearCount(NamedTuple):
    year: int
    posts: int


def tags() -> list[tuple[str, list[TagCount]]]:
    """Return the tags that readers see by their titles from A to Z, grouped by their first letter.

    Those without one come last.
    """
    counts = shown_counts(SITE_TAG)
    titles = {page.tag: page.title for page in TagPage.all() if page.title}
    shown = (TagCount(tag, titles.get(tag, tag), count) for tag, count in counts.items())
    found = sorted((fold(one.title), one.title.casefold(), one) for one in shown)
    groups: dict[str, list[TagCount]] = {}
    for words, _, tag in found:
        groups.setdefault(words[:1].upper() if words[:1].isalpha() else OTHERS, []).append(tag)
    return sorted(groups.items(), key=lambda group: group[0] == OTHERS)


def years() -> list[YearCount]:
    """Return the years in UTC with the number of their posts, the newest first."""
    year = year_of(Post.published_at)
    listed = select(year, func.count()).join(Revision, Revision.id == Post.site_revision_id).where(*IS_LISTED)
    query = listed.group_by(year).order_by(year.desc())
    return [YearCount(start.year, count) for start, count in db.session.execute(query)]


def months(blog: Blog, year: int) -> list[tuple[datetime, list[PostTitle]]]:
    """Return the posts of a year, newest first, by month. Each month comes with the time of one of its posts."""
    entries = queries.titles_between(blog, datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC))
    groups = (list(group) for _, group in groupby(entries, key=lambda entry: entry.published_at.month))
    return [(group[0].published_at, group) for group in groups]
