"""Redirects: addresses without a page, and where each leads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, cast

from flask import url_for
from pydantic import Field

from blogsvc.api import serializers
from blogsvc.api.framework import cursors, etags
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import In, Line, Out, sized
from blogsvc.models import Redirect, transaction
from blogsvc.models.redirect import MAX_TARGET_LENGTH, Source, Status
from blogsvc.redirects import listing, manage

Path = Annotated[Line, *sized(1, MAX_TARGET_LENGTH, f"A path must have 1 to {MAX_TARGET_LENGTH} characters.")]
RedirectTarget = Annotated[
    Line, *sized(1, MAX_TARGET_LENGTH, f"A target must have 1 to {MAX_TARGET_LENGTH} characters.")
]


class RedirectIn(In):
    """A new redirect."""

    path: Path
    """The old address: a path such as `/old-page`, or `/old/*` for all addresses below it. A URL counts as its path.

    1 to 2,000 characters; a path may have 500.
    """
    target: RedirectTarget | None = None
    """A path of this blog, such as `/about`, or an http or https URL. Absent or null only if `status` is 410.

    A `*` at the end takes what the `*` of `path` stands for. The redirect to the address of a post follows the post.
    1 to 2,000 characters.
    """
    status: Status = 301
    """301: moved for good. 302: moved for now. 410: the page is gone. Default: 301."""


class RedirectChange(In):
    """The fields to change. Absent fields keep their value."""

    fixed: ClassVar[Mapping[str, str]] = {"id": ""}

    path: Path = Field(default_factory=str)
    """The old address: a path such as `/old-page`, or `/old/*` for all addresses below it. 1 to 2,000 characters."""
    target: RedirectTarget | None = None
    """A path of this blog, or an http or https URL, of 1 to 2,000 characters. Null only if `status` is 410."""
    status: Status = Field(default_factory=lambda: 301)
    """301: moved for good. 302: moved for now. 410: the page is gone; this removes the target."""


class RedirectOut(Out):
    """A redirect."""

    id: str
    """The id, for example `rdr_01m86a3kq7f2h9x4c5v8b1n6de`."""
    path: str
    """The decoded path without a slash at its end. It may have a query, as in `/?p=12`, or end in `/*`."""
    target: str | None
    """Where the redirect leads now: a path of this blog or a URL. Null if the page is gone."""
    post_id: str | None
    """The post that the redirect follows. Null if it leads to something else."""
    status: Status
    """The HTTP status that readers get: 301, 302 or 410."""
    source: Source
    """`user`: somebody made or changed the redirect. `import`: it is an address of a blog that was imported.

    `moved`: it is the former address of a page of this blog.
    """
    active: bool
    """False if the blog has a page at this address. Then this redirect is not used."""
    hit_count: int
    """How often readers used the redirect, without bots."""
    last_hit_on: str | None
    """The last day (UTC) on which readers used the redirect, such as `2026-11-24`. Null if none has."""


class RedirectsOut(Out):
    """A page of redirects."""

    data: list[RedirectOut]
    """The redirects of this page, newest first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class RedirectsQuery(cursors.PageQuery):
    q: Annotated[str, Field(max_length=200)] = ""
    """Only redirects whose path or target contains this text, up to 200 characters."""


def document(row: Redirect) -> RedirectOut:
    (shown,) = listing.shown([row])
    return _document(shown)


def _document(shown: listing.Shown) -> RedirectOut:
    row = shown.row
    return RedirectOut.model_construct(
        id=row.id,
        path=row.path,
        target=shown.address,
        post_id=row.post_id,
        status=cast(Status, row.status),
        source=row.source,
        active=shown.is_used,
        hit_count=row.hit_count,
        last_hit_on=row.last_hit_on.isoformat() if row.last_hit_on else None,
    )


@operation(
    "GET",
    "/redirects",
    "List redirects",
    scope="platforms:read",
    query=RedirectsQuery,
    answers={200: RedirectsOut},
)
def list_redirects(query: RedirectsQuery) -> Reply:
    """Returns the redirects of users and of imports, newest first."""
    rows, cursor = cursors.by_id(Redirect, query, *listing.matching(query.q))
    return cursors.listed(RedirectsOut, map(_document, listing.shown(rows)), cursor)


@operation(
    "POST",
    "/redirects",
    "Create a redirect",
    scope="platforms:write",
    body=RedirectIn,
    answers={201: RedirectOut},
)
def create_redirect(body: RedirectIn) -> Reply:
    """Leads readers from an address without a page to a page of this blog or to another site.

    A page of the blog always wins: if it has one at this address, the redirect is stored, but `active` is false. A
    redirect that would lead in a circle, or through more than three redirects, is refused with the code `loop`.
    """
    row = manage.create(body.path, body.target, body.status, serializers.public_url())
    return Reply(document(row), 201, {"Location": url_for("api.get_redirect", redirect_id=row.id)})


@operation(
    "GET",
    "/redirects/<redirect_id>",
    "Get a redirect",
    scope="platforms:read",
    answers={200: RedirectOut, 304: None},
    refuses=(404,),
)
def get_redirect(redirect_id: str) -> Reply:
    """Returns a redirect."""
    return Reply(document(Redirect.get(redirect_id)))


@operation(
    "PATCH",
    "/redirects/<redirect_id>",
    "Update a redirect",
    scope="platforms:write",
    body=RedirectChange,
    answers={200: RedirectOut},
    refuses=(404, 412),
    stored=lambda redirect_id: document(Redirect.get(redirect_id)),
)
def update_redirect(redirect_id: str, body: RedirectChange) -> Reply:
    """Changes the path, the target or the status. The `source` of an imported redirect becomes `user`."""
    with transaction():
        row = Redirect.get(redirect_id)
        etags.require_match(lambda: document(row))
        manage.change(row, body.sent_fields(), serializers.public_url())
    return Reply(document(row))


@operation(
    "DELETE",
    "/redirects/<redirect_id>",
    "Delete a redirect",
    scope="platforms:write",
    answers={204: None},
    refuses=(404, 412),
)
def delete_redirect(redirect_id: str) -> Reply:
    """Deletes a redirect. Readers who ask for its address get the page "not found"."""
    with transaction():
        row = Redirect.get(redirect_id)
        etags.require_match(lambda: document(row))
        manage.remove(row)
    return Reply(None, 204)
