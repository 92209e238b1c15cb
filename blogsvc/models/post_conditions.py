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
    TextClause,
    TextualSelect,
    and_,
    bindparam,
    column,
    exists,
    func,
    literal,
    literal_column,
    not_,
    select,
    text,
)

from blogsvc.lib.text.search_terms import Term
from blogsvc.models.base import db
from blogsvc.models.post import Post
from blogsvc.models.post_labels import PostLabel
from blogsvc.models.post_search import PostText

FEW = 10_000


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


def has_words(terms: list[Term]) -> ColumnElement[bool]:
    """Return the condition that the text of a post matches all search terms."""
    wanted = [term for term in terms if not term.is_unwanted]
    conditions = [_matches(wanted)] if wanted else []
    return and_(*conditions, *(not_(_matches([term])) for term in terms if term.is_unwanted))


def _matches(terms: list[Term]) -> ColumnElement[bool]:
    if not _is_sqlite():
        vector: ColumnElement[Any] = literal_column("to_tsvector('simple', post_text.text)")
        query = _asked("to_tsquery('simple', :asked)", " & ".join(f"({term.for_tsquery()})" for term in terms))
        return Post.id.in_(select(PostText.post_id).where(vector.op("@@")(query)))
    words = " AND ".join(term.for_fts5() for term in terms)
    found = _asked("SELECT rowid FROM post_text_words WHERE post_text_words MATCH :asked", words)
    if _are_many_in_sqlite(found.columns(column("rowid"))):
        return select(PostText.number).where(PostText.post_id == Post.id).scalar_subquery().in_(found)
    return Post.id.in_(select(PostText.post_id).where(PostText.number.in_(found)))


def _asked(sql: str, asked: str) -> TextClause:
    return text(sql).bindparams(bindparam("asked", asked, unique=True))


def _are_many_in_sqlite(query: Select[Any] | TextualSelect) -> bool:
    """Return whether SQLite finds more than FEW rows. PostgreSQL doesn't need to be told."""
    if not _is_sqlite():
        return False
    some = select(literal(1)).select_from(query.subquery()).limit(FEW + 1).subquery()
    return (db.session.scalar(select(func.count()).select_from(some)) or 0) > FEW


def _is_sqlite() -> bool:
    return db.engine.dialect.name == "sqlite"
