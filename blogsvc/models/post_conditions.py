"""Conditions on posts that take little time whether few or very many posts meet them.

A list shows a page of posts in some order. The database can look up all posts that meet a condition and sort them,
which is slow if they are many; or walk through the posts in that order and test each, which is slow if they are few.
SQLite keeps no statistics to choose by, so the matches are counted first, up to a limit. PostgreSQL chooses by itself.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    exists,
    func,
    literal,
    not_,
    select,
)
from sqlalchemy import text as sql

from blogsvc.lib.text.search_terms import Term
from blogsvc.models.base import db
from blogsvc.models.full_text import FullText
from blogsvc.models.post import Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.post_search import POST_TEXT
from blogsvc.models.revision import IS_FINDABLE_REVISION, Revision

FEW = 10_000

# The conditions of a post or page that has an address on the blog, of one that strangers may find there, and of a post
# that is also in lists, feeds and the archive, for queries that join the revision on the blog. Tags and the search have
# rows of their own, which `Post.enter_site` writes.
HAS_PAGE = (Post.site_revision_id.is_not(None), Post.deleted_at.is_(None))
IS_FINDABLE = (*HAS_PAGE, *IS_FINDABLE_REVISION)
IS_LISTED = (*HAS_PAGE, Revision.is_unlisted.is_(False), Revision.kind == "post")


def is_new_blog() -> bool:
    """Return True if no post or page is published on the blog."""
    return db.session.scalar(select(Post.id).where(*HAS_PAGE).limit(1)) is None


def has_state(states: Collection[str], *, is_walked: bool | None = None) -> ColumnElement[bool]:
    """Return the condition that a post has one of the states. `is_walked` says whether to walk, if that is known."""
    found = select(Post.id).where(Post.state.in_(states))
    if is_walked is None:
        is_walked = _are_many_in_sqlite(found)
    # The concatenation stops the database from using the index on the state.
    state = Post.state.concat("") if is_walked else Post.state
    return state.in_(states)


def has_label(kind: str, values: Collection[str]) -> ColumnElement[bool]:
    """Return the condition that a post has one of the labels, which are of a kind (see post_labels.py)."""
    labels = PostLabel.kind == kind, PostLabel.value.in_(values)
    found = select(PostLabel.post_id).where(*labels)
    if _are_many_in_sqlite(found):
        return exists().where(*labels, PostLabel.post_id == Post.id)
    return Post.id.in_(found)


def has_words(
    terms: Collection[Term], text: FullText = POST_TEXT, *, is_walked: bool | None = None
) -> ColumnElement[bool]:
    """Return the condition that a text of a post matches all search terms: by default that of its working copy.

    `is_walked` says whether to walk, if that is known.
    """
    wanted = [term for term in terms if not term.is_unwanted]
    conditions = [_matches(wanted, text, is_walked)] if wanted else []
    return and_(*conditions, *(not_(_matches([term], text, is_walked)) for term in terms if term.is_unwanted))


def _matches(terms: list[Term], text: FullText, is_walked: bool | None) -> ColumnElement[bool]:
    row = text.model
    if not _is_sqlite():
        # It takes for cheap what is not: to read the words of each text anew, in place of the index. The offset makes
        # it look for the words first, and not in each post.
        db.session.execute(sql("SET LOCAL enable_seqscan = off"))
        return Post.id.in_(select(row.post_id).where(text.matches_on_postgresql(terms)).offset(0))
    found = text.numbers_in_fts5(terms)
    if _are_many_in_sqlite(found) if is_walked is None else is_walked:
        return select(row.number).where(row.post_id == Post.id).scalar_subquery().in_(found)
    return Post.id.in_(select(row.post_id).where(row.number.in_(found)))


def _are_many_in_sqlite(query: Select[Any]) -> bool:
    """Return whether SQLite finds more than FEW rows. PostgreSQL doesn't need to be told."""
    if not _is_sqlite():
        return False
    some = select(literal(1)).select_from(query.subquery()).limit(FEW + 1).subquery()
    return (db.session.scalar(select(func.count()).select_from(some)) or 0) > FEW


def _is_sqlite() -> bool:
    return db.engine.dialect.name == "sqlite"
