"""Count page views, without bots and prefetches, and respect opt-outs from tracking."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Flask, current_app, request
from werkzeug.wsgi import get_host

from blogsvc import context
from blogsvc.analytics import page_views
from blogsvc.analytics.page_views import Outside
from blogsvc.context import Tools
from blogsvc.errors import Busy
from blogsvc.lib.response_cache import Environ

log = logging.getLogger(__name__)

# Bots name themselves in the user agent, often with a URL (+https://...). curl and wget count as people. The words
# are searched one by one, which is many times faster than a regular expression that ignores case.
_BOT_WORDS = (
    *("bot", "crawl", "spider", "slurp", "preview", "monitor", "headless", "lighthouse", "externalhit", "embed"),
    *("uptime", "validator", "+http:", "+https:"),
)
_NO_BOT = "cubot"  # a brand of phones


def view_counter(post_id: str | None) -> Callable[[Environ], None]:
    """Return a function that counts a request as a view of this page. It needs no application context."""
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]
    tools, outside = context.tools(), Outside.of(app.app_context)

    def count(environ: Environ) -> None:
        if is_view(environ):
            _record(post_id, environ, tools, outside)

    return count


def count_view(post_id: str | None) -> None:
    """Count this request as a view unless it comes from a bot or a prefetch."""
    if is_view(request.environ):
        _record(post_id, request.environ, context.tools())


def _record(post_id: str | None, environ: Environ, tools: Tools, outside: Outside | None = None) -> None:
    address, agent = environ.get("REMOTE_ADDR") or "", environ["HTTP_USER_AGENT"]
    can_count_visitor = not _opts_out_of_tracking(environ)
    try:
        referrer = _referrer(environ, tools)
        page_views.record_view(post_id, address, agent, referrer, can_count_visitor, tools.now(), outside)
    except Busy:
        log.warning("a view was not counted: the database is busy")


def is_view(environ: Environ) -> bool:
    """Return False for the request of a bot or a prefetch."""
    agent = environ.get("HTTP_USER_AGENT", "")
    return environ["REQUEST_METHOD"] == "GET" and not _is_prefetch(environ) and not _is_bot(agent)


def _is_bot(agent: str) -> bool:
    words = agent.lower().replace(_NO_BOT, "")
    return not agent.strip() or any(word in words for word in _BOT_WORDS)


def _is_prefetch(environ: Environ) -> bool:
    """Return True if the browser only prefetches the page."""
    return "prefetch" in str(environ.get("HTTP_SEC_PURPOSE", environ.get("HTTP_PURPOSE", "")))


def _opts_out_of_tracking(environ: Environ) -> bool:
    """Return True if the browser sends Do Not Track or Global Privacy Control."""
    return environ.get("HTTP_DNT") == "1" or environ.get("HTTP_SEC_GPC") == "1"


def _referrer(environ: Environ, tools: Tools) -> str | None:
    """Return the referring host, unless it is this blog."""
    referrer = environ.get("HTTP_REFERER")
    if not referrer:
        return None
    try:
        host = urlsplit(referrer).hostname
        own = urlsplit(tools.config.public_url).hostname
    except ValueError:
        return None
    if not host or host in (own, get_host(environ).partition(":")[0]):
        return None
    return host if len(host) <= 253 and host.isprintable() else None
