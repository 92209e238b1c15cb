"""The authoring pages, for signed-in users: write, publish and track posts, and change settings."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from flask import Flask, Request, Response, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface

from blogsvc.models.session import SESSION_LASTS
from blogsvc.web.framework import cookies, rendering, routes

# Importing a module adds its routes and error handlers to the blueprint.
MODULES = tuple(import_module(module.name) for module in pkgutil.walk_packages(__path__, f"{__name__}."))

COOKIE = {
    "SESSION_COOKIE_HTTPONLY": True,
    "SESSION_COOKIE_SAMESITE": "Lax",
    "PERMANENT_SESSION_LIFETIME": SESSION_LASTS,
    # Only answers of the pages renew the cookie, because others may be cached: see `_renew`.
    "SESSION_REFRESH_EACH_REQUEST": False,
    # CSRF tokens last as long as the session. `route` checks them, because the API has no forms.
    "WTF_CSRF_TIME_LIMIT": None,
    "WTF_CSRF_CHECK_DEFAULT": False,
}


class CookieSessions(SecureCookieSessionInterface):
    """Flask's sessions in a signed cookie. A request without cookies gets an empty one without preparing signatures."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        return super().open_session(app, request) if "HTTP_COOKIE" in request.environ else self.session_class()


@routes.blueprint.after_request
def _renew(response: Response) -> Response:
    """Send the cookie again, so that the session of a user who comes back within 30 days goes on."""
    if session.permanent and response.cache_control.no_store:
        session.modified = True
    return response


def init(app: Flask) -> None:
    app.session_interface = CookieSessions()
    config = app.extensions["tools"].config
    name = cookies.cookie_name("blogsvc", config)
    app.config.update(COOKIE, SESSION_COOKIE_NAME=name, SESSION_COOKIE_SECURE=cookies.is_secure(config))
    routes.csrf.init_app(app)
    rendering.init(app)
    app.register_blueprint(routes.blueprint)
    app.after_request(rendering.keep_versioned_files)
