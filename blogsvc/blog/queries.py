"""Queries for the posts of the blog, newest first.

Lists use keyset pagination, so late pages are as fast as the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime

from flask import abort
from sqlalchemy import ColumnElement, Select, and_, func, not_, or_, select, text
from sqlalchemy.orm import defer, lazyload

from blogsvc.blog.contract import EntryTitle
from blogsvc.blog.posts import Blog, BlogPost
from blogsvc.lib import blog_paths
from blogsvc.lib.text.search_terms import Term
from blogsvc.models import Post, PostSlug, Revision, db
from blogsvc.models.post_conditions import HAS_PAGE, IS_FINDABLE, IS_LISTED, has_label, has_words
from blogsvc.models.post_fields import NOT_FOUND_SLUG
from blogsvc.models.post_labels import SITE_AUTHOR, SITE_SERIES, SITE_TAG, PostLabel
from blogsvc.models.site_search import SITE_TEXT, SITE_TITLE

_POSTS = (
    select(Post, Revision)
    .join(Revision, Revision.id == Post.site_revision_id)
    .options(defer(Post.content), defer(Revision.content), lazyload(Post.deliveries))
)
# Posts in lists, feeds and searches.
_LISTED = _POSTS.where(*IS_LISTED)
# For lists of titles, without the HTML.
_TITLES = _LISTED.options(defer(Revision.html))
# The posts that a revision pins. The condition is literal, so that SQLite uses the index of these few revisions.
_WITH_PIN = select(Revision.post_id).where(text("revision.is_pinned")).distinct()
MAX_PAGES_LISTED = 1000
MAX_PARTS_LISTED = 1000
# Of the posts in a list. The pages of longer lists have no numbers.
MAX_COUNTED = 1000
_TITLE_COLUMNS = select(Post.id, Post.published_at, Revision.slug, Revision.title, Revision.language).join(
    Revision, Revision.id == Post.site_revision_id
)
_NEWEST_FIRST = (Post.published_at.desc(), Post.id.desc())
Shown = Select[Post, Revision]
# The order of posts: the date and, for posts of the same date, the id.
Position = tuple[datetime, str]


@dataclass(frozen=True)
class PostPage:
    """A page of a list.

    `older` and `newer` are cursors of the neighbouring pages; "" means the first page. `number` and `total` are None in
    a list with more than `MAX_COUNTED` posts.
    """

    entries: list[BlogPost]
    older: str | None
    newer: str | None
    number: int | None
    total: int | None


def page_of_posts(
    blog: Blog,
    size: int,
    before: str | None = None,
    *,
    tag: str | None = None,
    author: str | None = None,
    series: str | None = None,
    but: Collection[BlogPost] = (),
) -> PostPage:
    """Return up to `size` posts, newest first, starting after the post with the slug `before`.

    Args:
        tag: the tag that they have; None for all posts.
        author: the slug of an author that they have; None for all posts.
        series: the slug of the series that they are parts of; None for all posts.
        but: posts to leave out.
    """
    labels = {SITE_TAG: tag, SITE_AUTHOR: author, SITE_SERIES: series}
    query = _LISTED.where(*(has_label(kind, [value]) for kind, value in labels.items() if value is not None))
    query = query.where(Post.id.not_in([entry.post.id for entry in but])) if but else query
    end = _cursor_position(blog, before) if before else None
    entries = _entries(blog, query.where(_is_older(*end)) if end else query, size + 1)
    older = entries[size - 1].slug if len(entries) > size else None
    newer = _newer_cursor(blog, query, end, size) if end else None
    count = _count(query) if older or newer is not None else len(entries)
    if count > MAX_COUNTED:
        return PostPage(entries[:size], older, newer, None, None)
    passed = count - _count(query.where(_is_older(*end))) if end else 0
    return PostPage(entries[:size], older, newer, -(-passed // size) + 1, max(-(-count // size), 1))


def _count(query: Shown) -> int:
    """Return the number of posts, at most one more than `MAX_COUNTED`."""
    some = query.with_only_columns(Post.id).limit(MAX_COUNTED + 1).subquery()
    return db.session.scalar(select(func.count()).select_from(some)) or 0


def tagged_count(tag: str) -> int:
    """Return the number of posts that the page of a tag lists."""
    has_tag = PostLabel.kind == SITE_TAG, PostLabel.value == tag
    return db.session.scalar(select(func.count()).select_from(PostLabel).where(*has_tag)) or 0


def _newer_cursor(blog: Blog, query: Shown, end: Position, size: int) -> str:
    newer = _entries(blog, query.where(_is_newer(*end)), size, rises=True)
    return newer[-1].slug if len(newer) == size else ""


def _cursor_position(blog: Blog, slug: str) -> Position:
    """Return the position of the post that `before` names. Other than public posts are not found."""
    entry = post_at(blog, slug) or abort(404)
    return entry.published_at, entry.post.id


def matching(blog: Blog, terms: list[Term], size: int, number: int) -> tuple[list[BlogPost], int]:
    """Return the posts and pages on a page of the results of a search, and the number of results on all pages.

    Those with all words in the title come first, and of equal ones the newest. The number is `MAX_COUNTED` + 1 if there
    are more than `MAX_COUNTED`.
    """
    unwanted = [term for term in terms if term.is_unwanted]
    in_title = has_words([term for term in terms if not term.is_unwanted], SITE_TITLE)
    found = select(Post.id).where(*HAS_PAGE, has_words(terms, SITE_TEXT)).order_by(*_NEWEST_FIRST)
    titled = select(Post.id).where(*HAS_PAGE, in_title, has_words(unwanted, SITE_TEXT)).order_by(*_NEWEST_FIRST)
    start, end = (number - 1) * size, number * size
    ids = list(db.session.scalars(titled.limit(end)))
    if len(ids) < end:
        ids += db.session.scalars(found.where(not_(in_title)).limit(end - len(ids)))
    ids = ids[start:]
    is_all = number == 1 and len(ids) < size
    some = found.limit(MAX_COUNTED + 1).subquery()
    count = len(ids) if is_all else db.session.scalar(select(func.count()).select_from(some)) or 0
    # What is not findable has no words stored. This makes sure of it, and reads the revisions of this page only.
    shown = _POSTS.where(*IS_FINDABLE, Post.id.in_(ids))
    entries = {entry.post.id: entry for entry in _entries(blog, shown, len(ids))}
    return [entries[post_id] for post_id in ids if post_id in entries], count


def newest(blog: Blog, count: int, *, titles_only: bool = False) -> list[BlogPost]:
    return _entries(blog, _TITLES if titles_only else _LISTED, count)


def pinned(blog: Blog, count: int) -> list[BlogPost]:
    """Return the newest pinned posts."""
    ids = db.session.scalars(_WITH_PIN).all()
    return _entries(blog, _LISTED.where(Post.id.in_(ids), Revision.is_pinned), count) if ids else []


def pages(blog: Blog) -> list[BlogPost]:
    """Return the pages that search engines may show, newest first, without their text."""
    of_kind = _POSTS.where(*IS_FINDABLE, Revision.kind == "page")
    return _entries(blog, of_kind.options(defer(Revision.html)), MAX_PAGES_LISTED)


def titles_between(blog: Blog, start: datetime, end: datetime) -> list[EntryTitle]:
    """Return the titles of all posts from one time until before another, newest first."""
    query = _TITLE_COLUMNS.where(*IS_LISTED, Post.published_at >= start, Post.published_at < end)
    return [title for _, title in _titles(blog, query.order_by(*_NEWEST_FIRST))]


def newest_titles(blog: Blog, count: int) -> dict[str, EntryTitle]:
    """Return the titles of the newest posts and pages that are not unlisted, by slug."""
    query = _TITLE_COLUMNS.where(*IS_FINDABLE)
    return dict(_titles(blog, query.order_by(*_NEWEST_FIRST).limit(count)))


def parts_of(blog: Blog, series: str) -> list[EntryTitle]:
    """Return the titles of the posts of a series in reading order: by their parts, then by date."""
    query = _TITLE_COLUMNS.where(*IS_LISTED, has_label(SITE_SERIES, [series])).limit(MAX_PARTS_LISTED)
    order = (Revision.series_part.is_(None), Revision.series_part, Post.published_at, Post.id)
    return [title for _, title in _titles(blog, query.order_by(*order))]


def _titles(blog: Blog, query: Select[str, datetime | None, str, str, str | None]) -> Iterator[tuple[str, EntryTitle]]:
    """Yield slug and title of posts. Many of them take a fraction of the time that as many posts would."""
    for post_id, at, slug, title, language in db.session.execute(query):
        if at is not None:
            shown = title.strip() or _untitled(blog, post_id)
            yield slug, EntryTitle(blog_paths.of_post(slug), shown, *blog.other_language(language), at)


def _untitled(blog: Blog, post_id: str) -> str:
    """Return what stands for the title of a post that has none."""
    return _entries(blog, _POSTS.where(Post.id == post_id), 1)[0].title


def post_at(blog: Blog, slug: str) -> BlogPost | None:
    """Return the post with this slug, current or former.

    A slug at which the blog never showed the post, such as that of a draft, is not found.
    """
    address = db.session.get(PostSlug, slug)
    if address is None or not address.was_shown:
        return None
    return next(iter(_entries(blog, _POSTS.where(*HAS_PAGE, Post.id == address.post_id), 1)), None)


def not_found_text(blog: Blog) -> BlogPost | None:
    """Return the page whose title and content are shown at addresses without a page, if it is published."""
    entry = post_at(blog, NOT_FOUND_SLUG)
    return entry if entry is not None and entry.revision.is_not_found_text else None


def neighbours(entry: BlogPost) -> tuple[BlogPost | None, BlogPost | None]:
    """Return the previous and the next post by date. A page has none, nor has an unlisted post."""
    if not entry.is_listed:
        return None, None
    older = _entries(entry.blog, _TITLES.where(_is_older(entry.published_at, entry.post.id)), 1)
    newer = _entries(entry.blog, _TITLES.where(_is_newer(entry.published_at, entry.post.id)), 1, rises=True)
    return next(iter(older), None), next(iter(newer), None)


def related(entry: BlogPost, limit: int, but: Collection[str] = ()) -> list[BlogPost]:
    """Return the posts that share the most tags, then the newest. `but` has the paths of posts to leave out."""
    if not entry.tags or not entry.is_listed:
        return []
    others = _entries(entry.blog, _TITLES.where(has_label(SITE_TAG, entry.tags), Post.id != entry.post.id), 50)
    candidates = [other for other in others if other.path not in but]
    return sorted(candidates, key=lambda other: -len(set(other.tags) & set(entry.tags)))[:limit]


def _entries(blog: Blog, query: Shown, count: int, *, rises: bool = False) -> list[BlogPost]:
    order = (Post.published_at, Post.id) if rises else _NEWEST_FIRST
    rows = db.session.execute(query.order_by(*order).limit(count))
    return [BlogPost(post, revision, blog) for post, revision in rows]


def _is_older(at: datetime, post_id: str) -> ColumnElement[bool]:
    # The first term is redundant, but makes the database use one range of the index.
    same = and_(Post.published_at == at, Post.id < post_id)
    return and_(Post.published_at <= at, or_(Post.published_at < at, same))


def _is_newer(at: datetime, post_id: str) -> ColumnElement[bool]:
    same = and_(Post.published_at == at, Post.id > post_id)
    return and_(Post.published_at >= at, or_(Post.published_at > at, same))
