"""Media: images that posts can use."""

from __future__ import annotations

from typing import Annotated

from flask import url_for
from pydantic import AfterValidator

from blogsvc import context
from blogsvc.api import schemas
from blogsvc.api.framework import auth, cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.framework.uploads import File
from blogsvc.api.schemas.fields import In, Text, sized
from blogsvc.api.serializers import public_url
from blogsvc.lib.images import MAX_IMAGE_BYTES
from blogsvc.lib.media_names import path_of
from blogsvc.lib.text.plain import in_one_line, markdown_image
from blogsvc.media import images
from blogsvc.models import Media
from blogsvc.models.media import ALT_IS_TOO_LONG, MAX_ALT_LENGTH, Choice, conditions

# About the size of a JPEG photo of 50 megapixels. In bytes.

Alt = Annotated[Text, AfterValidator(in_one_line), *sized(0, MAX_ALT_LENGTH, ALT_IS_TOO_LONG)]


class MediaIn(In):
    """An image file and its alternative text."""

    file: File
    """The image file: JPEG, PNG, GIF, WebP or AVIF, up to 20 MiB and 50 megapixels."""
    alt: Alt = ""
    """The alternative text for people who can't see the image, up to 1,500 characters."""


class MediaChange(In):
    """The fields to change."""

    alt: Alt | None = None
    """The alternative text for people who can't see the image, up to 1,500 characters. Null clears it."""


class MediaDeleteQuery(schemas.Query):
    force: bool = False
    """Delete the image even if posts use it, and break these posts. Needs the scope `posts:publish`."""


class MediaListQuery(cursors.PageQuery):
    show: Choice = "all"
    """All images, images that readers see without alternative text, or images that no post uses."""
    q: schemas.SearchQuery | None = None


class SizeOut(schemas.Out):
    """A smaller version of an image."""

    width: int
    """The width in pixels."""
    height: int
    """The height in pixels."""
    url: str
    """The URL of this version."""
    bytes: int
    """The file size in bytes."""


class MediaOut(schemas.Out):
    """An image."""

    id: str
    """The id, for example `med_01m86a3kq7f2h9x4c5v8b1n6de`."""
    url: str
    """The URL of the image. Use it as `coverImage` of a post."""
    filename: str
    """The name of the uploaded file."""
    type: str
    """The media type, for example `image/jpeg`."""
    width: int
    """The width in pixels."""
    height: int
    """The height in pixels."""
    bytes: int
    """The file size in bytes."""
    alt: str
    """The alternative text. Empty if there is none."""
    sizes: list[SizeOut]
    """Smaller versions for responsive pages. Empty for a small image."""
    markdown: str
    """The Markdown that shows the image in a post."""
    created_at: schemas.Instant
    """When the image was uploaded."""


class MediaListOut(schemas.Out):
    """A page of images."""

    data: list[MediaOut]
    """The images of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


def _document(row: Media) -> MediaOut:
    return MediaOut.model_construct(
        id=row.id,
        url=public_url() + row.path,
        filename=row.filename,
        type=row.media_type,
        width=row.width,
        height=row.height,
        bytes=row.bytes,
        alt=row.alt,
        sizes=[
            SizeOut.model_construct(
                width=size["width"],
                height=size["height"],
                url=public_url() + path_of(size["name"]),
                bytes=size["bytes"],
            )
            for size in row.sizes
        ],
        markdown=markdown_image(row.alt, row.path),
        created_at=row.created_at,
    )


def _require_match(row: Media) -> None:
    etags.require_match(lambda: _document(row))


@operation(
    "POST",
    "/media",
    "Upload an image",
    scope="media:write",
    body=MediaIn,
    max_bytes=MAX_IMAGE_BYTES,
    answers={200: MediaOut, 201: MediaOut},
    is_atomic=False,
)
def create_media(body: MediaIn) -> Reply:
    """Accepts JPEG, PNG, GIF, WebP and AVIF, up to 20 MiB and 50 megapixels. The same file again returns the image that
    is there, with status 200, unless it has another alternative text.
    """
    row, is_new = images.add_once(body.file.data, body.file.filename, body.alt, context.tools(), quota=auth.quota())
    return Reply(_document(row), 201 if is_new else 200, {"Location": url_for("api.get_media", media_id=row.id)})


@operation(
    "GET",
    "/media",
    "List images",
    scope="posts:read",
    query=MediaListQuery,
    answers={200: MediaListOut},
)
def list_media(query: MediaListQuery) -> Reply:
    """Returns the images, newest first. `q` searches file names and alternative texts."""
    rows, cursor = cursors.by_id(Media, query, *conditions(query.show, query.q or ""))
    return cursors.listed(MediaListOut, map(_document, rows), cursor)


@operation(
    "GET",
    "/media/<media_id>",
    "Get an image",
    scope="posts:read",
    answers={200: MediaOut, 304: None},
    refuses=(404,),
)
def get_media(media_id: str) -> Reply:
    """Returns the URLs, the sizes and the alternative text of the image. The files are at the URLs."""
    return Reply(_document(Media.get(media_id)))


@operation(
    "PATCH",
    "/media/<media_id>",
    "Update the alternative text of an image",
    scope="media:write",
    body=MediaChange,
    answers={200: MediaOut},
    refuses=(404, 412),
    stored=lambda media_id: _document(Media.get(media_id)),
)
def update_media(media_id: str, body: MediaChange) -> Reply:
    """Posts that set no alternative text of their own show the new one."""
    changes = {name: text or "" for name, text in body.sent_fields().items()}
    return Reply(_document(images.describe(media_id, guard=_require_match, **changes)))


@operation(
    "DELETE",
    "/media/<media_id>",
    "Delete an image",
    scope=("media:write", "posts:read"),
    query=MediaDeleteQuery,
    answers={204: None},
    refuses=(404, 409, 412),
)
def delete_media(media_id: str, query: MediaDeleteQuery) -> Reply:
    """Deletes the image if no post uses it, nor the blog itself or an author.

    Send `force`, with the scope `posts:publish`, to delete it anyway.
    """
    if query.force:
        auth.require_scope("posts:publish")
    images.remove(media_id, context.tools().config, force=query.force, guard=_require_match)
    return Reply(None, 204)
