"""Problem documents (RFC 9457): the format of every API error."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from flask import Flask, Response, g, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from blogsvc import context, errors
from blogsvc.api.framework import routes
from blogsvc.connectors.base import ConnectorError, Unavailable, Uncertain
from blogsvc.lib import blog_paths
from blogsvc.models.database import as_busy

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProblemType:
    """A problem type: the last segment of its `type` URL, its HTTP status, title and meaning."""

    slug: str
    status: int
    title: str
    meaning: str


PROBLEM_TYPES = {
    kind.slug: kind
    for kind in (
        ProblemType(
            "unreadable", 400, "Malformed request", "The JSON, the encoding or the length of the request is invalid."
        ),
        ProblemType(
            "unauthorized", 401, "Valid API key required", "The key is missing, mistyped, unknown, expired or revoked."
        ),
        ProblemType("https-required", 403, "HTTPS required", "An API key sent over plain HTTP can be intercepted."),
        ProblemType("scope-missing", 403, "Missing scope", "The API key lacks the scope in `scope`."),
        ProblemType(
            "beyond-key",
            403,
            "Insufficient key permissions",
            "A key cannot manage a key that has more permissions than itself.",
        ),
        ProblemType("not-found", 404, "Not found", "Nothing exists at this path or with this id."),
        ProblemType("method-not-allowed", 405, "Method not allowed", "The `Allow` header lists the allowed methods."),
        ProblemType("not-acceptable", 406, "Not acceptable", "`Accept` excludes the media type of the response."),
        ProblemType("request-timeout", 408, "Request took too long", "The body of the request arrived too slowly."),
        ProblemType(
            "state-conflict",
            409,
            "Not allowed in this state",
            "`state` is the current state; `allowed` lists the actions that it allows.",
        ),
        ProblemType(
            "request-in-progress",
            409,
            "Request in progress",
            "The first request with this Idempotency-Key has not finished.",
        ),
        ProblemType("stale", 412, "Changed by someone else", "`If-Match` does not match the current version."),
        ProblemType(
            "too-large", 413, "Request too large", "The maximum is 2 MiB for a JSON body and 20 MiB for an image."
        ),
        ProblemType(
            "unsupported-media-type",
            415,
            "Unsupported media type",
            "Send JSON as application/json and images as multipart/form-data.",
        ),
        ProblemType("invalid", 422, "Validation failed", "`errors` lists each invalid field and how to fix it."),
        ProblemType(
            "idempotency-key-reused",
            422,
            "Idempotency key reused",
            "The Idempotency-Key was used for a request with another method, path or body in the last 24 hours.",
        ),
        ProblemType("rate-limited", 429, "Too many requests", "Wait for the number of seconds in `retryAfter`."),
        ProblemType("platform-refused", 502, "Rejected by the platform", "`detail` contains the platform's response."),
        ProblemType(
            "platform-unavailable",
            502,
            "Platform unavailable",
            "The platform is down, overloaded or did not respond.",
        ),
        ProblemType(
            "unavailable",
            503,
            "Temporarily unavailable",
            "The database is busy or unreachable, or the server is shutting down. Nothing was changed.",
        ),
        ProblemType(
            "outcome-unknown",
            500,
            "Outcome unknown",
            "The database connection was lost while saving. The change may or may not have been saved.",
        ),
        ProblemType("internal", 500, "Internal error", "The log contains the error under the request id."),
    )
}
BY_STATUS = {
    400: "unreadable",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    408: "request-timeout",
    413: "too-large",
    415: "unsupported-media-type",
}


@dataclass
class Problem(Exception):
    """An error response. Raise it for HTTP errors in this package; other packages raise BlogError."""

    slug: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)
    more: Mapping[str, Any] = field(default_factory=dict)

    @property
    def status(self) -> int:
        return PROBLEM_TYPES[self.slug].status

    def document(self) -> dict[str, Any]:
        kind = PROBLEM_TYPES[self.slug]
        return {
            "type": f"{context.tools().config.public_url}/api/v1/problems/{kind.slug}",
            "title": kind.title,
            "status": kind.status,
            "detail": self.detail,
            "instance": f"urn:request:{g.request_id}",
            **self.more,
        }

    def response(self) -> Response:
        answer = Response(json.dumps(self.document()), self.status, dict(self.headers))
        answer.mimetype = "application/problem+json"
        answer.headers["Cache-Control"] = "no-store"
        return answer


def fault_document(fault: errors.Fault) -> dict[str, str]:
    """Return an entry of `errors`: with `parameter` for the query string, with `pointer` for the body."""
    place = {"parameter": fault.pointer[1:]} if fault.pointer.startswith("?") else {"pointer": fault.pointer}
    more = {"platform": fault.platform, "rule": fault.rule, "remediation": fault.remediation}
    return {
        **place,
        "code": fault.code,
        "detail": named_detail(fault),
        **{name: value for name, value in more.items() if value is not None},
    }


# The beginnings of details that do not name their field, and what to write for them.
_UNNAMED = (("Must ", "must "), ("This field ", ""), ("This time ", ""), ("This ", ""))


def named_detail(fault: errors.Fault) -> str:
    """Return the detail of a fault with the name of its field, as pages show it beside the field without the name."""
    path = re.sub("^([#]/?|[?])", "", fault.pointer)
    names = [part for part in path.split("/") if part and not part.isdigit()]
    if not names or names[-1].casefold() in fault.detail.casefold():
        return fault.detail
    for beginning, rest in _UNNAMED:
        if fault.detail.startswith(beginning):
            return f"`{path}` {rest}{fault.detail.removeprefix(beginning)}"
    return f"`{path}`: {fault.detail}"


def problem_of(error: Exception) -> Problem:
    """Return the problem for an exception, and log unexpected ones."""
    match error:
        case Problem():
            return error
        case errors.NotFound():
            return Problem("not-found", str(error))
        case errors.StateConflict():
            return Problem("state-conflict", str(error), more=_state_of(error))
        case errors.Forbidden(scope=None):
            return Problem("beyond-key", str(error))
        case errors.Forbidden():
            return Problem("scope-missing", str(error), more={"scope": error.scope, "scopes": g.key.present_scopes})
        case errors.Stale():
            return Problem("stale", str(error))
        case errors.Invalid():
            return Problem("invalid", _summary(error), more={"errors": [fault_document(f) for f in error.faults]})
        case errors.Unsure():
            return Problem("outcome-unknown", f"{error} {_how_to_find_out()}")
        case errors.Busy():
            return Problem("unavailable", str(error), {"Retry-After": str(error.retry_after)})
        case SQLAlchemyError() if (known := as_busy(error)) is not None:
            return problem_of(known)
        case Unavailable() | Uncertain():
            return _platform_unavailable(error)
        case ConnectorError():
            return Problem("platform-refused", str(error), more={"code": error.code})
        case HTTPException() if error.code in BY_STATUS:
            return _http_problem(error)
    log.error("unexpected error in request %s", g.request_id, exc_info=error)
    return Problem("internal", "The server logged this error under the request id in `instance`.")


def _how_to_find_out() -> str:
    """Return how the client of this request can find out whether it was executed."""
    if request.method != "POST":
        return "Read the object before you send it again."
    if g.get("is_executed_once"):
        return "Send it again with the same Idempotency-Key: it is executed once, and you get its response."
    return "Read the list before you send it again."


def _state_of(error: errors.StateConflict) -> dict[str, Any]:
    state: dict[str, Any] = {"state": error.state, "allowed": list(error.allowed)}
    if isinstance(error, errors.InUse):
        state["posts"] = [{"id": id, "title": title} for id, title in error.posts]
    return state


def _platform_unavailable(error: Unavailable | Uncertain) -> Problem:
    wait = ceil(error.retry_after) if isinstance(error, Unavailable) and error.retry_after else None
    headers = {"Retry-After": str(wait)} if wait else {}
    more = {"code": error.code} | ({"retryAfter": wait} if wait else {})
    return Problem("platform-unavailable", str(error), headers, more)


def _summary(error: errors.Invalid) -> str:
    first, more = error.faults[:3], len(error.faults) - 3
    return " ".join(
        [*(named_detail(fault) for fault in first), *([f"See `errors` for {more} more."] if more > 0 else [])]
    )


def _http_problem(error: HTTPException) -> Problem:
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    details = {404: f"Nothing exists at {request.path}.", 413: "The body is too large. The maximum is 2 MiB."}
    return Problem(BY_STATUS[error.code or 0], details.get(error.code or 0, error.description or ""), headers)


def init(app: Flask) -> None:
    """Return a problem document for every error under /api. Other paths keep their HTML error pages."""

    @app.after_request
    def leave_out_the_type_of_nothing(response: Response) -> Response:
        is_html = blog_paths.is_api(request.path) and response.mimetype == "text/html"
        if is_html and not response.is_streamed and not response.get_data():  # Flask's own answer to OPTIONS, and 204
            del response.headers["Content-Type"]
        return response

    @app.errorhandler(Exception)
    def answer(error: Exception) -> Any:
        if blog_paths.is_api(request.path):
            return routes.without_slash(app, error) or problem_of(error).response()
        if isinstance(error, HTTPException):
            return error
        problem = problem_of(error)
        kind = PROBLEM_TYPES[problem.slug]
        return Response(f"{kind.title}\n", kind.status, dict(problem.headers), mimetype="text/plain")
