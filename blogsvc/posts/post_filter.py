"""Filter posts by words, tag, author and destination, in lists and in the calendar."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, exists, false, true

from blogsvc.lib.search_terms import terms
from blogsvc.models.post import Post, PostLabel
from blogsvc.models.post_search import has_words


@dataclass(frozen=True)
class PostFilter:
    """Search words, a tag, an author and a destination. An empty value does not filter."""

    words: str = ""
    tag: str = ""
    author_id: str = ""
    destination: str = ""

    def __bool__(self) -> bool:
        return bool(self.words or self.tag or self.author_id or self.destination)

    @property
    def condition(self) -> ColumnElement[bool]:
        """Return the condition on `Post`."""
        conditions: list[ColumnElement[bool]] = [true()]
        if self.words:
            asked = terms(self.words)
            conditions.append(has_words(Post.id, asked) if asked else false())
        for kind, value in (("tag", self.tag), ("platform", self.destination)):
            if value:
                label = PostLabel.kind == kind, PostLabel.value == value, PostLabel.post_id == Post.id
                conditions.append(exists().where(*label))
        if self.author_id:
            conditions.append(Post.author_id == self.author_id)
        return and_(*conditions)
