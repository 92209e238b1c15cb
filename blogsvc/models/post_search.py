"""Full-text search of posts by their authors, in the normalized text of each working copy."""

from __future__ import annotations

from sqlalchemy import Text, bindparam, insert, update
from sqlalchemy.orm import Mapped, mapped_column

from blogsvc.lib.text.facts import MAX_INDEXED_LENGTH, TextFacts
from blogsvc.lib.text.search_terms import fold
from blogsvc.models.full_text import FullText, TextsOfPosts
from blogsvc.models.transactions import execute_write


class PostText(TextsOfPosts):
    text: Mapped[str] = mapped_column(Text)


POST_TEXT = FullText(PostText, "text", "post_text_words")


def index_words(post_id: str, is_new: bool, around: str, facts: TextFacts) -> None:
    """Store the search text of a post: its content, and the texts around it, such as the title."""
    folded = f"{fold(around)} {facts.folded}"[:MAX_INDEXED_LENGTH]
    execute_write(_INSERT if is_new else _UPDATE, {"of_post": post_id, "folded": folded})


_INSERT = insert(PostText).values(post_id=bindparam("of_post"), text=bindparam("folded"))
_UPDATE = update(PostText).where(PostText.post_id == bindparam("of_post")).values(text=bindparam("folded"))
