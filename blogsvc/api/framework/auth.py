"""Authentication, scopes and rate limits of API requests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from flask import g, request

from blogsvc import context
from blogsvc.api.framework import rate_limits
from blogsvc.api.framework.problems import Problem
from blogsvc.api.framework.rate_limits import Client
from blogsvc.auth import api_keys, stream_tickets
from blogsvc.auth.attempt_counters import network_of
from blogsvc.auth.command_line import COMMAND_LINE_KEY
from blogsvc.auth.plain_http import can_send_secrets
from blogsvc.http import body_limits
from blogsvc.lib.workers.text_jobs import requester
from blogsvc.models import ApiKey, Quota

Tier = Literal["read", "write", "publish"]
# The query parameter with a ticket.
TICKET = "ticket"


def admit(scopes: Iterable[str], tier: Tier, *, takes_ticket: bool = False) -> None:
    """Authenticate and count the request, and check that its key has all scopes. Raises Problem.

    With `takes_ticket`, the parameter `ticket` may stand for the key (stream_tickets.py).
    """
    _require_https()
    g.key = _authenticate(request.args.get(TICKET) if takes_ticket else None)
    g.scopes = set()
    g.key_id = g.key.id  # for the log: after a rollback, the key is read again, from a database that may be away
    requester.set(g.key_id)
    body_limits.allow(body_limits.MAX_BODY)
    count(tier)
    for scope in scopes:
        require_scope(scope)


def require_scope(scope: str) -> None:
    """Raise Problem if the key of the request lacks the scope. Notes it as needed for the response."""
    key: ApiKey = g.key
    if not key.allows(scope):
        why = f"The API key lacks the scope {scope!r}. Use a key that has it."
        if scope in key.granted:
            why = (
                f"The scope {scope!r} of the API key doesn't count, because the role of the user who made the key"
                " doesn't allow it any more. An owner can rotate the key to take it over."
            )
        raise Problem("scope-missing", why, more={"scope": scope, "scopes": key.present_scopes})
    g.scopes.add(scope)


def _require_https() -> None:
    if not can_send_secrets(context.tools().config, request.is_secure, request.remote_addr):
        raise Problem("https-required", "Use https://. Replace the API key, because it was sent unencrypted.")


def _authenticate(ticket: str | None) -> ApiKey:
    tools = context.tools()
    if COMMAND_LINE_KEY in request.environ:
        own: ApiKey = request.environ[COMMAND_LINE_KEY]
        return own
    scheme, _, text = request.headers.get("Authorization", "").partition(" ")
    if ticket is not None and not scheme:
        key = stream_tickets.key_of(ticket, network_of(request.remote_addr), tools)
    else:
        key = api_keys.valid_key(text.strip(), tools.now()) if scheme.lower() == "bearer" else None
    if key is None:
        rate_limits.count(
            Client(rate_limits.BAD_KEYS, network_of(request.remote_addr), tools.config.bad_keys_per_minute)
        )
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


def creator_id() -> str | None:
    """Return the id of the key of this request, or None for the command line."""
    return g.key.id or None


def count(tier: Tier) -> None:
    """Count the request for a tier of its key. Raises Problem if the key exceeds its limit."""
    key: ApiKey = g.key
    rate_limits.count(Client(tier, key.id or "command line", limits_of(key)[tier]))
