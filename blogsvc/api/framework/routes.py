"""Answers of the router that Flask would give differently: OPTIONS, and addresses with a slash at the end."""

from __future__ import annotations

from typing import NoReturn
from urllib.parse import quote

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def init(app: Flask) -> None:
    app.add_url_rule("/api", "api_root", _nothing, methods=METHODS, provide_automatic_options=False)
    app.make_default_options_response = lambda: _options(app)  # type: ignore[method-assign]


def _nothing() -> NoReturn:
    raise NotFound  # otherwise /api would be a page of the blog


def _options(app: Flask) -> Response:
    """List the methods of this resource, without those of others whose paths match: an id could be `bulk`."""
    matched = request.url_rule
    response = app.response_class()
    for rule in app.url_map.iter_rules():
        if matched is not None and rule.rule == matched.rule:
            response.allow.update(rule.methods or ())
    return response


def redirect_without_slash(app: Flask, error: Exception) -> Response | None:
    """Return the redirect for a path under /api that exists without its slash at the end, None for other errors.

    The location names no host, which would be the one that the client sent.
    """
    path = request.path.rstrip("/")
    if request.routing_exception is not error or path in (request.path, "/api"):
        return None
    adapter = app.create_url_adapter(request)
    if adapter is None or not adapter.allowed_methods(path):
        return None
    query = request.query_string.decode("latin-1")
    response = Response(status=308, headers={"Location": quote(path) + (f"?{query}" if query else "")})
    del response.headers["Content-Type"]
    return response
