"""Render a page, or the fragment of it that htmx requests. Both use the same template parts."""

from __future__ import annotations

import re
from base64 import b64encode
from datetime import date, datetime
from functools import cache, lru_cache
from hashlib import sha256
from typing import Any, NamedTuple

from flask import Flask, Response, flash, g, make_response, redirect, render_template, request, url_for
from markupsafe import Markup

from blogsvc import context
from blogsvc.config import STATIC
from blogsvc.http import security_headers
from blogsvc.lib.time import ONE_YEAR_SECONDS
from blogsvc.models.setting import Setting
from blogsvc.web.framework import current_user, wording

# Addresses are the same for all requests, and lists have several in each row.
MAX_ADDRESSES_KEPT = 4096

CACHED_SUFFIXES = (".css", ".js", ".svg")
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "img-src 'self' https: data: blob:",
        "media-src 'self' https:",
        "manifest-src 'self'",
        "frame-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    )
)


def init(app: Flask) -> None:
    app.jinja_env.globals.update(
        url_for=lru_cache(MAX_ADDRESSES_KEPT)(url_for),
        asset=asset,
        drawing=icon,
        blog_title=blog_title,
        here=lambda: current_user.session() and current_user.user(),
        local=local,
        day=day,
        clock_time=time_of_day,
        wording=wording,
    )


def is_fragment() -> bool:
    """Return True if htmx requests a fragment of a page."""
    return "HX-Request" in request.headers and request.headers.get("HX-Request-Type") != "full"


def show(page: str, fragment: str | None = None, status: int = 200, **values: Any) -> Response:
    """Render the fragment for htmx if there is one, else the page. Responses are personal, so they are not cached."""
    template = fragment if fragment is not None and is_fragment() else page
    response = make_response(render_template(template, **values), status)
    return private(response)


def private(response: Response) -> Response:
    response.headers["Cache-Control"] = "no-store"
    response.headers["Vary"] = "HX-Request"
    response.headers.setdefault("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    return response


def in_frame(response: Response, style: str | None = None) -> Response:
    """Let pages of the desk show a response in a frame. `style` is the style sheet in a page of the blog."""
    policy = CONTENT_SECURITY_POLICY
    if style is not None:
        digest = b64encode(sha256(style.encode()).digest()).decode()
        policy = security_headers.CONTENT_SECURITY_POLICY.replace("script-src 'self'; ", "")
        policy = policy.replace("style-src 'self'", f"style-src 'sha256-{digest}'")
    response.headers["Content-Security-Policy"] = policy.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
    return response


def go(endpoint: str, **values: Any) -> Response:
    """Redirect with 303 or, for htmx, with a header, because htmx would load the target into the fragment."""
    address = url_for(endpoint, **values)
    if "HX-Request" in request.headers:
        return Response(status=200, headers={"HX-Redirect": address})
    return redirect(address, 303)  # type: ignore[return-value]


class Undo(NamedTuple):
    """The form behind the button "Undo" of a notice: where it is sent, and its fields."""

    address: str
    fields: dict[str, str]


def notice(text: str, kind: str = "done", undo: Undo | None = None) -> None:
    """Show a notice on the next page, with a button that takes the action back. `kind` is "done" or "trouble"."""
    flash((text, undo), kind)  # type: ignore[arg-type]


def asset(path: str) -> str:
    """Return the URL of a static file with its version, so that browsers can cache it forever."""
    return f"/static/{path}?v={_version(path)}"


@cache
def _version(path: str) -> str:
    return sha256((STATIC / path).read_bytes()).hexdigest()[:12]


_SYMBOL = re.compile(r'<symbol id="([^"]+)"[^>]*>(.*?)</symbol>')


@cache
def _drawings() -> dict[str, Markup]:
    """Return the content of each icon in the vendored sprite, by name."""
    sprite = (STATIC / "vendor" / "lucide-static@1.62.0" / "sprite.svg").read_text()
    return {name: Markup(drawn) for name, drawn in _SYMBOL.findall(sprite)}  # noqa: S704  (a file of ours)


def icon(name: str) -> Markup:
    """Return the content of an icon. Raises KeyError if the sprite does not have it."""
    return _drawings()[name]


def keep_versioned_files(response: Response) -> Response:
    """Allow browsers to cache a static file for a year if the URL contains its current version."""
    wanted = request.args.get("v") if request.endpoint == "static" else None
    path = (request.view_args or {}).get("filename", "")
    if wanted and response.status_code == 200 and path.endswith(CACHED_SUFFIXES) and wanted == _version(path):
        response.cache_control.no_cache = None
        response.cache_control.public = True
        response.cache_control.max_age = ONE_YEAR_SECONDS
        response.cache_control.immutable = True
    return response


def blog_title() -> str:
    """Return the title of the blog. Looked up once per request."""
    if "blog_title" not in g:
        g.blog_title = str(Setting.read("blog_title"))
    return str(g.blog_title)


def local(at: datetime) -> datetime:
    """Convert an instant to the user's time zone."""
    return at.astimezone(current_user.zone())


def today() -> date:
    """Return the date in the user's time zone, the same for the whole request."""
    if "today" not in g:
        g.today = local(context.now()).date()
    found: date = g.today
    return found


def time_of_day(at: datetime) -> str:
    return f"{local(at):%H:%M}"


def day(at: datetime) -> str:
    """Return the local date in words: today, yesterday, Tue 24 Nov, 24 Nov 2025."""
    then = local(at).date()
    named = {0: "today", -1: "yesterday", 1: "tomorrow"}.get((then - today()).days)
    if named is not None:
        return named
    return f"{then:%a} {then.day} {then:%b}" if then.year == today().year else f"{then.day} {then:%b %Y}"
