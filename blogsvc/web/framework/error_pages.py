"""Error pages."""

from __future__ import annotations

import logging
from math import ceil
from typing import Any

from flask import Response, g, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException, RequestEntityTooLarge

from blogsvc import errors
from blogsvc.lib.sizes import KIB, MIB
from blogsvc.models.database import as_busy
from blogsvc.web.framework import current_user
from blogsvc.web.framework.rendering import show
from blogsvc.web.framework.routes import blueprint
from blogsvc.web.framework.sign_in_limits import TooManyAttempts

log = logging.getLogger(__name__)

TITLES = {
    400: "The request is incomplete",
    401: "Sign in again",
    403: "You don't have permission to do this",
    404: "Page not found",
    408: "The request took too long",
    409: "This isn't possible right now",
    413: "Request too large",
    422: "Check your input",
    429: "Too many attempts",
    500: "Something went wrong",
    503: "The server is busy",
}


@blueprint.errorhandler(errors.BlogError)
def _refused(error: errors.BlogError) -> Response:
    match error:
        case errors.NotFound():
            return failure(404, str(error))
        case errors.Forbidden():
            return failure(403, str(error))
        case errors.StateConflict() | errors.Stale():
            return failure(409, str(error))
        case errors.Unsure():
            return failure(500, f"{error} Check that before you try again.")
        case errors.Busy():
            response = failure(503, str(error))
            response.headers["Retry-After"] = str(error.retry_after)
            return response
        case _:
            return failure(422, str(error))


@blueprint.errorhandler(TooManyAttempts)
def _too_often(error: TooManyAttempts) -> Response:
    response = failure(429, f"Too many attempts. Try again in {_span(error.wait)}.")
    response.headers["Retry-After"] = str(error.wait)
    return response


def _span(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{ceil(seconds / 60)} minutes" if seconds < 7200 else f"{ceil(seconds / 3600)} hours"


@blueprint.errorhandler(CSRFError)
def _stale_form(_error: CSRFError) -> Response:
    if current_user.session() is None:
        return failure(401, "Your session has ended. Nothing was changed. Sign in and submit the form again.")
    return failure(
        422, "This form belongs to another session. Nothing was changed. Reload the page and submit the form again."
    )


@blueprint.errorhandler(HTTPException)
def _http(error: HTTPException) -> Any:
    if error.code is None or error.code < 400:
        return error
    if isinstance(error, RequestEntityTooLarge):
        return failure(413, _too_large())
    return failure(error.code, error.description or "")


def _too_large() -> str:
    """Say what the sender of this request may send."""
    most, fields = request.max_content_length or 0, request.max_form_parts
    size = f"{most // MIB} MiB" if most >= MIB else f"{most // KIB} KiB"
    return f"This form can send at most {size} and {fields} fields. Nothing was changed."


@blueprint.errorhandler(Exception)
def _unexpected(error: Exception) -> Response:
    if isinstance(error, SQLAlchemyError) and (known := as_busy(error)) is not None:
        return _refused(known)
    log.error("unexpected error in request %s", g.request_id, exc_info=error)
    return failure(500, f"The error is in the server log with the ID {g.request_id}. Your saved posts are safe.")


def failure(status: int, text: str) -> Response:
    """Show an error page; for htmx, a notice in the current page."""
    title = TITLES.get(status, "This isn't possible")
    response = show("desk/error.html", "desk/_notice.html", status=status, title=title, text=text)
    response.headers["HX-Retarget"] = "#notices"
    response.headers["HX-Reswap"] = "innerHTML"
    return response
