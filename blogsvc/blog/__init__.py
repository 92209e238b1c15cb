"""The public blog: pages, feeds and a sitemap. Works without JavaScript."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, current_app, request
from werkzeug.exceptions import HTTPException

from blogsvc.blog import (
    cache,
    feeds,
    icons,
    media,
    pages,
    search,
    shared_draft,
    sitemap,
    standard_site,
    subscribe,
    theme,
    well_known,
)
from blogsvc.lib import blog_paths
from blogsvc.lib.time import ONE_YEAR_SECONDS


def init(app: Flask) -> None:
    app.register_blueprint(pages.blueprint)
    app.register_blueprint(feeds.blueprint)
    app.register_blueprint(icons.blueprint)
    app.register_blueprint(media.blueprint)
    app.register_blueprint(search.blueprint)
    app.register_blueprint(shared_draft.blueprint)
    app.register_blueprint(sitemap.blueprint)
    app.register_blueprint(standard_site.blueprint)
    app.register_blueprint(subscribe.blueprint)
    app.register_blueprint(theme.blueprint)
    app.register_blueprint(well_known.blueprint)
    app.register_error_handler(404, _not_found)
    app.after_request(_keep_versioned_files)
    app.template_filter("day")(pages.day)
    app.template_filter("day_of_year")(pages.day_of_year)
    app.template_filter("month")(pages.month)
    app.template_filter("timestamp")(pages.timestamp)


def _not_found(error: HTTPException) -> Any:
    """Return the blog's 404 page. Below /api, return a problem document instead."""
    if blog_paths.is_api(request.path):
        answer = current_app.error_handler_spec[None][None].get(Exception)
        return answer(error) if answer else error
    return pages.not_found()


def _keep_versioned_files(response: Response) -> Response:
    """Allow browsers to cache the style sheet for a year if the URL contains its current version."""
    if request.endpoint == "static" and request.args.get("v") == cache.pages().css_version:
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = ONE_YEAR_SECONDS
        response.cache_control.immutable = True
    return response
