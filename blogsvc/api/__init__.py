"""The JSON API: /api/v1. Each module is a noun; each view parses, calls one verb and answers."""

from __future__ import annotations

from flask import Flask

from blogsvc.api import (
    access,
    analytics,
    bulk,
    cors,
    deliveries,
    docs,
    events,
    health,
    idempotency,
    kept,
    keys,
    me,
    media,
    openapi,
    platforms,
    posts,
    problem_pages,
    problems,
    publication,
    revisions,
    stream,
    webhook_deliveries,
    webhooks,
)
from blogsvc.api.operations import blueprint

# A post may have 1 MiB; JSON may need twice that for it.
MAX_BODY = 2 * 1024 * 1024

__all__ = [
    "MAX_BODY",
    "analytics",
    "bulk",
    "deliveries",
    "events",
    "init",
    "keys",
    "me",
    "media",
    "openapi",
    "platforms",
    "posts",
    "problem_pages",
    "publication",
    "revisions",
    "webhook_deliveries",
    "webhooks",
]


def init(app: Flask) -> None:
    app.register_blueprint(blueprint)
    app.register_blueprint(health.blueprint)
    access.init(app)
    kept.init(app)
    idempotency.init(app)
    publication.init(app)
    app.extensions["feed"] = stream.Feed(app)
    cors.init(app)
    docs.init(app)
    problems.init(app)
