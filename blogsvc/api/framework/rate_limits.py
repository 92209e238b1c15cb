"""Rate limits of API requests: for each key by tier, and for each network that sends no valid key.

Flask-Limiter counts them, in the memory of this process or in Redis. While Redis fails, it counts in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from time import time

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter, RateLimitExceeded, RequestLimit
from limits.errors import StorageError

from blogsvc import context
from blogsvc.api.framework.problems import Problem
from blogsvc.config import Config
from blogsvc.http.body_limits import IS_SECOND_CALL
from blogsvc.http.processes import log_counting_alone
from blogsvc.lib.request_counters import REDIS_OPTIONS, MemoryCounters

_EXTENSION = "blogsvc_limiter"
# The tier of requests without a valid key.
BAD_KEYS = "bad-keys"


@dataclass(frozen=True)
class Client:
    """Whose requests are counted, in which tier, and how many a minute are allowed."""

    tier: str
    id: str
    per_minute: int


def init(app: Flask, config: Config) -> None:
    """Let Flask-Limiter count requests. It writes no headers itself: it would add Retry-After to every response."""
    limiter = Limiter(
        lambda: g.client.id,
        app=app,
        storage_uri=config.redis_url or f"{MemoryCounters.STORAGE_SCHEME[0]}://",
        storage_options=REDIS_OPTIONS if config.redis_url else {},  # type: ignore[arg-type]
        strategy="fixed-window",
        in_memory_fallback_enabled=bool(config.redis_url),
        key_prefix="blogsvc",
        request_identifier=lambda: "api",  # a limit is shared by all operations of its tier
    )
    limit = limiter.shared_limit(
        lambda: f"{g.client.per_minute} per minute", scope=lambda _endpoint: g.client.tier, cost=_cost
    )
    # Other requests, such as those of readers, are not counted and must not wait for Redis.
    limiter.request_filter(lambda: "client" not in g)
    app.extensions[_EXTENSION] = limiter, limit(_nothing)
    app.after_request(_add_headers)


def _nothing() -> None:
    """Do nothing. Flask-Limiter counts the call."""


def _cost() -> int:
    return 0 if request.environ.get(IS_SECOND_CALL) else 1


def count(client: Client) -> None:
    """Count the request. Raises Problem if that exceeds the limit."""
    limiter: Limiter
    call: Callable[[], None]
    limiter, call = current_app.extensions[_EXTENSION]
    g.client = client
    log_counting_alone(context.tools())
    try:
        _call_again_if_redis_fails(call)
    except RateLimitExceeded as error:
        if request.environ.get(IS_SECOND_CALL):
            return  # the first call was admitted
        wait = _wait_of(limiter)
        raise Problem(
            "rate-limited",
            f"Rate limit exceeded: {client.per_minute} requests per minute. Please wait {wait} s.",
            {"Retry-After": str(wait)},
            {"tier": client.tier, "limit": client.per_minute, "retryAfter": wait},
        ) from error


def _call_again_if_redis_fails(call: Callable[[], None]) -> None:
    """Count the call. The first thread that notices a failure of Redis counts in memory, the others raise its error."""
    try:
        call()
    except StorageError:
        call()


def _wait_of(limiter: Limiter) -> int:
    """Return in how many seconds the exceeded limit ends."""
    assert limiter.current_limit is not None
    try:
        return _seconds_until(limiter.current_limit.window.reset_time)
    except StorageError:
        return 60


def counted() -> Counted | None:
    """Return the limit that this request was counted for; None if it was not counted, or had no valid key."""
    client: Client | None = g.get("client")
    limit = current_app.extensions[_EXTENSION][0].current_limit
    return None if client is None or client.tier == BAD_KEYS or limit is None else Counted(client.tier, limit)


def _add_headers(response: Response) -> Response:
    """Add the headers RateLimit and RateLimit-Policy (IETF draft) and X-RateLimit-*."""
    found = counted()
    for name, value in found.headers() if found is not None else ():
        response.headers[name] = value
    return response


@dataclass(frozen=True)
class Counted:
    """The rate limit that requests like a former one count for. Needs no request of Flask."""

    tier: str
    limit: RequestLimit

    def hit(self) -> bool:
        """Count one request. Counts nothing and returns False if the limit is reached or Redis fails."""
        limiter, item, of = self.limit.limiter, self.limit.limit, self.limit.request_args
        try:
            return bool(limiter.test(item, *of) and limiter.hit(item, *of))
        except StorageError:
            return False

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers that tell a client its limit and what is left of it. There are none while Redis fails."""
        item = self.limit.limit
        try:
            window = self.limit.limiter.get_window_stats(item, *self.limit.request_args)
        except StorageError:
            return []
        return [
            ("RateLimit-Policy", f'"{self.tier}";q={item.amount};w=60'),
            ("RateLimit", f'"{self.tier}";r={window.remaining};t={_seconds_until(window.reset_time)}'),
            ("X-RateLimit-Limit", str(item.amount)),
            ("X-RateLimit-Remaining", str(window.remaining)),
            ("X-RateLimit-Reset", str(ceil(window.reset_time))),
        ]


def _seconds_until(moment: float) -> int:
    return max(1, ceil(moment - time()))
