"""Full-text search of posts, on the normalized text of each post.

SQLite uses an FTS5 table that triggers keep up to date with `post_text`; PostgreSQL uses an index on an expression.
The migration that creates `post_text` also creates these.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    ColumnElement,
    ForeignKey,
    Select,
    String,
    Text,
    and_,
    bindparam,
    insert,
    literal_column,
    not_,
    select,
    text,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.search_terms import Term, fold
from blogsvc.lib.text_facts import MAX_INDEXED_LENGTH, facts_of
from blogsvc.models.base import Base, db, execute_write

# Name prefixes of the tables and indexes that do not belong to a model.
MADE_BY_HAND = ("post_text_words", "ix_post_text_words")


class PostText(Base):
    # FTS5 identifies rows by an integer.
    number: Mapped[int] = mapped_column(primary_key=True)
    post_id: Mapped[str] = mapped_column(String(40), ForeignKey("post.id", ondelete="CASCADE"), unique=True)
    text: Mapped[str] = mapped_column(Text)

    __table_args__ = ({"sqlite_autoincrement": True},)


def index_words(post_id: str, is_new: bool, around: str, content: str) -> None:
    """Store the search text of a post: its content, and the texts around it, such as the title."""
    folded = f"{fold(around)} {facts_of(content).folded}"[:MAX_INDEXED_LENGTH]
    execute_write(_INSERT if is_new else _UPDATE, {"of_post": post_id, "folded": folded})


_INSERT = insert(PostText).values(post_id=bindparam("of_post"), text=bindparam("folded"))
_UPDATE = update(PostText).where(PostText.post_id == bindparam("of_post")).values(text=bindparam("folded"))


def has_words(post_id: ColumnElement[str] | Any, terms: list[Term]) -> ColumnElement[bool]:
    """Return a condition on a post id: the text of the post matches all search terms."""
    wanted = [term for term in terms if not term.is_unwanted]
    conditions = [post_id.in_(_matching(wanted))] if wanted else []
    return and_(*conditions, *(not_(post_id.in_(_matching([term]))) for term in terms if term.is_unwanted))


def _matching(terms: list[Term]) -> Select[str]:
    chosen = select(PostText.post_id)
    if db.engine.dialect.name == "sqlite":
        asked = " AND ".join(term.for_fts5() for term in terms)
        found = text("SELECT rowid FROM post_text_words WHERE post_text_words MATCH :asked").bindparams(
            bindparam("asked", asked, unique=True)
        )
        return chosen.where(PostText.number.in_(found))
    asked = " & ".join(f"({term.for_tsquery()})" for term in terms)
    vector: ColumnElement[Any] = literal_column("to_tsvector('simple', post_text.text)")
    return chosen.where(
        vector.op("@@")(text("to_tsquery('simple', :asked)").bindparams(bindparam("asked", asked, unique=True)))
    )
