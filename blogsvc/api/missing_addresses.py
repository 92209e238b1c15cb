"""Missing addresses: addresses without a page that readers asked for."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from blogsvc.api.framework import cursors
from blogsvc.api.framework.operations import Reply, operation
from blogsvc.api.schemas.fields import Out, Query
from blogsvc.models import MissingAddress
from blogsvc.models.redirect import MAX_ADDRESS_LENGTH
from blogsvc.redirects import missing
from blogsvc.redirects.counting import flush_at_once


class MissingAddressOut(Out):
    """An address without a page."""

    path: str
    """The decoded path without a slash at its end."""
    count: int
    """How often readers asked for the address, without bots."""
    first_on: str
    """The first day (UTC) on which readers asked for the address, such as `2026-11-24`."""
    last_on: str
    """The last day (UTC) on which readers asked for the address."""
    referrer_host: str | None
    """The host of the page that linked to the address last. Null if no page is known."""
    suggestion: str | None
    """The path of the post whose slug is closest. Null if none is similar."""


class MissingAddressesOut(Out):
    """A page of missing addresses."""

    data: list[MissingAddressOut]
    """The addresses of this page, those asked for most first."""
    next_cursor: str | None
    """The `cursor` of the next page. Null on the last page."""


class MissingAddressQuery(Query):
    path: Annotated[str, Field(min_length=1, max_length=MAX_ADDRESS_LENGTH)]
    """The `path` of the missing address, such as `/old-page`."""


@operation(
    "GET",
    "/missing-addresses",
    "List missing addresses",
    scope="platforms:read",
    query=cursors.PageQuery,
    answers={200: MissingAddressesOut},
)
def list_missing_addresses(query: cursors.PageQuery) -> Reply:
    """Returns the addresses that readers asked for on two days or that a page links to, those asked for most first.

    Addresses that have a page or a redirect by now are left out. Create a redirect to lead readers to a page.
    """
    flush_at_once()
    rows, cursor = cursors.slice_of(missing.missing_addresses(), query, lambda row: (-row.count, row.path))
    return cursors.listed(MissingAddressesOut, map(_document, missing.with_suggestions(rows)), cursor)


@operation(
    "DELETE",
    "/missing-addresses",
    "Ignore a missing address",
    scope="platforms:write",
    query=MissingAddressQuery,
    answers={204: None},
    refuses=(404,),
)
def ignore_missing_address(query: MissingAddressQuery) -> Reply:
    """Removes an address from the list. It comes back if readers ask for it again."""
    missing.ignore(query.path)
    return Reply(None, 204)


def _document(one: missing.Missing) -> MissingAddressOut:
    row: MissingAddress = one.row
    return MissingAddressOut.model_construct(
        path=row.path,
        count=row.count,
        first_on=row.first_on.isoformat(),
        last_on=row.last_on.isoformat(),
        referrer_host=row.referrer_host,
        suggestion=one.suggestion,
    )
