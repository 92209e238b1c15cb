"""The icon of the blog in all sizes: that of an owner, or else the first letter of the title on the chosen color."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256

from flask import Blueprint, Response, abort, request

from blogsvc import context
from blogsvc.blog import cache
from blogsvc.blog.cache import CachedPage
from blogsvc.blog.posts import Blog
from blogsvc.config import STATIC
from blogsvc.lib import letter_icon
from blogsvc.lib.time import ONE_YEAR_SECONDS
from blogsvc.media.site_images import ICON_SIZES, icon_file
from blogsvc.models.theme import Theme

blueprint = Blueprint("icons", __name__)

FAVICON, TOUCH, IN_MANIFEST = 32, 180, (192, 512)
ICO, MANIFEST = "image/x-icon", "application/manifest+json"
_SANS = STATIC / "vendor" / "instrument-sans@5.3.0"
FONTS = tuple(_SANS / f"instrument-sans-{letters}-wght-normal.woff2" for letters in ("latin", "latin-ext"))


def path_of(blog: Blog, size: int) -> str:
    """Return the path of the icon in one of its sizes. It contains a version, so that browsers can cache the file."""
    return f"/-/icon/{size}.png?v={_version(blog)}"


def best_path(blog: Blog) -> str:
    """Return the path of the icon for browsers: a letter as SVG, which browsers have fonts for, or a large PNG."""
    return path_of(blog, IN_MANIFEST[0]) if blog.frame.icon else f"/icon.svg?v={_version(blog)}"


def _version(blog: Blog) -> str:
    shown = blog.frame.icon or f"{_letter(blog)} {_color()}"
    return sha256(shown.encode()).hexdigest()[:8]


def _letter(blog: Blog) -> str:
    return letter_icon.letter_of(blog.title)


def _color() -> str:
    return Theme.read().color


def _png(blog: Blog, size: int) -> bytes:
    file = icon_file(blog.frame.icon, size, context.tools().config) if blog.frame.icon else None
    return file.read_bytes() if file is not None else letter_icon.png(_letter(blog), _color(), size, FONTS)


@blueprint.get("/favicon.ico")
def favicon() -> Response:
    return _answer("/favicon.ico", lambda blog: CachedPage(letter_icon.ico(_png(blog, FAVICON), FAVICON), ICO))


@blueprint.get("/apple-touch-icon.png")
def touch_icon() -> Response:
    return _answer("/apple-touch-icon.png", lambda blog: CachedPage(_png(blog, TOUCH), "image/png"))


@blueprint.get("/-/icon/<int:size>.png")
def png(size: int) -> Response:
    if size not in ICON_SIZES:
        abort(404)
    return _answer(f"/-/icon/{size}.png", lambda blog: CachedPage(_png(blog, size), "image/png"))


@blueprint.get("/icon.svg")
def svg() -> Response:
    def make(blog: Blog) -> CachedPage:
        if blog.frame.icon:
            abort(404)
        return CachedPage.of(letter_icon.svg(_letter(blog), _color()), "image/svg+xml")

    return _answer("/icon.svg", make)


@blueprint.get("/site.webmanifest")
def manifest() -> Response:
    """Return the web app manifest, which names the icons. The blog opens in the browser, not as an app."""

    def make(blog: Blog) -> CachedPage:
        icons = [{"src": path_of(blog, size), "sizes": f"{size}x{size}", "type": "image/png"} for size in IN_MANIFEST]
        document = {"name": blog.title, "start_url": "/", "display": "browser", "icons": icons}
        return CachedPage.of(json.dumps(document, ensure_ascii=False), MANIFEST)

    return _answer("/site.webmanifest", make)


def _answer(path: str, make: Callable[[Blog], CachedPage]) -> Response:
    """Return a file. A versioned address, which is that of one icon forever, can be cached for a year."""
    response, _ = cache.answer(path, lambda: make(Blog.read()), frozenset({"v"}))
    if request.args.get("v") and request.full_path in (best_path(blog := Blog.read()), *_paths(blog)):
        response.headers["Cache-Control"] = f"public, max-age={ONE_YEAR_SECONDS}, immutable"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"  # feed readers show icons
    return response


def _paths(blog: Blog) -> list[str]:
    return [path_of(blog, size) for size in ICON_SIZES]
