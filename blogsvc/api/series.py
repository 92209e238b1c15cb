"""Series: posts that readers read one after the other."""

from __future__ import annotations

from typing import Annotated, ClassVar

from flask import url_for
from pydantic import Field

from blogsvc import context
from blogsvc.api import serializers
from blogsvc.api.framework import cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Instant, Line, Out, Slug, Text, Url, sized
from blogsvc.lib import blog_paths
from blogsvc.models import Series, transaction
from blogsvc.models.series import MAX_TITLE_LENGTH
from blogsvc.posts import series as series_verbs
from blogsvc.posts.page_heads import MAX_DESCRIPTION_LENGTH

Title = Annotated[Line, *sized(1, MAX_TITLE_LENGTH, f"A title must have 1 to {MAX_TITLE_LENGTH} characters.")]
Description = Annotated[
    Text, *sized(0, MAX_DESCRIPTION_LENGTH, f"At most {MAX_DESCRIPTION_LENGTH} characters are allowed.")
]


class SeriesFields(In):
    """The fields of a series that can be empty."""

    description: Description | None = None
    """What the series is about, in Markdown, up to 10,000 characters. Null: none."""
    cover_image: Url | None = None
    """The URL of the image on top of the page of the series, up to 2,000 characters. Null: none."""
    is_complete: bool | None = None
    """True if no more parts will come. Readers see it. Null: false."""


class SeriesIn(SeriesFields):
    """A new series."""

    title: Title
    """The title that readers see, 1 to 200 characters in one line."""
    slug: Slug | None = None
    """The last part of the URL of its page, for example `boats`, up to 80 characters.

    Absent or null: made from the title.
    """


class SeriesChange(SeriesFields):
    """The fields to change. Absent fields keep their value; null clears a field."""

    fixed: ClassVar[dict[str, str]] = {"id": "", "createdAt": ""}

    title: Title = Field(default_factory=str)
    """The title that readers see, 1 to 200 characters in one line. It can't be null."""
    slug: Slug = Field(default_factory=str)
    """The last part of the URL of its page, up to 80 characters. It can't be null.

    The posts follow, and the old URL redirects.
    """


class SeriesOut(Out):
    """A series of posts."""

    id: str
    """The id, for example `ser_01m86a3kq7f2h9x4c5v8b1n6de`."""
    slug: str
    """The last part of the URL of its page. `series` of a post has this."""
    title: str
    """The title that readers see."""
    description: str
    """What the series is about, in Markdown. Empty if there is none."""
    cover_image: str | None
    """The URL of the image on top of its page. Null if there is none."""
    is_complete: bool
    """True if no more parts will come."""
    url: str
    """The URL of its page on this blog."""
    created_at: Instant
    """When the series was added."""


class SeriesListOut(Out):
    """A page of series."""

    data: list[SeriesOut]
    """The series of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


def document(row: Series) -> SeriesOut:
    return SeriesOut.model_construct(
        id=row.id,
        slug=row.slug,
        title=row.title,
        description=row.description,
        cover_image=row.cover_image,
        is_complete=row.is_complete,
        url=serializers.public_url() + blog_paths.of_series(row.slug),
        created_at=row.created_at,
    )


@operation("GET", "/series", "List series", scope="posts:read", query=cursors.PageQuery, answers={200: SeriesListOut})
def list_series(query: cursors.PageQuery) -> Reply:
    """Returns the series, newest first."""
    rows, cursor = cursors.by_id(Series, query)
    return cursors.listed(SeriesListOut, map(document, rows), cursor)


@operation("POST", "/series", "Add a series", scope="posts:publish", body=SeriesIn, answers={201: SeriesOut})
def create_series(body: SeriesIn) -> Reply:
    """Adds a series. It has a page at once. Posts name it by its slug."""
    row = series_verbs.create(body.sent_fields(), context.now())
    return Reply(document(row), 201, {"Location": url_for("api.get_series", series=row.slug)})


@operation(
    "GET",
    "/series/<series>",
    "Get a series",
    scope="posts:read",
    answers={200: SeriesOut, 304: None},
    refuses=(404,),
)
def get_series(series: str) -> Reply:
    """Returns a series, by the slug or by the id, which stays when the slug changes."""
    return Reply(document(Series.named(series)))


@operation(
    "PATCH",
    "/series/<series>",
    "Update a series",
    scope="posts:publish",
    body=SeriesChange,
    answers={200: SeriesOut},
    refuses=(404, 412),
    stored=lambda series: document(Series.named(series)),
)
def update_series(series: str, body: SeriesChange) -> Reply:
    """Changes a series. Readers see the change at once."""
    with transaction():
        row = Series.named(series)
        etags.require_match(lambda: document(row))
        series_verbs.change(row, body.sent_fields())
    return Reply(document(row))


@operation(
    "DELETE",
    "/series/<series>",
    "Delete a series",
    scope="posts:publish",
    answers={204: None},
    refuses=(404, 412),
)
def delete_series(series: str) -> Reply:
    """Deletes a series. Its posts stay, and are in no series from then on."""
    with transaction():
        row = Series.named(series)
        etags.require_match(lambda: document(row))
        series_verbs.remove(row)
    return Reply(None, 204)
