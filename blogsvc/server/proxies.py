"""Who asks, and how, behind proxies that are trusted: their X-Forwarded-* headers replace what the connection says.

Anyone may send such headers, so of a list of addresses only the one that the outermost trusted proxy saw counts. If
that one is missing, the client is unknown. It is never the proxy's own address, which may be this machine's.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from blogsvc.lib.net.ip_rules import client_address

log = logging.getLogger(__name__)

UNKNOWN = ""


class TrustedProxies:
    """WSGI middleware for an application behind `hops` proxies, each of which adds to X-Forwarded-For."""

    def __init__(self, app: WSGIApplication, hops: int) -> None:
        self.app, self.hops = app, hops
        self.has_warned = False

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        addresses = _values(environ, "FOR")
        is_complete = len(addresses) >= self.hops
        environ["REMOTE_ADDR"] = _address(addresses[-self.hops]) if is_complete else UNKNOWN
        if addresses and not is_complete:  # without any, it came from this machine, such as a health check
            self._warn(len(addresses))
        if (scheme := self._outermost(_values(environ, "PROTO")).lower()) in ("http", "https"):
            environ["wsgi.url_scheme"] = scheme
        if host := self._outermost(_values(environ, "HOST")):
            environ["HTTP_HOST"] = host
        return self.app(environ, start_response)

    def _outermost(self, values: list[str]) -> str:
        """Return what the outermost proxy set, or an inner one that replaced it; "" if there is nothing.

        Proxies replace these headers or pass them on, so there is often one value for all of them.
        """
        return values[-min(self.hops, len(values))] if values else ""

    def _warn(self, found: int) -> None:
        """Log the first request with too few addresses."""
        if not self.has_warned:
            self.has_warned = True
            log.warning(
                "a request had %d of the %d addresses in X-Forwarded-For that BLOGSVC_TRUSTED_PROXIES stands for, so"
                " its client is unknown (docs/running.md#two-proxies)",
                found,
                self.hops,
            )


def _values(environ: dict[str, Any], name: str) -> list[str]:
    """Return the values of a header, also empty ones: each stands for a proxy."""
    text: str = environ.get(f"HTTP_X_FORWARDED_{name}", "")
    return [value.strip() for value in text.split(",")] if text.strip() else []


def _address(text: str) -> str:
    """Return the IP address that a proxy saw, without a port. UNKNOWN for anything else."""
    bare = text.partition("]")[0].lstrip("[") if text.startswith("[") else text
    bare = bare.partition(":")[0] if bare.count(":") == 1 else bare
    found = client_address(bare)
    return UNKNOWN if found is None else str(found)
