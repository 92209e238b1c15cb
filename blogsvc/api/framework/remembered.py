"""Reads that are answered from memory, before Flask, as long as nothing in the database has changed.

Any commit ends that, so a change shows at once, and a revoked key is refused at once. Each request is counted for the
rate limit of its key. The time of the last use of a key is written once a minute, so a response is stored no longer.
"""

from __future__ import annotations

from flask import g, request

from blogsvc import context
from blogsvc.api.framework import rate_limits
from blogsvc.auth.plain_http import can_send_secrets
from blogsvc.context import data_version
from blogsvc.lib.response_cache import CACHEABLE, Cacheable, Environ, Headers
from blogsvc.models import ApiKey


def version() -> int | None:
    """Return the version of the data. Ask before anything is read for the response."""
    return data_version().current()


def allow_storing(version: int | None) -> None:
    """Let the server send the response to this request again while the data has this version."""
    key: ApiKey = g.key
    until = key.known_until
    counted = rate_limits.counted()
    if version is None or until is None or counted is None:
        return
    versions, tools = data_version(), context.tools()

    def is_current() -> bool:
        return versions.current() == version and tools.now() < until

    def admit(environ: Environ) -> Headers | None:
        is_secure = environ["wsgi.url_scheme"] == "https"
        if not can_send_secrets(tools.config, is_secure, environ.get("REMOTE_ADDR")):
            return None
        return counted.headers() if counted.hit() else None

    request.environ[CACHEABLE] = Cacheable(is_current, admit=admit, key_id=key.id)
