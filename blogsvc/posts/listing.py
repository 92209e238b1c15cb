"""The shelves of the desk: which posts lie on each, in which order, a page at a time.

A page is found by the place where the one before it ended, so that the last costs what the first does.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, exists, false, func, or_, select, true
from sqlalchemy.orm import InstrumentedAttribute, defer

from blogsvc.lib.search_terms import terms
from blogsvc.lib.text import excerpt, strip_front_matter
from blogsvc.models.base import db
from blogsvc.models.person import Person
from blogsvc.models.post import Post, PostLabel, State
from blogsvc.models.post_search import has_words

LIST_PAGE_SIZE = 30
# Nobody reads more, and counting takes time.
MAX_COUNTED = 1000
# Tags that are offered to choose from, the most used first.
MAX_TAGS_LISTED = 200
# Of a post without a title, the words that stand for one; and of its text, what they are looked for in.
NAME, HEAD = 60, 600


@dataclass(frozen=True)
class PostList:
    """Posts in any of these states (in any at all, where none is named), by a moment that each of them has."""

    states: tuple[State, ...]
    moment: InstrumentedAttribute[Any]
    falls: bool = True
    is_trash: bool = False

    @property
    def condition(self) -> ColumnElement[bool]:
        """Drafts and what is scheduled are few of many posts, and found by an index on states. What is published is
        nearly all of them: an expression keeps SQLite from that index, for the one that is in order."""
        here = Post.deleted_at.is_not(None) if self.is_trash else Post.deleted_at.is_(None)
        state = Post.state.concat("") if self.moment is Post.published_at else Post.state
        return and_(here, self.moment.is_not(None), state.in_(self.states) if self.states else true())


POST_LISTS = {
    "all": PostList((), Post.updated_at),
    "drafts": PostList(("draft", "unpublished"), Post.updated_at),
    "scheduled": PostList(("scheduled", "missed"), Post.scheduled_at, falls=False),
    "published": PostList(("publishing", "published", "partial", "failed"), Post.published_at),
    "trash": PostList((), Post.deleted_at, is_trash=True),
}


@dataclass(frozen=True)
class PostFilter:
    """What a list is narrowed to: posts with these words, this tag, of this author. Empty is any."""

    words: str = ""
    tag: str = ""
    author_id: str = ""

    def __bool__(self) -> bool:
        return bool(self.words or self.tag or self.author_id)

    @property
    def condition(self) -> ColumnElement[bool]:
        conditions: list[ColumnElement[bool]] = [true()]
        if self.words:
            asked = terms(self.words)
            conditions.append(has_words(Post.id, asked) if asked else false())
        if self.tag:
            tagged = PostLabel.kind == "tag", PostLabel.value == self.tag, PostLabel.post_id == Post.id
            conditions.append(exists().where(*tagged))
        if self.author_id:
            conditions.append(Post.author_id == self.author_id)
        return and_(*conditions)


@dataclass(frozen=True)
class PostRow:
    """A post as a line of a list. Its text is left where it is."""

    post: Post
    head: str

    @property
    def name(self) -> str:
        """Its title, or its first words; "" where it has neither."""
        return self.post.title.strip() or excerpt(strip_front_matter(self.head).lstrip("#>*-+ \t\r\n"), NAME)


@dataclass(frozen=True)
class ListPage:
    """Some lines of a shelf, and the place after which the next begin; None at the end."""

    lines: list[PostRow]
    next: str | None


def visible_to(person: Person) -> ColumnElement[bool]:
    """The condition on Post that `Person.may_see` is for one."""
    return true() if person.is_at_least("editor") else Post.author_id == person.id


def page(name: str, person: Person, wanted: PostFilter, after: str = "", most: int = LIST_PAGE_SIZE) -> ListPage:
    """The lines of a shelf that a person may see. A place that is none of ours is the beginning."""
    shelf = POST_LISTS[name]
    query = (
        select(Post, func.substr(Post.content, 1, HEAD))
        .options(defer(Post.content), defer(Post.overrides))
        .where(shelf.condition, visible_to(person), wanted.condition, _beyond(shelf, after))
        .order_by(*(_directed(shelf, column) for column in (shelf.moment, Post.id)))
        .limit(most + 1)
    )
    lines = [PostRow(post, head) for post, head in db.session.execute(query)]
    has_more, lines = len(lines) > most, lines[:most]
    return ListPage(lines, _place(shelf, lines[-1].post) if has_more else None)


def _directed(shelf: PostList, column: InstrumentedAttribute[Any]) -> Any:
    return column.desc() if shelf.falls else column.asc()


def _beyond(shelf: PostList, after: str) -> ColumnElement[bool]:
    found = _read_place(after)
    if found is None:
        return true()
    at, post_id = found
    column = shelf.moment
    if shelf.falls:
        return and_(column <= at, or_(column < at, Post.id < post_id))
    return and_(column >= at, or_(column > at, Post.id > post_id))


def _place(shelf: PostList, last: Post) -> str:
    at: datetime = getattr(last, shelf.moment.key)
    return f"{at.astimezone(UTC).isoformat().removesuffix('+00:00')}~{last.id}"


def _read_place(text: str) -> tuple[datetime, str] | None:
    moment, _, post_id = text.replace("\0", "").partition("~")
    try:
        return datetime.fromisoformat(moment).replace(tzinfo=UTC), post_id
    except ValueError:
        return None


def counts(person: Person) -> dict[str, int]:
    """How many posts lie on each shelf, of those that the person may see; of many, MOST_COUNTED."""
    return {name: _count(shelf, person) for name, shelf in POST_LISTS.items() if name != "all"}


def _count(shelf: PostList, person: Person) -> int:
    found = select(Post.id).where(shelf.condition, visible_to(person)).limit(MAX_COUNTED).subquery()
    return db.session.scalar(select(func.count()).select_from(found)) or 0


def tags(person: Person) -> list[str]:
    """The tags of the posts that the person may see, in order of their letters."""
    query = (
        select(PostLabel.value)
        .join(Post, Post.id == PostLabel.post_id)
        .where(PostLabel.kind == "tag", Post.deleted_at.is_(None), visible_to(person))
        .group_by(PostLabel.value)
        .order_by(func.count().desc(), PostLabel.value)
        .limit(MAX_TAGS_LISTED)
    )
    return sorted(db.session.scalars(query), key=str.casefold)
