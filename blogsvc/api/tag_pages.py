"""Tag pages: the title, description and cover image of the page of a tag."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from blogsvc.api import serializers
from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Line, Out, Query, Tag, Text, Url, sized
from blogsvc.lib import blog_paths
from blogsvc.models import TagPage
from blogsvc.models.tag_page import MAX_TITLE_LENGTH
from blogsvc.posts import tag_pages
from blogsvc.posts.page_heads import MAX_DESCRIPTION_LENGTH

Title = Annotated[Line, *sized(0, MAX_TITLE_LENGTH, f"A title can have at most {MAX_TITLE_LENGTH} characters.")]
Description = Annotated[
    Text, *sized(0, MAX_DESCRIPTION_LENGTH, f"At most {MAX_DESCRIPTION_LENGTH} characters are allowed.")
]


class TagPagesQuery(cursors.PageQuery):
    tag: Annotated[str, Field(max_length=100)] | None = None
    """Only the page of this tag, such as `on/off`."""


class TagPageQuery(Query):
    tag: Annotated[str, Field(min_length=1, max_length=100)]
    """The tag, such as `on/off`."""


class TagPageIn(In):
    """What the page of a tag begins with. Absent fields are removed."""

    computed: ClassVar[frozenset[str]] = frozenset({"url"})

    tag: Tag
    """The tag, as its posts write it, up to 50 characters. Upper and lower case differ."""
    title: Title | None = None
    """The title that readers see in place of the tag, up to 200 characters in one line. Null or empty: the tag."""
    description: Description | None = None
    """What the posts are about, in Markdown, up to 10,000 characters. Null: none."""
    cover_image: Url | None = None
    """The URL of the image on top of the page, up to 2,000 characters. Null: none."""


class TagPageOut(Out):
    """What the page of a tag begins with."""

    tag: str
    """The tag."""
    title: str
    """The title that readers see in place of the tag. Empty if they see the tag."""
    description: str
    """What the posts are about, in Markdown. Empty if there is none."""
    cover_image: str | None
    """The URL of the image on top of the page. Null if there is none."""
    url: str
    """The URL of the page, which exists while readers see a post with the tag."""


class TagPagesOut(Out):
    """A page of tag pages."""

    data: list[TagPageOut]
    """The tag pages of this page, by tag."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


def document(row: TagPage) -> TagPageOut:
    return TagPageOut.model_construct(
        tag=row.tag,
        title=row.title,
        description=row.description,
        cover_image=row.cover_image,
        url=serializers.public_url() + blog_paths.of_tag(row.tag),
    )


@operation("GET", "/tag-pages", "List tag pages", scope="posts:read", query=TagPagesQuery, answers={200: TagPagesOut})
def list_tag_pages(query: TagPagesQuery) -> Reply:
    """Returns the tags whose pages have a title, a description or a cover image. `GET /tags` lists all tags."""
    found = [page for page in TagPage.all() if query.tag in (None, page.tag)]
    rows, cursor = cursors.slice_of(found, query, lambda page: (page.tag,))
    return cursors.listed(TagPagesOut, map(document, rows), cursor)


@operation("PUT", "/tag-pages", "Set a tag page", scope="posts:publish", body=TagPageIn, answers={200: TagPageOut})
def set_tag_page(body: TagPageIn) -> Reply:
    """Replaces the title, the description and the cover image of the page of a tag. Readers see the change at once."""
    return Reply(document(tag_pages.write(body.tag, body.sent_fields())))


@operation(
    "DELETE",
    "/tag-pages",
    "Reset a tag page",
    scope="posts:publish",
    query=TagPageQuery,
    answers={204: None},
    refuses=(404,),
)
def reset_tag_page(query: TagPageQuery) -> Reply:
    """Removes the title, the description and the cover image of the page of a tag. Its posts keep the tag."""
    tag_pages.remove(query.tag)
    return Reply(None, 204)
