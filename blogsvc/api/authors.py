"""Authors: the people whose names readers see on posts."""

from __future__ import annotations

from typing import Annotated, ClassVar

from flask import url_for
from pydantic import Field

from blogsvc import context
from blogsvc.api import serializers
from blogsvc.api.framework import cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Instant, Line, Out, Slug, Text, Url, sized, spelled
from blogsvc.lib import blog_paths
from blogsvc.models import Author, Media, db, transaction
from blogsvc.models.author import MAX_NAME_LENGTH
from blogsvc.models.navigation import MAX_LABEL_LENGTH
from blogsvc.posts import authors

Name = Annotated[Line, *sized(1, MAX_NAME_LENGTH, f"A name must have 1 to {MAX_NAME_LENGTH} characters.")]
Label = Annotated[Line, *sized(1, MAX_LABEL_LENGTH, f"A text of a link must have 1 to {MAX_LABEL_LENGTH} characters.")]
Bio = Annotated[Text, *sized(0, authors.MAX_BIO_LENGTH, f"At most {authors.MAX_BIO_LENGTH} characters are allowed.")]

FediverseAccount = Annotated[
    Line, *spelled(f"({authors.FEDIVERSE_PATTERN})?", authors.NOT_AN_ACCOUNT), Field(max_length=300)
]


class AuthorLinkIn(In):
    """A link of an author to another website."""

    label: Label
    """The text of the link, 1 to 50 characters, for example `Mastodon`."""
    url: Url
    """The http or https URL of the page, up to 2,000 characters."""
    is_me: bool = False
    """True if the page is a profile of the author: the link has `rel="me"`, which Mastodon and others verify."""


class AuthorFields(In):
    """The fields of an author that can be empty."""

    bio: Bio | None = None
    """A short biography in Markdown, up to 2,000 characters. Null: none."""
    picture_id: Annotated[Line, Field(max_length=40)] | None = None
    """The id of an uploaded image with a picture of the author, up to 40 characters. Null: none.

    Pages show its middle as a circle.
    """
    links: Annotated[list[AuthorLinkIn], Field(max_length=authors.MAX_LINKS)] | None = None
    """Up to 10 links to other websites. They replace all links. Null: none."""
    fediverse: FediverseAccount | None = None
    """The account in the fediverse, for example `ada@mastodon.example`, up to 300 characters. Null: none.

    Mastodon names it below links to the posts.
    """


class AuthorIn(AuthorFields):
    """A new author."""

    name: Name
    """The name that readers see, 1 to 100 characters in one line."""
    slug: Slug | None = None
    """The last part of the URL of the author's page, for example `ada`, up to 80 characters.

    Absent or null: made from the name.
    """


class AuthorChange(AuthorFields):
    """The fields to change. Absent fields keep their value; null clears a field."""

    fixed: ClassVar[dict[str, str]] = {"id": "", "createdAt": ""}

    name: Name = Field(default_factory=str)
    """The name that readers see, 1 to 100 characters in one line. It can't be null."""
    slug: Slug = Field(default_factory=str)
    """The last part of the URL of the author's page, up to 80 characters. It can't be null.

    The posts follow, and the old URL redirects.
    """


class AuthorLinkOut(Out):
    """A link of an author to another website."""

    label: str
    """The text of the link."""
    url: str
    """The URL of the page."""
    is_me: bool
    """True if the page is a profile of the author."""


class AuthorOut(Out):
    """An author of posts."""

    id: str
    """The id, for example `auth_01m86a3kq7f2h9x4c5v8b1n6de`."""
    slug: str
    """The last part of the URL of the author's page. `authors` of a post has these."""
    name: str
    """The name that readers see."""
    bio: str
    """The biography in Markdown. Empty if there is none."""
    picture_id: str | None
    """The id of the image with the picture. Null if there is none."""
    picture_url: str | None
    """The URL of the image with the picture. Null if there is none."""
    links: list[AuthorLinkOut]
    """The links to other websites."""
    fediverse: str | None
    """The account in the fediverse, for example `ada@mastodon.example`. Null if there is none."""
    url: str
    """The URL of the author's page on this blog."""
    is_user: bool
    """True if the author is a user of this blog, and not a guest or an author of imported posts."""
    created_at: Instant
    """When the author was added."""


class AuthorsOut(Out):
    """A page of authors."""

    data: list[AuthorOut]
    """The authors of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class MergeIn(In):
    """The author that takes the posts."""

    into: Slug
    """The slug of the author whom the posts name from then on, up to 80 characters."""


def document(row: Author) -> AuthorOut:
    media = db.session.get(Media, row.picture_id) if row.picture_id else None
    return AuthorOut.model_construct(
        id=row.id,
        slug=row.slug,
        name=row.name,
        bio=row.bio,
        picture_id=row.picture_id,
        picture_url=serializers.public_url() + media.path if media else None,
        links=[AuthorLinkOut.model_construct(**link) for link in row.links],
        fediverse=row.fediverse,
        url=serializers.public_url() + blog_paths.of_author(row.slug),
        is_user=row.user_id is not None,
        created_at=row.created_at,
    )


@operation("GET", "/authors", "List authors", scope="posts:read", query=cursors.PageQuery, answers={200: AuthorsOut})
def list_authors(query: cursors.PageQuery) -> Reply:
    """Returns the authors, newest first. Every user is one; guests and the authors of imported posts are others."""
    rows, cursor = cursors.by_id(Author, query)
    return cursors.listed(AuthorsOut, map(document, rows), cursor)


@operation("POST", "/authors", "Add an author", scope="posts:publish", body=AuthorIn, answers={201: AuthorOut})
def create_author(body: AuthorIn) -> Reply:
    """Adds an author who is no user, such as a guest. The author has a page at once."""
    row = authors.create(_fields(body), context.now())
    return Reply(document(row), 201, {"Location": url_for("api.get_author", author=row.slug)})


@operation(
    "GET",
    "/authors/<author>",
    "Get an author",
    scope="posts:read",
    answers={200: AuthorOut, 304: None},
    refuses=(404,),
)
def get_author(author: str) -> Reply:
    """Returns an author, by the slug or by the id, which stays when the slug changes."""
    return Reply(document(Author.named(author)))


@operation(
    "PATCH",
    "/authors/<author>",
    "Update an author",
    scope="posts:publish",
    body=AuthorChange,
    answers={200: AuthorOut},
    refuses=(404, 412),
    stored=lambda author: document(Author.named(author)),
)
def update_author(author: str, body: AuthorChange) -> Reply:
    """Changes an author. Readers see the change at once, also on posts that are published already."""
    with transaction():
        row = Author.named(author)
        etags.require_match(lambda: document(row))
        authors.change(row, _fields(body))
    return Reply(document(row))


@operation(
    "POST",
    "/authors/<author>/merge",
    "Merge an author into another",
    scope="posts:publish",
    body=MergeIn,
    answers={200: AuthorOut},
    refuses=(404, 409),
)
def merge_author(author: str, body: MergeIn) -> Reply:
    """Names another author on all posts of this one, then removes this one, and returns the other.

    Its page redirects to that of the other. An author who is a user can't be merged into another.
    """
    into = Author.named(body.into)
    authors.merge(Author.named(author), into)
    return Reply(document(into))


@operation(
    "DELETE",
    "/authors/<author>",
    "Delete an author",
    scope="posts:publish",
    answers={204: None},
    refuses=(404, 409, 412),
)
def delete_author(author: str) -> Reply:
    """Deletes an author whom no post names, also no old version of one, and who is no user."""
    with transaction():
        row = Author.named(author)
        etags.require_match(lambda: document(row))
        authors.remove(row)
    return Reply(None, 204)


def _fields(body: AuthorFields) -> dict[str, object]:
    sent = body.sent_fields()
    if body.links:
        sent["links"] = [link.model_dump() for link in body.links]
    return sent
