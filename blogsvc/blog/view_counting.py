"""Readers: who counts as one, and what they let us know."""

from __future__ import annotations

import logging
import re
from urllib.parse import urlsplit

from flask import current_app, request

from blogsvc.analytics import page_views
from blogsvc.errors import Busy

log = logging.getLogger(__name__)

# Programs that read for nobody, by their own word. One that names its home page (+https://...) is one of them;
# Cubot makes telephones. curl and wget are people at a terminal.
_BOTS = re.compile(
    r"(?<!cu)bot|crawl|spider|slurp|preview|monitor|headless|lighthouse|externalhit|embed|uptime|validator|\+https?:",
    re.IGNORECASE,
)


def count_view(post_id: str | None) -> None:
    """Count this request as a view, if a person made it to read."""
    agent = request.headers.get("User-Agent", "")
    if request.method != "GET" or _is_prefetch() or _is_bot(agent):
        return
    now = current_app.extensions["toolbox"].now()
    address = request.remote_addr or ""
    try:
        page_views.record_view(post_id, address, agent, _referrer(), not _asks_not_to_be_known(), now)
    except Busy:
        log.warning("a view was not counted: the database is busy")


def _is_bot(agent: str) -> bool:
    return not agent.strip() or _BOTS.search(agent) is not None


def _is_prefetch() -> bool:
    """Fetched in case it will be wanted, which is not reading."""
    return "prefetch" in request.headers.get("Sec-Purpose", request.headers.get("Purpose", ""))


def _asks_not_to_be_known() -> bool:
    """Do Not Track, Global Privacy Control."""
    return request.headers.get("DNT") == "1" or request.headers.get("Sec-GPC") == "1"


def _referrer() -> str | None:
    """The host that a reader came from, unless it is this one."""
    try:
        host = urlsplit(request.referrer or "").hostname
        own = urlsplit(current_app.extensions["toolbox"].config.public_url).hostname
    except ValueError:
        return None
    if not host or host in (own, request.host.partition(":")[0]):
        return None
    return host if len(host) <= 253 and host.isprintable() else None
