"""Responses of the router that Flask would give differently: to OPTIONS, and to paths with a slash at the end."""

from __future__ import annotations

from typing import NoReturn
from urllib.parse import quote

from flask import Flask, Response, request
from werkzeug.exceptions import NotFound
from werkzeug.routing import Rule

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def init(app: Flask) -> None:
    app.add_url_rule("/api", "api_root", _nothing, methods=METHODS, provide_automatic_options=False)
    app.make_default_options_response = lambda: _options(app)  # type: ignore[method-assign]


def _nothing() -> NoReturn:
    """Return 404 as a problem document: the API begins at /api/v1."""
    raise NotFound


def _options(app: Flask) -> Response:
    return _allowing(app, request.url_rule)


def _allowing(app: Flask, resource: Rule | None) -> Response:
    """List the methods of a resource, without those of others whose paths match: an id could be `bulk`."""
    response = app.response_class()
    for rule in app.url_map.iter_rules():
        if resource is not None and rule.rule == resource.rule:
            response.allow.update(rule.methods or ())
    return response


def without_slash(app: Flask, error: Exception) -> Response | None:
    """Return the response for a path under /api that exists without its slash at the end, None for other errors.

    It is a redirect, whose location names no host, which would be the one that the client sent. Browsers don't follow
    the redirect of a preflight, so OPTIONS is answered here.
    """
    path = request.path.rstrip("/")
    if request.routing_exception is not error or path in (request.path, "/api"):
        return None
    adapter = app.create_url_adapter(request)
    if adapter is None or not adapter.allowed_methods(path):
        return None
    if request.method == "OPTIONS" and adapter.test(path, "OPTIONS"):
        return _allowing(app, adapter.match(path, "OPTIONS", return_rule=True)[0])
    query = quote(request.query_string, safe="%&=+;/?:@!$'()*,-._~")
    response = Response(status=308, headers={"Location": quote(path) + (f"?{query}" if query else "")})
    del response.headers["Content-Type"]
    return response
