"""Redirects: the responses to addresses without a page that lead somewhere."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from flask import Response, redirect, request

from blogsvc import context
from blogsvc.blog.view_counting import is_view
from blogsvc.models.missing_address import MAX_HOST_LENGTH
from blogsvc.posts import old_addresses
from blogsvc.posts.old_addresses import Answer
from blogsvc.redirects.counting import count_missing, count_use


def query() -> str:
    return request.query_string.decode(errors="replace")


def find_answer() -> Answer | None:
    """Return where the address of this request leads; None if it leads nowhere."""
    if request.method not in ("GET", "HEAD"):
        return None
    answer = old_addresses.find(request.path, query())
    # A page that does not exist although its path is ours must not redirect to itself.
    if answer is not None and answer.is_here and unquote(urlsplit(answer.address or "").path) == request.path:
        return None
    return answer


def moved_to(address: str, status: int = 301) -> Response:
    """Return a redirect. Not cached, because a post may move back."""
    response = redirect(address, status)
    response.headers["Cache-Control"] = "public, no-cache"
    return response  # type: ignore[return-value]


def count(answer: Answer | None) -> None:
    """Count this request for an address without a page, unless it comes from a bot or a prefetch."""
    if not is_view(request.environ):
        return
    day = context.now().date()
    if answer is None:
        count_missing(request.path, _referrer_host(), day)
    elif answer.redirect_id is not None:
        count_use(answer.redirect_id, day)


def _referrer_host() -> str | None:
    """Return the host of the page that links to this address, unless the address itself is named as its referrer."""
    try:
        parts = urlsplit(request.referrer or "")
        host = parts.hostname or ""
    except ValueError:
        return None
    is_itself = parts.netloc == request.host and unquote(parts.path) == request.path
    return host if 0 < len(host) <= MAX_HOST_LENGTH and host.isprintable() and not is_itself else None
