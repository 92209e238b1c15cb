"""Redirects: the responses to addresses without a page that lead somewhere."""

from __future__ import annotations

from urllib.parse import unquote, urlsplit

from flask import Response, redirect, request

from blogsvc.posts import old_addresses
from blogsvc.posts.old_addresses import Answer


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
