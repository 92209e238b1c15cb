"""Rate limit counters for API requests and sign-in attempts, in memory or in Redis."""

from __future__ import annotations

from typing import Any

from limits.storage import storage_from_string
from limits.strategies import FixedWindowRateLimiter

from blogsvc.context import InMemory, Tools
from blogsvc.lib.rate_limit_storage import CounterStorage

# If Redis does not respond within this time, the request is not counted. Seconds.
REDIS_TIMEOUT_SECONDS = 0.5


def _make(tools: Tools) -> FixedWindowRateLimiter:
    url, options = tools.config.redis_url, dict[str, Any]()
    if url:
        options = {"socket_timeout": REDIS_TIMEOUT_SECONDS, "socket_connect_timeout": REDIS_TIMEOUT_SECONDS}
    storage = storage_from_string(url or f"{CounterStorage.STORAGE_SCHEME[0]}://", wrap_exceptions=True, **options)
    return FixedWindowRateLimiter(storage)


rate_limits = InMemory(_make)
