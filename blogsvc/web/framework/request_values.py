"""Read days and times from the fields of a request."""

from __future__ import annotations

from datetime import date, datetime

from flask import request

from blogsvc.errors import NotFound
from blogsvc.lib.time import parse


def asked_fold() -> int | None:
    """Return which of two readings of an ambiguous time was chosen: 0, 1, or None for neither."""
    fold = request.form.get("fold")
    return int(fold) if fold in ("0", "1") else None


def asked_instant() -> datetime:
    """Return the requested instant. Raises NotFound if it is malformed."""
    try:
        return parse(request.values.get("at", ""))
    except ValueError as error:
        raise NotFound("This time isn't valid.") from error


def asked_day() -> date:
    """Return the requested date. Raises NotFound if it is malformed."""
    try:
        return date.fromisoformat(request.form.get("day", ""))
    except ValueError as error:
        raise NotFound("This date isn't valid.") from error
