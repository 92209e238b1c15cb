"""Full-text search in columns with normalized texts of posts: FTS5 on SQLite, indexes on expressions on PostgreSQL.

The migration that creates a table of such texts also creates these, and on SQLite the triggers that keep FTS5 up to
date with the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, ForeignKey, Select, String, column, func, literal, literal_column, select, table
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.text.search_terms import Term
from blogsvc.models.base import Base

# Name prefixes of the tables and indexes that do not belong to a model.
MADE_BY_HAND = ("post_text_words", "ix_post_text_words", "site_words_in_", "ix_site_words_in_")


class TextsOfPosts(Base):
    """A model with texts of posts. FTS5 identifies its rows by an integer."""

    __abstract__ = True
    __table_args__ = ({"sqlite_autoincrement": True},)

    number: Mapped[int] = mapped_column(primary_key=True)
    post_id: Mapped[str] = mapped_column(String(40), ForeignKey("post.id", ondelete="CASCADE"), unique=True)


@dataclass(frozen=True)
class FullText:
    """A column that can be searched, and the FTS5 table of its texts on SQLite."""

    model: type[TextsOfPosts]
    column: str
    fts5: str

    def numbers_in_fts5(self, terms: Iterable[Term]) -> Select[int]:
        """Return the query for the numbers of the rows that match all terms, which must be wanted ones."""
        words = " AND ".join(term.for_fts5() for term in terms)
        matches = literal_column(self.fts5).op("MATCH")(words)
        return select(column("rowid")).select_from(table(self.fts5)).where(matches)

    def reads(self, term: Term, row: type[TextsOfPosts]) -> ColumnElement[bool]:
        """Return the condition that a row matches a term, which reads its text: words with single spaces between."""
        wanted = f" {' '.join(term.words)}{' ' if term.is_exact else ''}"
        words = literal(" ").concat(getattr(row, self.column)).concat(" ")
        return words.contains(wanted)  # no character of a word has a meaning of its own in a pattern

    def matches_on_postgresql(self, terms: Iterable[Term]) -> ColumnElement[bool]:
        """Return the condition that a row matches all terms, which must be wanted ones."""
        words = " & ".join(f"({term.for_tsquery()})" for term in terms)
        vector: ColumnElement[Any] = literal_column(f"to_tsvector('simple', {self.model.__tablename__}.{self.column})")
        return vector.op("@@")(func.to_tsquery(literal_column("'simple'"), words))
