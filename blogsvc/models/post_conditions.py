"""Conditions on posts that take little time whether few or very many posts meet them.

A list shows a page of posts in some order. The database can look up all posts that meet a condition and sort them,
which is slow if they are many; or walk through the posts in that order and test each, which is slow if they are few.
SQLite keeps no statistics to choose by, so the matches are counted first, up to a limit. PostgreSQL chooses by itself,
but not how to search: a word that is in many of the newest texts is looked for in the text of each post, on both.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, bindparam, exists, false, func, literal, not_, select, true
from sqlalchemy import text as sql
from sqlalchemy.orm import InstrumentedAttribute, aliased

from blogsvc.lib.text.search_terms import Term
from blogsvc.models.base import db
from blogsvc.models.full_text import FullText
from blogsvc.models.post import IS_PAGE, Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.post_search import POST_TEXT
from blogsvc.models.revision import IS_FINDABLE_REVISION, Revision

FEW = 10_000
# A word that is in so many of so many new texts is common.
COMMON, SAMPLED = 5, 100

# The conditions of a post or page that has an address on the blog, of one that strangers may find there, and of a post
# that is also in lists, feeds and the archive, for queries that join the revision on the blog. Tags and the search have
# rows of their own, which `Post.enter_site` writes.
HAS_PAGE = (Post.site_revision_id.is_not(None), Post.deleted_at.is_(None))
IS_FINDABLE = (*HAS_PAGE, *IS_FINDABLE_REVISION)
IS_LISTED = (*HAS_PAGE, Revision.is_unlisted.is_(False), Revision.kind == "post")


def is_scheduled(post_id: str) -> bool:
    """Return True if there is such a post and it is scheduled, without reading all of it."""
    return db.session.scalar(_STATE, {"post_id": post_id}) == "scheduled"


_STATE = select(Post.state).where(Post.id == bindparam("post_id"))


def is_new_blog() -> bool:
    """Return True if no post or page is published on the blog."""
    return db.session.scalar(select(Post.id).where(*HAS_PAGE).limit(1)) is None


def has_state(states: Collection[str], *, is_walked: bool | None = None) -> ColumnElement[bool]:
    """Return the condition that a post has one of the states.

    Args:
        is_walked: walk through the posts, or (False) through the index of the states; None to count the posts first.
    """
    return _has_value(Post.state, states, is_walked)


def has_author(user_id: str) -> ColumnElement[bool]:
    """Return the condition that a user has created a post."""
    return _has_value(Post.author_id, [user_id], None)


def _has_value(
    column: InstrumentedAttribute[Any], values: Collection[str], is_walked: bool | None
) -> ColumnElement[bool]:
    is_one = column.in_(values)
    if is_walked is False:
        return is_one
    if is_walked or _are_many_in_sqlite(select(Post.id).where(is_one)):
        return column.concat("").in_(values)  # the concatenation stops the database from using the index of the column
    return _looked_up(is_one)


def is_between(
    column: InstrumentedAttribute[Any], after: datetime | None, before: datetime | None
) -> ColumnElement[bool]:
    """Return the condition that a time of a post is after one time and before another. None is no limit."""
    conditions = [column > after] if after is not None else []
    conditions += [column < before] if before is not None else []
    between = and_(*conditions)
    return between if _are_many_in_sqlite(select(Post.id).where(between)) else _looked_up(between)


def is_page() -> ColumnElement[bool]:
    """Return the condition that a post is a page of the blog. There are few, and they have an index."""
    return _looked_up(and_(IS_PAGE))


def _looked_up(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """Return a condition that few posts meet, so that SQLite looks these up, whatever the order of the list."""
    return Post.id.in_(select(Post.id).where(condition).correlate(None)) if _is_sqlite() else condition


def has_label(kind: str, values: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a post has one of the labels, which are of a kind (see post_labels.py)."""
    labels = PostLabel.kind == kind, PostLabel.value.in_(values)
    found = select(PostLabel.post_id).where(*labels)
    if _are_many_in_sqlite(found):
        return exists().where(*labels, PostLabel.post_id == Post.id)
    return Post.id.in_(found)


def has_words(terms: Collection[Term], text: FullText = POST_TEXT) -> ColumnElement[bool]:
    """Return the condition that a text of a post matches all search terms: by default that of its working copy."""
    wanted = [term for term in terms if not term.is_unwanted]
    return and_(
        _matches(wanted, text) if wanted else true(),
        *(not_(_reads([term], text)) for term in terms if term.is_unwanted),
    )


def _matches(terms: list[Term], text: FullText) -> ColumnElement[bool]:
    row = text.model
    if _are_in_new_texts(terms, text):
        return _reads(terms, text)
    if not _is_sqlite():
        # It takes for cheap what is not: to read the words of each text anew, in place of the index. The offset makes
        # it look for the words first, and not in each post.
        db.session.execute(sql("SET LOCAL enable_seqscan = off"))
        return Post.id.in_(select(row.post_id).where(text.matches_on_postgresql(terms)).offset(0))
    found = text.numbers_in_fts5(terms)
    if _are_many_in_sqlite(found):
        return select(row.number).where(row.post_id == Post.id).scalar_subquery().in_(found)
    return Post.id.in_(select(row.post_id).where(row.number.in_(found)))


def _reads(terms: list[Term], text: FullText) -> ColumnElement[bool]:
    """Return the condition that the text of a post matches all terms, which reads the text of each post.

    As a value and not with EXISTS, which PostgreSQL would take as leave to read all texts first.
    """
    row = text.model
    reads = select(and_(*(text.reads(term, row) for term in terms))).where(row.post_id == Post.id).scalar_subquery()
    return func.coalesce(reads, false())


def _are_in_new_texts(terms: list[Term], text: FullText) -> bool:
    """Return True if so many of the newest texts match all terms that a walk soon finds a page of posts.

    No index tells this in little time: for the beginning of a word, it merges the lists of all words that begin so.
    """
    row = aliased(text.model, select(text.model).order_by(text.model.number.desc()).limit(SAMPLED).subquery())
    some = select(row.number).where(*(text.reads(term, row) for term in terms)).limit(COMMON).subquery()
    return db.session.scalar(select(func.count()).select_from(some)) == COMMON


def _are_many_in_sqlite(query: Select[Any]) -> bool:
    """Return whether SQLite finds more than FEW rows. PostgreSQL doesn't need to be told."""
    if not _is_sqlite():
        return False
    some = select(literal(1)).select_from(query.subquery()).limit(FEW + 1).subquery()
    return (db.session.scalar(select(func.count()).select_from(some)) or 0) > FEW


def _is_sqlite() -> bool:
    return db.engine.dialect.name == "sqlite"
