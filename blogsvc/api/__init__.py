"""The JSON API under /api/v1. Each module covers one resource; each view parses, calls one function and responds."""

from __future__ import annotations

from flask import Flask

from blogsvc.api import (
    analytics,
    authors,
    blog,
    bulk,
    connectors,
    deliveries,
    docs_pages,
    events,
    health,
    index,
    keys,
    look,
    me,
    media,
    missing_addresses,
    navigation,
    platforms,
    posts,
    publishing,
    redirects,
    revisions,
    series,
    tag_pages,
    tags,
    webhook_deliveries,
    webhooks,
)
from blogsvc.api.framework import cors, openapi, problem_pages, problems, rate_limits, routes
from blogsvc.api.framework.operations import blueprint

__all__ = [
    "analytics",
    "authors",
    "blog",
    "bulk",
    "connectors",
    "deliveries",
    "events",
    "index",
    "init",
    "keys",
    "look",
    "me",
    "media",
    "missing_addresses",
    "navigation",
    "openapi",
    "platforms",
    "posts",
    "problem_pages",
    "publishing",
    "redirects",
    "revisions",
    "series",
    "tag_pages",
    "tags",
    "webhook_deliveries",
    "webhooks",
]


def init(app: Flask) -> None:
    app.register_blueprint(blueprint)
    app.register_blueprint(health.blueprint)
    rate_limits.init(app, app.extensions["tools"].config)
    cors.init(app)
    docs_pages.init(app)
    problems.init(app)
    routes.init(app)
