"""Problem documents (RFC 9457): every error that the API answers has this one shape."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any

from flask import Flask, Response, current_app, g, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from blogsvc import errors
from blogsvc.connectors.base import ConnectorError, Unavailable, Uncertain
from blogsvc.models.database import as_busy

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ProblemType:
    """A type of problem: the last part of its `type` address, its status, its title and what it means."""

    slug: str
    status: int
    title: str
    meaning: str


PROBLEM_TYPES = {
    kind.slug: kind
    for kind in (
        ProblemType("unreadable", 400, "The request cannot be read", "Its JSON or encoding is broken."),
        ProblemType(
            "unauthorized", 401, "A valid API key is needed", "It is missing, mistyped, unknown, expired or revoked."
        ),
        ProblemType("https-required", 403, "HTTPS is required", "A key sent over plain HTTP can be read on its way."),
        ProblemType("scope-missing", 403, "The key may not do this", "It lacks the scope that the problem names."),
        ProblemType(
            "beyond-key",
            403,
            "The key may not reach that far",
            "It would touch a key that has more than it has itself.",
        ),
        ProblemType("not-found", 404, "There is no such thing", "The path or the id leads nowhere, or not any more."),
        ProblemType("method-not-allowed", 405, "The method is not allowed here", "`Allow` names those that are."),
        ProblemType("not-acceptable", 406, "JSON is all there is", "`Accept` leaves out application/json."),
        ProblemType(
            "state-conflict", 409, "Its state does not allow this", "`state` is where it stands, `allowed` the moves."
        ),
        ProblemType(
            "request-in-progress",
            409,
            "The same request is being worked on",
            "The first one with this Idempotency-Key has not been answered yet.",
        ),
        ProblemType("stale", 412, "It was changed meanwhile", "`If-Match` names an older version."),
        ProblemType("too-large", 413, "The request is too large", "A body may have 2 MiB, a picture 20 MiB."),
        ProblemType(
            "unsupported-media-type",
            415,
            "The body is of another type",
            "Send JSON as application/json, a picture as multipart/form-data.",
        ),
        ProblemType("invalid", 422, "Something in the request must be changed", "`errors` says where, what and how."),
        ProblemType(
            "idempotency-key-reused",
            422,
            "The Idempotency-Key was used for another request",
            "A key stands for one request, with its method, path and body, for 24 hours.",
        ),
        ProblemType("rate-limited", 429, "Too many requests", "`retryAfter` says how many seconds to wait."),
        ProblemType("platform-refused", 502, "The platform did not accept this", "`detail` says what it answered."),
        ProblemType(
            "platform-unavailable",
            502,
            "The platform cannot be reached",
            "It is down, busy or silent: try again later.",
        ),
        ProblemType(
            "unavailable", 503, "Try again in a moment", "The database is busy or away, or the server is stopping."
        ),
        ProblemType(
            "outcome-unknown",
            500,
            "It may have been done or not",
            "The database was lost while it saved. Look before you ask again; that is why this is no 503.",
        ),
        ProblemType("internal", 500, "Something went wrong here", "It is in the log under the request's id."),
    )
}
BY_STATUS = {
    400: "unreadable",
    404: "not-found",
    405: "method-not-allowed",
    406: "not-acceptable",
    413: "too-large",
    415: "unsupported-media-type",
}


@dataclass
class Problem(Exception):
    """A problem to be answered. Raise it where HTTP itself is the matter; verbs raise BlogError."""

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
            "type": f"{current_app.extensions['toolbox'].config.public_url}/api/v1/problems/{kind.slug}",
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
    """One of a problem's `errors`. A fault of the query names its `parameter`, one of the body its `pointer`."""
    place = {"parameter": fault.pointer[1:]} if fault.pointer.startswith("?") else {"pointer": fault.pointer}
    more = {"platform": fault.platform, "rule": fault.rule, "remediation": fault.remediation}
    return {
        **place,
        "code": fault.code,
        "detail": fault.detail,
        **{name: value for name, value in more.items() if value is not None},
    }


def problem_of(error: Exception) -> Problem:
    """The problem that an error is, for who asked."""
    match error:
        case Problem():
            return error
        case errors.NotFound():
            return Problem("not-found", str(error))
        case errors.StateConflict():
            return Problem("state-conflict", str(error), more=_state_of(error))
        case errors.Forbidden():
            return _forbidden(error)
        case errors.Stale():
            return Problem("stale", str(error))
        case errors.Invalid():
            return Problem("invalid", _in_words(error), more={"errors": [fault_document(f) for f in error.faults]})
        case errors.Unsure():
            return Problem("outcome-unknown", str(error))
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
    return Problem("internal", "It has been logged; the instance of this problem is the id to look for.")


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


def _forbidden(error: errors.Forbidden) -> Problem:
    if error.scope is None:
        return Problem("beyond-key", str(error))
    return Problem("scope-missing", str(error), more={"scope": error.scope, "scopes": g.key.scopes})


def _in_words(error: errors.Invalid) -> str:
    first, more = error.faults[:3], len(error.faults) - 3
    return " ".join([*(fault.detail for fault in first), *([f"And {more} more, in `errors`."] if more > 0 else [])])


def _http_problem(error: HTTPException) -> Problem:
    headers = {name: value for name, value in error.get_headers() if name == "Allow"}
    details = {404: f"There is nothing at {request.path}.", 413: "A body may have at most 2 MiB."}
    return Problem(BY_STATUS[error.code or 0], details.get(error.code or 0, error.description or ""), headers)


def init(app: Flask) -> None:
    """Answer every error below /api with a problem document; elsewhere errors are the pages' affair."""

    @app.errorhandler(Exception)
    def answer(error: Exception) -> Any:
        if request.path.startswith("/api/"):
            return problem_of(error).response()
        if isinstance(error, HTTPException):
            return error
        problem = problem_of(error)
        kind = PROBLEM_TYPES[problem.slug]
        return Response(f"{kind.title}\n", kind.status, dict(problem.headers), mimetype="text/plain")
