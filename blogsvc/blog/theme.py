"""The style sheet of the blog with the theme that its owner chose."""

from __future__ import annotations

from flask import Blueprint, Response, request

from blogsvc.blog import cache
from blogsvc.config import STATIC
from blogsvc.lib.time import ONE_YEAR_SECONDS
from blogsvc.models.theme import Theme

blueprint = Blueprint("theme", __name__)


def address() -> str:
    """Return the URL of the style sheet. It contains the version, so browsers can cache the file forever."""
    theme = Theme.read()
    if not theme.style:
        return f"/static/blog.css?v={cache.pages().css_version}"
    return f"/theme.css?v={cache.pages().css_version}-{theme.version}"


def text() -> str:
    """Return the style sheet with the theme."""
    return (STATIC / "blog.css").read_text() + Theme.read().style


@blueprint.get("/theme.css")
def css() -> Response:
    version = cache.known_version().current()
    response = Response(text(), mimetype="text/css")
    is_kept = request.full_path == address()
    response.headers["Cache-Control"] = f"public, max-age={ONE_YEAR_SECONDS}, immutable" if is_kept else "no-cache"
    cache.allow_storing(version, frozenset({"v"}))
    return response
