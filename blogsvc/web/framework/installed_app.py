"""The interface as an installed app, on a phone or a desktop, and what other apps share with it."""

from __future__ import annotations

from flask import Response, jsonify, make_response, url_for

from blogsvc.config import STATIC
from blogsvc.lib.images import MEDIA_TYPES
from blogsvc.web.framework.rendering import asset, blog_title, show
from blogsvc.web.framework.routes import route


@route("GET", "/desk/app.webmanifest", role=None)
def manifest() -> Response:
    """Return the web app manifest (https://www.w3.org/TR/appmanifest/), with the share target of the app."""
    document = {
        "id": "/desk",
        "name": blog_title(),
        "start_url": url_for("desk.home"),
        "scope": "/desk",
        "display": "standalone",
        "background_color": "#fbfdfe",
        "theme_color": "#fbfdfe",
        "icons": [
            {"src": asset(f"desk/icons/icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png", **purpose}
            for size in (192, 512)
            for purpose in ({}, {"purpose": "maskable"})
        ],
        "share_target": {
            "action": url_for("desk.shared_by_app"),
            "method": "POST",
            "enctype": "multipart/form-data",
            "params": {
                "title": "title",
                "text": "text",
                "url": "url",
                "files": [{"name": "images", "accept": [*MEDIA_TYPES.values()]}],
            },
        },
    }
    response = make_response(jsonify(document))
    response.mimetype = "application/manifest+json"
    return response


@route("GET", "/desk/share-worker.js", role=None)
def share_worker() -> Response:
    """Return the service worker that keeps what is shared for the page that shows it.

    Its address decides which pages it can see (https://www.w3.org/TR/service-workers/#scope-match-algorithm), so it is
    not at that of the other scripts.
    """
    response = Response((STATIC / "desk" / "share-worker.js").read_bytes(), mimetype="text/javascript")
    response.headers["Content-Security-Policy"] = "default-src 'none'"
    return response


@route("GET", "/desk/shared-by-app", role="author")
def shared_by_app() -> Response:
    """Show what another app has shared, to start a draft with it."""
    return show("desk/shared_by_app.html")
