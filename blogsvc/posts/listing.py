"""Post lists: all, drafts, scheduled, published, trash. Each is sorted and paginated with a cursor.

A cursor names the last row of the previous page, so late pages are as fast as the first.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, TextClause, and_, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, load_only, selectinload

from blogsvc.lib.text.plain import excerpt, written_text
from blogsvc.lib.text.search_matches import Piece, excerpt_around, marked
from blogsvc.lib.text.search_terms import Term, terms
from blogsvc.models.base import db
from blogsvc.models.delivery import Delivery
from blogsvc.models.post import IS_DRAFT, IS_PAGE, Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.user import User
from blogsvc.posts.blank_drafts import is_blank
from blogsvc.posts.post_filter import PostFilter

LIST_PAGE_SIZE = 30
# A larger count is shown as this number, because counting is slow.
MAX_COUNTED = 1000
# The number of tags offered in the filter; the most used ones.
MAX_TAGS_LISTED = 200
# In characters: the length of a name made from the text, and the part of the text that is loaded for it.
NAME, HEAD = 60, 600
# In characters: the part of the text from which search results show an excerpt.
SEARCHED = 50_000


@dataclass(frozen=True)
class PostList:
    """The posts that meet all conditions, sorted by one of their timestamps. `falls` sorts the newest first.

    `counted` are conditions for the same posts that are faster if their order does not matter.
    """

    moment: InstrumentedAttribute[Any]
    conditions: tuple[ColumnElement[bool] | TextClause, ...]
    falls: bool = True
    counted: tuple[ColumnElement[bool] | TextClause, ...] = ()


_IS_HERE, _IS_POST = Post.deleted_at.is_(None), Post.kind == "post"
_PUBLISHED = ("publishing", "published", "partial", "failed")
# Nearly all posts are published, so that the list is walked: the concatenation stops SQLite from looking up the states.
_IS_PUBLISHED = Post.state.concat("").in_(_PUBLISHED)
# Pages are few, so they are looked up.
_IS_PAGE = Post.id.in_(select(Post.id).where(IS_PAGE))
# Pages have a list of their own. "all" has posts and pages.
POST_LISTS = {
    "all": PostList(Post.updated_at, (_IS_HERE, ~is_blank())),
    "drafts": PostList(Post.updated_at, (IS_DRAFT, _IS_POST, ~is_blank())),
    "scheduled": PostList(
        Post.scheduled_at,
        (_IS_HERE, _IS_POST, Post.state.in_(("scheduled", "missed")), Post.scheduled_at.is_not(None)),
        falls=False,
    ),
    "published": PostList(
        Post.published_at,
        (_IS_HERE, _IS_POST, _IS_PUBLISHED, Post.published_at.is_not(None)),
        counted=(_IS_HERE, _IS_POST, Post.state.in_(_PUBLISHED)),
    ),
    "pages": PostList(Post.updated_at, (_IS_HERE, _IS_PAGE, ~is_blank())),
    "trash": PostList(Post.deleted_at, (Post.deleted_at.is_not(None),)),
}


# What rows show of posts and of their deliveries.
_SHOWN = (
    load_only(
        Post.state, Post.title, Post.kind, Post.is_pinned, Post.is_unlisted, Post.platforms, Post.word_count, Post.tags,
        Post.has_unpublished_changes, Post.updated_at, Post.scheduled_at, Post.published_at, Post.deleted_at,
    ),
    selectinload(Post.deliveries).load_only(Delivery.destination, Delivery.state, Delivery.url),
)  # fmt: skip


@dataclass(frozen=True)
class PostRow:
    """A post as a row in a list, with the start of its text instead of the whole, and the words of the search."""

    post: Post
    head: str
    asked: tuple[Term, ...] = ()

    @property
    def name(self) -> str:
        """Return the title, or the first words of an untitled post; "" if it has neither."""
        return self.post.title.strip() or excerpt(self.head.lstrip("#>*-+ \t\r\n"), NAME)

    @property
    def marked_name(self) -> list[Piece]:
        """Return the name in pieces: what was searched for, and the rest."""
        return marked(self.name, self.asked)

    @property
    def excerpt(self) -> list[Piece]:
        """Return the text around the first word that was searched for, in pieces; [] if it is only elsewhere."""
        return excerpt_around(written_text(self.head), self.asked) if self.asked else []


@dataclass(frozen=True)
class ListPage:
    """One page of a list. `next` is the cursor of the next page, None on the last."""

    lines: list[PostRow]
    next: str | None


def page(name: str, user: User, post_filter: PostFilter, after: str = "", most: int = LIST_PAGE_SIZE) -> ListPage:
    """Return a page of a list with the posts that the user may see. An invalid cursor returns the first page."""
    post_list = POST_LISTS[name]
    search_terms = tuple(terms(post_filter.query))
    query = (
        select(Post, func.substr(Post.content, 1, SEARCHED if search_terms else HEAD))
        .options(*_SHOWN)
        .where(*post_list.conditions, user.visible_posts(), post_filter.condition, _after_cursor(post_list, after))
        .order_by(*(column.desc() if post_list.falls else column.asc() for column in (post_list.moment, Post.id)))
        .limit(most + 1)
    )
    lines = [PostRow(post, head, search_terms) for post, head in db.session.execute(query)]
    has_more, lines = len(lines) > most, lines[:most]
    return ListPage(lines, _cursor_at(post_list, lines[-1].post) if has_more else None)


def _after_cursor(post_list: PostList, after: str) -> ColumnElement[bool]:
    found = _read_cursor(after)
    if found is None:
        return true()
    at, post_id = found
    column = post_list.moment
    if post_list.falls:
        return and_(column <= at, or_(column < at, Post.id < post_id))
    return and_(column >= at, or_(column > at, Post.id > post_id))


def _cursor_at(post_list: PostList, last: Post) -> str:
    at: datetime = getattr(last, post_list.moment.key)
    return f"{at.astimezone(UTC).isoformat().removesuffix('+00:00')}~{last.id}"


def _read_cursor(text: str) -> tuple[datetime, str] | None:
    moment, _, post_id = text.replace("\0", "").partition("~")
    try:
        return datetime.fromisoformat(moment).replace(tzinfo=UTC), post_id
    except ValueError:
        return None


def discarded_at(at: datetime, user: User, limit: int) -> list[str]:
    """Return the ids of the posts that were moved to the trash in the millisecond of `at`."""
    within = Post.deleted_at >= at, Post.deleted_at < at + timedelta(milliseconds=1)
    return list(db.session.scalars(select(Post.id).where(*within, user.visible_posts()).limit(limit)))


def counts(user: User) -> dict[str, int]:
    """Return the number of posts in each list that the user may see, at most MAX_COUNTED each."""
    counted = {name: _count(post_list, user) for name, post_list in POST_LISTS.items() if name != "all"}
    row = db.session.execute(select(*(count.label(name) for name, count in counted.items()))).one()
    return dict(row._mapping)


def _count(post_list: PostList, user: User) -> ScalarSelect[int]:
    found = (
        select(Post.id)
        .where(*(post_list.counted or post_list.conditions), user.visible_posts())
        .limit(MAX_COUNTED)
        .subquery()
    )
    return select(func.count()).select_from(found).scalar_subquery()


def tags(user: User) -> list[str]:
    """Return the most used tags of the posts that the user may see, in alphabetical order.

    Only the posts that were changed last count, so that the cost does not grow with the blog. The concatenation stops
    SQLite from reading all tags.
    """
    visible = select(Post.id).where(Post.deleted_at.is_(None), user.visible_posts())
    latest = visible.order_by(Post.updated_at.desc(), Post.id.desc()).limit(MAX_COUNTED).subquery()
    query = (
        select(PostLabel.value)
        .join(latest, latest.c.id == PostLabel.post_id)
        # The concatenation lets SQLite look up the labels of these posts, and not all tags.
        .where(PostLabel.kind.concat("") == "tag")
        .group_by(PostLabel.value)
        .order_by(func.count().desc(), PostLabel.value)
        .limit(MAX_TAGS_LISTED)
    )
    return sorted(db.session.scalars(query), key=str.casefold)
