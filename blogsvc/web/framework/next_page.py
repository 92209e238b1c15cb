"""Where a user goes on after signing in or confirming their identity: only ever to one of our pages."""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import request


def wanted_next() -> str | None:
    """Return the path that the user wanted to open, if it is one of ours."""
    return _ours(request.args.get("next", ""))


def page_before() -> str | None:
    """Return the path of the page that sent this request, from htmx or the referrer, if it is one of ours."""
    parts = urlsplit(request.headers.get("HX-Current-URL") or request.referrer or "")
    return _ours(parts.path + (f"?{parts.query}" if parts.query else ""))


def _ours(path: str) -> str | None:
    return path if path.startswith("/desk") and "\\" not in path and path.isprintable() else None
