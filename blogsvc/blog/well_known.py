"""Well-known addresses: of security contacts (RFC 9116), of the page with the password, and of the key of IndexNow."""

from __future__ import annotations

from datetime import datetime, timedelta

from flask import Blueprint, Response, abort

from blogsvc import context
from blogsvc.blog.posts import Blog
from blogsvc.blog.redirects import moved_to
from blogsvc.index_now import manage
from blogsvc.models import Setting

# RFC 9116, 2.5.5, recommends less than a year.
VALID_FOR = timedelta(days=364)
PROFILE_PAGE = "/desk/settings/profile"

blueprint = Blueprint("well_known", __name__)


@blueprint.get("/.well-known/security.txt")
def security_txt() -> Response:
    """Return where to report security problems. It expires so many days after the day of the request."""
    contact = Setting.read("blog_security_contact") or abort(404)
    blog = Blog.read()
    lines = (
        f"Contact: {contact}",
        f"Expires: {_midnight(context.now()) + VALID_FOR:%Y-%m-%dT%H:%M:%SZ}",
        f"Preferred-Languages: {blog.language}",
        f"Canonical: {blog.url}/.well-known/security.txt",
        "",
    )
    response = Response("\n".join(lines), mimetype="text/plain")
    response.headers["Cache-Control"] = "no-cache"
    return response


@blueprint.get("/.well-known/change-password")
def change_password() -> Response:
    """Lead password managers to the page with the password (https://w3c.github.io/webappsec-change-password-url/)."""
    return moved_to(PROFILE_PAGE, 302)


@blueprint.get("/<string(length=32):key>.txt")
def index_now_key(key: str) -> Response:
    """Return the key by which search engines know that IndexNow requests are from this blog."""
    if key != manage.public_key():
        abort(404)
    response = Response(key, mimetype="text/plain")
    response.headers["Cache-Control"] = "no-cache"
    return response


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)
