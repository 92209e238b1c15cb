"""Counters of attempts, such as to sign in or to comment, in the database, and of requests for pages, outside of it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from ipaddress import ip_network

from limits import RateLimitItem
from limits.storage import Storage
from limits.strategies import FixedWindowRateLimiter

from blogsvc.context import InMemory
from blogsvc.errors import Busy
from blogsvc.lib.net.ip_rules import client_address
from blogsvc.lib.request_counters import RequestLimiter
from blogsvc.models import AttemptCounter


class RowStorage(Storage):
    """Counters in the database, which every process of the server sees, and which a restart does not reset."""

    STORAGE_SCHEME = ["rows"]  # noqa: RUF012 (how the library finds it)

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__()
        self.now = now

    @property
    def base_exceptions(self) -> type[Exception]:
        return Busy

    def incr(self, key: str, expiry: int, amount: int = 1) -> int:
        return AttemptCounter.add(key, amount, expiry, self.now())

    def get(self, key: str) -> int:
        counter = AttemptCounter.current(key, self.now())
        return 0 if counter is None else counter.count

    def get_expiry(self, key: str) -> float:
        counter = AttemptCounter.current(key, self.now())
        return (self.now() if counter is None else counter.ends_at).timestamp()

    def check(self) -> bool:
        return True

    def reset(self) -> int | None:
        return AttemptCounter.remove()

    def clear(self, key: str) -> None:
        AttemptCounter.remove(AttemptCounter.key == key)


class AttemptLimiter(FixedWindowRateLimiter):
    """Counts attempts up to their limit. Those beyond it write nothing, so that guessing does not load the database."""

    def hit(self, item: RateLimitItem, *identifiers: str, cost: int = 1) -> bool:
        return self.test(item, *identifiers, cost=cost) and super().hit(item, *identifiers, cost=cost)


# Not in the database: to count a request for a page must not wait for other writers.
page_requests = InMemory(lambda tools: RequestLimiter(tools.config.redis_url))
attempts = InMemory(lambda tools: AttemptLimiter(RowStorage(tools.now)))


def network_of(address: str | None) -> str:
    """Return the IPv4 address, or the /64 network for IPv6: one client can use all its addresses."""
    known = client_address(address or "")
    if known is None:
        return "unknown"
    return str(ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
