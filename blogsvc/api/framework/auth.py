"""Authentication, scopes and rate limits of API requests."""

from __future__ import annotations

import ipaddress
import logging
from math import ceil
from time import time
from typing import Any, Literal

from flask import Flask, Response, current_app, g, request
from flask_limiter import Limiter
from flask_limiter.util import get_remote_address
from limits.errors import StorageError
from limits.strategies import RateLimiter

from blogsvc import context
from blogsvc.api.framework.problems import Problem
from blogsvc.auth import api_keys
from blogsvc.config import Config
from blogsvc.lib.rate_limit_storage import CounterStorage, RequestsPerMinute
from blogsvc.models import ApiKey

log = logging.getLogger(__name__)

Tier = Literal["read", "write", "publish"]

# If Redis does not respond within this time, the request is not counted. Seconds.
REDIS_TIMEOUT_SECONDS = 0.5


def init(app: Flask) -> None:
    """Set up Flask-Limiter's counters. Its own hook is disabled, because limits depend on the API key."""
    config = tools_config(app)
    timeouts: Any = (
        {"socket_timeout": REDIS_TIMEOUT_SECONDS, "socket_connect_timeout": REDIS_TIMEOUT_SECONDS}
        if config.redis_url
        else {}
    )
    limiter = Limiter(
        get_remote_address,
        app=app,
        strategy="fixed-window",
        storage_uri=config.redis_url or f"{CounterStorage.STORAGE_SCHEME[0]}://",
        storage_options={"wrap_exceptions": True, **timeouts},
    )
    limiter.enabled = False
    app.extensions["rates"] = limiter.limiter
    app.after_request(_add_rate_limit_headers)


def rates() -> RateLimiter:
    counted: RateLimiter = current_app.extensions["rates"]
    return counted


def tools_config(app: Flask) -> Config:
    config: Config = app.extensions["toolbox"].config
    return config


def admit(scope: str | None, tier: Tier) -> None:
    """Authenticate and count the request, and check its scope. Raises Problem. `scope` None allows any valid key."""
    _require_https()
    g.key = _authenticate()
    count(tier)
    if scope is not None:
        require_scope(scope)


def require_scope(scope: str) -> None:
    """Raise Problem if the key of the request lacks the scope."""
    key: ApiKey = g.key
    if not key.allows(scope):
        raise Problem(
            "scope-missing",
            f"The API key lacks the scope {scope!r}. Use a key that has it.",
            more={"scope": scope, "scopes": key.scopes},
        )


def _require_https() -> None:
    config = tools_config(current_app)
    if not (request.is_secure or config.allow_http or _is_loopback(request.remote_addr)):
        raise Problem("https-required", "Use https://. Replace the API key, because it was sent unencrypted.")


def _is_loopback(address: str | None) -> bool:
    try:
        return ipaddress.ip_address(address or "").is_loopback
    except ValueError:
        return False


def _authenticate() -> ApiKey:
    tools = context.tools()
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    key = api_keys.valid_key(text.strip(), tools.now()) if scheme.lower() == "bearer" else None
    if key is None:
        limit = RequestsPerMinute(tools.config.bad_keys_per_minute)
        _hit("bad-keys", limit, request.remote_addr or "unknown")
        raise Problem(
            "unauthorized",
            "Send a valid API key as `Authorization: Bearer bsk_...`. Create one with `blogsvc key create NAME`.",
            {"WWW-Authenticate": 'Bearer realm="blogsvc"'},
        )
    api_keys.note_use(key, tools.now())
    return key


def limits_of(key: ApiKey) -> dict[str, int]:
    """Return the requests per minute by tier: the key's own limits, or the defaults of the settings."""
    return key.limits_within(api_keys.default_limits(tools_config(current_app)))


def bounds() -> api_keys.KeyBounds:
    """Return the permissions of the request's key, which bound the keys it can create."""
    return api_keys.KeyBounds.of(g.key, tools_config(current_app))


def count(tier: Tier) -> None:
    """Count the request. Raises Problem if the key exceeds its limit."""
    key: ApiKey = g.key
    limit = RequestsPerMinute(limits_of(key)[tier])
    g.rate = (tier, limit, key.id)
    _hit(tier, limit, key.id)


def _hit(tier: str, limit: RequestsPerMinute, who: str) -> None:
    """Count one request. If the storage is down, requests are allowed: rate limits are not a security boundary."""
    try:
        if rates().hit(limit, tier, who):
            return
        wait = _seconds_until(rates().get_window_stats(limit, tier, who).reset_time)
    except StorageError:
        log.exception("rate limit storage unavailable; the request is not counted")
        g.pop("rate", None)  # no RateLimit headers on the response
        return
    raise Problem(
        "rate-limited",
        f"Rate limit exceeded: {limit.amount} requests per minute. Please wait {wait} s.",
        {"Retry-After": str(wait)},
        {"tier": tier, "limit": limit.amount, "retryAfter": wait},
    )


def _seconds_until(moment: float) -> int:
    return max(1, ceil(moment - time()))


def _add_rate_limit_headers(response: Response) -> Response:
    """Add the headers RateLimit and RateLimit-Policy (IETF draft) and X-RateLimit-*."""
    if "rate" not in g:
        return response
    tier, limit, who = g.rate
    try:
        window = rates().get_window_stats(limit, tier, who)
    except StorageError:
        return response
    response.headers["RateLimit-Policy"] = f'"{tier}";q={limit.amount};w=60'
    response.headers["RateLimit"] = f'"{tier}";r={window.remaining};t={_seconds_until(window.reset_time)}'
    response.headers["X-RateLimit-Limit"] = str(limit.amount)
    response.headers["X-RateLimit-Remaining"] = str(window.remaining)
    response.headers["X-RateLimit-Reset"] = str(ceil(window.reset_time))
    return response
