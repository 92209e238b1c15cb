"""The style sheet of the blog with the look that its owner chose."""

from __future__ import annotations

from flask import Blueprint, Response, request

from blogsvc.blog import cache
from blogsvc.blog.markup import SCRIPTS
from blogsvc.config import STATIC
from blogsvc.lib import color_contrast
from blogsvc.lib.time import ONE_YEAR_SECONDS
from blogsvc.models.theme import GROUNDS, Theme

blueprint = Blueprint("theme", __name__)

# What every page of a blog in a Latin script shows. The style sheet loads the other fonts where they are used.
_SERIF = "/static/vendor/harbour-serif@5.3.1/harbour"
FONTS = (f"{_SERIF}-text-latin.woff2", f"{_SERIF}-display-latin.woff2")


def address(theme: Theme) -> str:
    """Return the URL of the style sheet. It contains the version, so browsers can cache the file forever."""
    if not theme.style:
        return f"/static/blog.css?v={cache.pages().css_version}"
    return f"/theme.css?v={cache.pages().css_version}-{theme.version}"


def papers(theme: Theme) -> dict[str, str]:
    """Return the background of light and of dark pages, for the bars of browsers, or of one if all pages are that."""
    both = {scheme: color_contrast.write(paper) for scheme, (paper, *_) in GROUNDS.items()}
    return both if theme.scheme == "auto" else {theme.scheme: both[theme.scheme]}


def script_addresses(html: str) -> list[str]:
    """Return the URLs of the scripts that a text needs, the only ones on the public blog."""
    version = cache.pages().css_version
    return [f"/static/{script}?v={version}" for sign, script in SCRIPTS.items() if sign in html]


def text(theme: Theme, scheme: str | None = None) -> str:
    """Return the style sheet with the options and the custom CSS of a theme.

    `scheme` is "light" or "dark" in previews, None for that of the browser. It changes no theme that is always one.
    """
    chosen = f":root {{ color-scheme: {scheme} }}\n" if scheme and theme.scheme == "auto" else ""
    return (STATIC / "blog.css").read_text() + theme.style + chosen


@blueprint.get("/theme.css")
def css() -> Response:
    version = cache.known_version().current()
    theme = Theme.read()
    response = Response(text(theme), mimetype="text/css")
    is_kept = request.full_path == address(theme)
    response.headers["Cache-Control"] = f"public, max-age={ONE_YEAR_SECONDS}, immutable" if is_kept else "no-cache"
    cache.allow_storing(version, frozenset({"v"}))
    return response
