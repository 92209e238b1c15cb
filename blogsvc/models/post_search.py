"""Full-text search of posts, on the normalized text of each post.

SQLite uses an FTS5 table that triggers keep up to date with `post_text`; PostgreSQL uses an index on an expression.
The migration that creates `post_text` also creates these.
"""

from __future__ import annotations

from sqlalchemy import ForeignKey, String, Text, bindparam, insert, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.text.facts import MAX_INDEXED_LENGTH, facts_of
from blogsvc.lib.text.search_terms import fold
from blogsvc.models.base import Base
from blogsvc.models.transactions import execute_write

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
