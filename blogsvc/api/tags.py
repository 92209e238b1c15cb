"""Tags: the tags in use, and how many posts have each."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from blogsvc.api import schemas
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.posts import tags


class TagsQuery(cursors.PageQuery):
    q: Annotated[str, Field(max_length=100)] = ""
    """Only tags with a word that begins with this text, ignoring case and accents: up to 100 characters."""


class TagOut(schemas.Out):
    """A tag in use."""

    name: str
    """The tag, as its posts write it. Upper and lower case differ."""
    count: int
    """The number of posts that have the tag, including drafts and posts in the trash."""


class TagsOut(schemas.Out):
    """A page of tags."""

    data: list[TagOut]
    """The tags of this page, those of the most posts first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


@operation(
    "GET",
    "/tags",
    "List tags",
    scope="posts:read",
    query=TagsQuery,
    answers={200: TagsOut},
)
def list_tags(query: TagsQuery) -> Reply:
    """Returns the tags of all posts, those of the most posts first. Posts get and lose tags with `tags` of a post."""
    found = sorted(tags.tags_like(query.q), key=_place)
    rows, cursor = cursors.slice_of(found, query, _place)
    return cursors.listed(TagsOut, (TagOut.model_construct(name=one.name, count=one.count) for one in rows), cursor)


def _place(tag: tags.TagCount) -> tuple[int, str]:
    return -tag.count, tag.name
