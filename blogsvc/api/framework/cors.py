"""CORS headers for the origins in BLOGSVC_CORS_ORIGINS; off by default."""

from __future__ import annotations

from flask import Flask, Response, request

ALLOWED = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Prefer, X-Request-Id"
EXPOSED = (
    "ETag, Idempotency-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset"
)


def init(app: Flask) -> None:
    origins = app.extensions["tools"].config.cors_origins
    if not origins:
        return

    @app.after_request
    def allow(response: Response) -> Response:
        origin = request.headers.get("Origin")
        if not request.path.startswith("/api/"):
            return response
        response.vary.add("Origin")
        if origin in origins:
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Headers"] = ALLOWED
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
            response.headers["Access-Control-Expose-Headers"] = EXPOSED
            response.headers["Access-Control-Max-Age"] = "600"
        return response
