"""One spelling for each address: requests with another one are refused before anything else looks at them."""

from __future__ import annotations

from flask import Flask, Response, request
from werkzeug.exceptions import BadRequest

from blogsvc.lib import blog_paths

EXPLANATION = "The address must not contain `//`, `/./` or `/../`. Remove the empty and dotted parts."


def init(app: Flask) -> None:
    """Refuse other spellings of an address. Call it before anything that distinguishes requests by their path.

    Flask strips slashes, and others don't, so that one path could be different ones for routes, limits and caches.
    """

    @app.before_request
    def refuse() -> Response | None:
        if blog_paths.is_canonical(request.environ["PATH_INFO"]):
            return None
        if blog_paths.is_api(request.path):
            raise BadRequest(EXPLANATION)
        return Response(f"{EXPLANATION}\n", 400, mimetype="text/plain")  # a page would cost ten times as much
