"""Count page views, without bots and prefetches, and respect opt-outs from tracking."""

from __future__ import annotations

import logging
import re
from urllib.parse import urlsplit

from flask import request

from blogsvc import context
from blogsvc.analytics import page_views
from blogsvc.errors import Busy

log = logging.getLogger(__name__)

# Bots name themselves in the user agent, often with a URL (+https://...). "Cubot" is a brand of phones. curl and
# wget count as people.
_BOTS = re.compile(
    r"(?<!cu)bot|crawl|spider|slurp|preview|monitor|headless|lighthouse|externalhit|embed|uptime|validator|\+https?:",
    re.IGNORECASE,
)


def count_view(post_id: str | None) -> None:
    """Count this request as a view unless it comes from a bot or a prefetch."""
    agent = request.headers.get("User-Agent", "")
    if request.method != "GET" or _is_prefetch() or _is_bot(agent):
        return
    now = context.now()
    address = request.remote_addr or ""
    try:
        page_views.record_view(post_id, address, agent, _referrer(), not _opts_out_of_tracking(), now)
    except Busy:
        log.warning("a view was not counted: the database is busy")


def _is_bot(agent: str) -> bool:
    return not agent.strip() or _BOTS.search(agent) is not None


def _is_prefetch() -> bool:
    """Return True if the browser only prefetches the page."""
    return "prefetch" in request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))


def _opts_out_of_tracking() -> bool:
    """Return True if the browser sends Do Not Track or Global Privacy Control."""
    return request.headers.get("DNT") == "1" or request.headers.get("Sec-GPC") == "1"


def _referrer() -> str | None:
    """Return the referring host, unless it is this blog."""
    try:
        host = urlsplit(request.referrer or "").hostname
        own = urlsplit(context.tools().config.public_url).hostname
    except ValueError:
        return None
    if not host or host in (own, request.host.partition(":")[0]):
        return None
    return host if len(host) <= 253 and host.isprintable() else None
