"""Dry runs: `dryRun=true` on a write returns the response that the write would have, and changes nothing.

The write runs as it always does, in a transaction that is undone. Accounts are verified with their platforms all the
same. The response has no `Location` and no `ETag`, because what it describes does not exist.
"""

from __future__ import annotations

from collections.abc import Callable

from flask import Response, g, request

from blogsvc.api.framework import idempotency
from blogsvc.errors import Fault, Invalid
from blogsvc.models.transactions import undone

PARAMETER = "dryRun"
DRY_RUN_HEADER = "Dry-Run"
# Headers that refer to what was not saved.
REFERENCES = ("Location", "ETag", "Preference-Applied")


def is_requested() -> bool:
    """Return True if the request is a dry run. Raises Invalid for a value other than `true` and `false`."""
    values = request.args.getlist(PARAMETER)
    if len(values) > 1:
        raise Invalid(Fault(f"?{PARAMETER}", "repeated", "Must be given only once."))
    if values not in ([], ["true"], ["false"]):
        raise Invalid(Fault(f"?{PARAMETER}", "wrong_type", "Must be true or false."))
    return values == ["true"]


def response_of(act: Callable[[], Response]) -> Response:
    """Return the response of `act`, undo its changes, and don't wait for what would follow.

    An idempotency key is only checked, so that the write can have the same one.
    """
    idempotency.given_key()
    with undone():
        response = act()
    g.pop("follow_up", None)
    for name in REFERENCES:
        response.headers.pop(name, None)
    response.headers[DRY_RUN_HEADER] = "true"
    return response
