"""Who may call: HTTPS, a key, its scope and its rate. Everything is refused that is not allowed here."""

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

# A call does not wait longer than this, in seconds, for a Redis that hangs; it goes uncounted.
REDIS_TIMEOUT_SECONDS = 0.5


def init(app: Flask) -> None:
    """Flask-Limiter holds the counters. When to count is said here, once the key is known, not by a hook of its."""
    config = tools_config(app)
    # Of a storage that counts in memory there is nothing to wait for.
    patience: Any = (
        {"socket_timeout": REDIS_TIMEOUT_SECONDS, "socket_connect_timeout": REDIS_TIMEOUT_SECONDS}
        if config.redis_url
        else {}
    )
    limiter = Limiter(
        get_remote_address,
        app=app,
        strategy="fixed-window",
        storage_uri=config.redis_url or f"{CounterStorage.STORAGE_SCHEME[0]}://",
        storage_options={"wrap_exceptions": True, **patience},
    )
    limiter.enabled = False
    app.extensions["rates"] = limiter.limiter
    app.after_request(_say_limits)


def rates() -> RateLimiter:
    counted: RateLimiter = current_app.extensions["rates"]
    return counted


def tools_config(app: Flask) -> Config:
    config: Config = app.extensions["toolbox"].config
    return config


def admit(scope: str | None, tier: Tier) -> None:
    """Let the request in, or raise the Problem that says why not. `scope` None: any valid key will do."""
    _demand_https()
    g.key = _authenticate()
    count(tier)
    if scope is not None:
        demand_scope(scope)


def demand_scope(scope: str) -> None:
    """Raises the Problem that names the scope where the key that is asking lacks it."""
    key: ApiKey = g.key
    if not key.allows(scope):
        raise Problem(
            "scope-missing", f"This key lacks the scope {scope!r}.", more={"scope": scope, "scopes": key.scopes}
        )


def _demand_https() -> None:
    config = tools_config(current_app)
    if not (request.is_secure or config.allow_http or _is_loopback(request.remote_addr)):
        raise Problem("https-required", "Call this over https://; the key you sent should be replaced.")


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
            "Send a valid key as `Authorization: Bearer bsk_...`; `blogsvc key create NAME` makes one.",
            {"WWW-Authenticate": 'Bearer realm="blogsvc"'},
        )
    api_keys.note_use(key, tools.now())
    return key


def limits_of(key: ApiKey) -> dict[str, int]:
    """Calls a minute by tier: the settings', or the key's own."""
    return key.limits_within(api_keys.default_limits(tools_config(current_app)))


def bounds() -> api_keys.KeyBounds:
    """What the key that is asking has, and so the most that it may give to another."""
    return api_keys.KeyBounds.of(g.key, tools_config(current_app))


def count(tier: Tier) -> None:
    """Count a call of the key that is asking. Raises the Problem of one too many."""
    key: ApiKey = g.key
    limit = RequestsPerMinute(limits_of(key)[tier])
    g.rate = (tier, limit, key.id)
    _hit(tier, limit, key.id)


def _hit(tier: str, limit: RequestsPerMinute, who: str) -> None:
    """Count one call. A storage that is down lets calls through: limits are a courtesy, not a lock."""
    try:
        if rates().hit(limit, tier, who):
            return
        wait = _seconds_until(rates().get_window_stats(limit, tier, who).reset_time)
    except StorageError:
        log.exception("the rate limits cannot be counted")
        g.pop("rate", None)  # so that nobody asks again what is left
        return
    raise Problem(
        "rate-limited",
        f"This allows {limit.amount} calls a minute; wait {wait} s.",
        {"Retry-After": str(wait)},
        {"tier": tier, "limit": limit.amount, "retryAfter": wait},
    )


def _seconds_until(moment: float) -> int:
    return max(1, ceil(moment - time()))


def _say_limits(response: Response) -> Response:
    """RateLimit and RateLimit-Policy (IETF draft), and the customary X-RateLimit-*."""
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
