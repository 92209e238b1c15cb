"""CORS headers for the origins in BLOGSVC_CORS_ORIGINS; off by default."""

from __future__ import annotations

import logging

from flask import Flask, Response, request

from blogsvc.context import InMemory
from blogsvc.lib import blog_paths

log = logging.getLogger(__name__)

ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id"
EXPOSED = (
    "ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
)
# Anyone can send any origin, so not all of them are logged.
MAX_LOGGED = 100
refused_origins = InMemory(lambda _tools: set[str]())


def init(app: Flask) -> None:
    origins = app.extensions["tools"].config.cors_origins

    @app.after_request
    def allow(response: Response) -> Response:
        origin = request.headers.get("Origin")
        if not blog_paths.is_api(request.path):
            return response
        if origin and origin not in origins and "Access-Control-Request-Method" in request.headers:
            _log_refusal(origin)
        if not origins:
            return response
        response.vary.add("Origin")
        if origin in origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Headers"] = ALLOWED
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
            response.headers["Access-Control-Expose-Headers"] = EXPOSED
            response.headers["Access-Control-Max-Age"] = "600"
        return response


def _log_refusal(origin: str) -> None:
    """Log once per origin that a preflight was refused, and the setting that allows it, which no browser names."""
    origin, logged = origin[:200], refused_origins()
    if origin in logged or len(logged) >= MAX_LOGGED:
        return
    logged.add(origin)
    log.warning("a web page at %r may not call the API: to allow it, add its origin to BLOGSVC_CORS_ORIGINS", origin)
