"""Rate limit counters for API requests and sign-in attempts, in memory or in Redis."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable
from time import time

from limits.storage import Storage, storage_from_string
from limits.strategies import FixedWindowRateLimiter

from blogsvc.context import InMemory, Tools
from blogsvc.lib.rate_limit_storage import CounterStorage, FallbackStorage

# If Redis does not respond within this time, the request is counted in memory. Seconds.
REDIS_TIMEOUT_SECONDS = 0.25


def _make(tools: Tools, now: Callable[[], float] = time) -> FixedWindowRateLimiter:
    if not (url := tools.config.redis_url):
        return FixedWindowRateLimiter(CounterStorage(now=now))
    redis = storage_from_string(
        url,
        wrap_exceptions=True,
        socket_timeout=REDIS_TIMEOUT_SECONDS,
        socket_connect_timeout=REDIS_TIMEOUT_SECONDS,
    )
    assert isinstance(redis, Storage)
    return FixedWindowRateLimiter(FallbackStorage(redis, tools.steady, now))


rate_limits = InMemory(_make)
sign_in_counters = InMemory(lambda tools: _make(tools, lambda: tools.now().timestamp()))


def network_of(address: str | None) -> str:
    """Return the IPv4 address, or the /64 network for IPv6: one client can use all its addresses."""
    try:
        known = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
