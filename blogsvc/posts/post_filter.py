"""Filter posts by words, tag, author and destination, in lists and in the calendar."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import ColumnElement, and_, false, true

from blogsvc.lib.text.search_terms import terms
from blogsvc.models.post_conditions import has_author, has_label, has_words


@dataclass(frozen=True)
class PostFilter:
    """Search words, a tag, an author and a destination. An empty value does not filter."""

    query: str = ""
    tag: str = ""
    author_id: str = ""
    destination: str = ""

    def __bool__(self) -> bool:
        return bool(self.query or self.tag or self.author_id or self.destination)

    @cached_property
    def condition(self) -> ColumnElement[bool]:
        """Return the condition on `Post`. It asks the database how many posts match, so several lists share it."""
        conditions: list[ColumnElement[bool]] = [true()]
        if self.query:
            asked = terms(self.query)
            conditions.append(has_words(asked) if asked else false())
        for kind, value in (("tag", self.tag), ("platform", self.destination)):
            if value:
                conditions.append(has_label(kind, [value]))
        if self.author_id:
            conditions.append(has_author(self.author_id))
        return and_(*conditions)
