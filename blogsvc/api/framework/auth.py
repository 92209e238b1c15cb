"""Authentication, scopes and rate limits of API requests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil
from time import time
from typing import Literal

from flask import Response, g, request
from limits.strategies import FixedWindowRateLimiter

from blogsvc import context
from blogsvc.api.framework.problems import Problem
from blogsvc.auth import api_keys, stream_tickets
from blogsvc.auth.command_line import COMMAND_LINE_KEY
from blogsvc.auth.plain_http import may_send_secrets
from blogsvc.auth.rate_limits import rate_limits
from blogsvc.lib.rate_limit_storage import RequestsPerMinute
from blogsvc.lib.text_jobs import requester
from blogsvc.models import ApiKey, Quota
from blogsvc.server.bodies import IS_SECOND_CALL

Tier = Literal["read", "write", "publish"]
# The query parameter with a ticket.
TICKET = "ticket"


def admit(scopes: Iterable[str], tier: Tier, *, takes_ticket: bool = False) -> None:
    """Authenticate and count the request, and check that its key has all scopes. Raises Problem.

    With `takes_ticket`, the parameter `ticket` may stand for the key (stream_tickets.py).
    """
    _require_https()
    g.key = _authenticate(request.args.get(TICKET) if takes_ticket else None)
    g.key_id = g.key.id  # for the log: after a rollback, the key is read again, from a database that may be away
    requester.set(g.key_id)
    count(tier)
    for scope in scopes:
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
    if not may_send_secrets(context.tools().config, request.is_secure, request.remote_addr):
        raise Problem("https-required", "Use https://. Replace the API key, because it was sent unencrypted.")


def _authenticate(ticket: str | None) -> ApiKey:
    tools = context.tools()
    if COMMAND_LINE_KEY in request.environ:
        own: ApiKey = request.environ[COMMAND_LINE_KEY]
        return own
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if ticket is not None and not scheme:
        key = stream_tickets.key_of(ticket, tools)
    else:
        key = api_keys.valid_key(text.strip(), tools.now()) if scheme.lower() == "bearer" else None
    if key is None:
        limit = RequestsPerMinute(tools.config.bad_keys_per_minute)
        Counted("bad-keys", limit, request.remote_addr or "unknown", rate_limits()).require()
        raise Problem(
            "unauthorized",
            "Send a valid API key as `Authorization: Bearer bsk_...`. Create one with `blogsvc key create NAME`.",
            {"WWW-Authenticate": 'Bearer realm="blogsvc"'},
        )
    api_keys.note_use(key, tools.now())
    return key


def limits_of(key: ApiKey) -> dict[str, int]:
    """Return the requests per minute by tier: the key's own limits, or the defaults of the settings."""
    return key.limits_within(api_keys.default_limits(context.tools().config))


def bounds() -> api_keys.KeyBounds:
    """Return the permissions of the request's key, which bound the keys it can create."""
    return api_keys.KeyBounds.of(g.key, context.tools().config)


def quota() -> Quota | None:
    """Return the quotas of the key of this request. The command line has none."""
    return Quota(g.key.id, context.tools().config) if g.key.id else None


def maker() -> str | None:
    """Return the id of the key of this request, or None for the command line."""
    return g.key.id or None


def count(tier: Tier) -> None:
    """Count the request. Raises Problem if the key exceeds its limit."""
    key: ApiKey = g.key
    limit = RequestsPerMinute(limits_of(key)[tier])
    g.counted = Counted(tier, limit, key.id, rate_limits())
    if not request.environ.get(IS_SECOND_CALL):
        g.counted.require()


def _seconds_until(moment: float) -> int:
    return max(1, ceil(moment - time()))


def add_rate_limit_headers(response: Response) -> Response:
    """Add the headers RateLimit and RateLimit-Policy (IETF draft) and X-RateLimit-*."""
    counted: Counted | None = g.get("counted")
    for name, value in counted.headers() if counted is not None else ():
        response.headers[name] = value
    return response


@dataclass(frozen=True)
class Counted:
    """The rate limit that the requests of one client and tier count for."""

    tier: str
    limit: RequestsPerMinute
    who: str
    limiter: FixedWindowRateLimiter

    def require(self) -> None:
        """Count one request. Raises Problem if that exceeds the limit."""
        if self.limiter.hit(self.limit, self.tier, self.who):
            return
        wait = _seconds_until(self.limiter.get_window_stats(self.limit, self.tier, self.who).reset_time)
        raise Problem(
            "rate-limited",
            f"Rate limit exceeded: {self.limit.amount} requests per minute. Please wait {wait} s.",
            {"Retry-After": str(wait)},
            {"tier": self.tier, "limit": self.limit.amount, "retryAfter": wait},
        )

    def hit(self) -> bool:
        """Count one request. Counts nothing and returns False if the limit is reached."""
        is_left = self.limiter.test(self.limit, self.tier, self.who)
        return bool(is_left and self.limiter.hit(self.limit, self.tier, self.who))

    def headers(self) -> list[tuple[str, str]]:
        """Return the headers that tell a client its limit and what is left of it."""
        window = self.limiter.get_window_stats(self.limit, self.tier, self.who)
        return [
            ("RateLimit-Policy", f'"{self.tier}";q={self.limit.amount};w=60'),
            ("RateLimit", f'"{self.tier}";r={window.remaining};t={_seconds_until(window.reset_time)}'),
            ("X-RateLimit-Limit", str(self.limit.amount)),
            ("X-RateLimit-Remaining", str(window.remaining)),
            ("X-RateLimit-Reset", str(ceil(window.reset_time))),
        ]
