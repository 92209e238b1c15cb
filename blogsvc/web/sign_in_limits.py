"""Rate limits for sign-in attempts, by account and by IP address. Counted before credentials are checked."""

from __future__ import annotations

import ipaddress
import logging
from hashlib import sha256
from math import ceil
from time import time

from flask import Response, request
from limits import RateLimitItem, RateLimitItemPerHour

from blogsvc import context
from blogsvc.auth.rate_limits import rate_limits
from blogsvc.lib.rate_limit_storage import RequestsPerMinute
from blogsvc.web.error_pages import failure
from blogsvc.web.routes import blueprint

log = logging.getLogger(__name__)

# Three of a million codes are valid at any time. At this rate, guessing one takes more than a year on average.
CODES_AN_HOUR = RateLimitItemPerHour(30, namespace="blogsvc")
ASKED_ONCE = RateLimitItemPerHour(1, namespace="blogsvc")


class TooManyAttempts(Exception):
    """Raised when a limit is exceeded. `wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


@blueprint.errorhandler(TooManyAttempts)
def _too_often(error: TooManyAttempts) -> Response:
    wait = f"{error.wait} seconds" if error.wait < 120 else f"{ceil(error.wait / 60)} minutes"
    response = failure(429, f"Too many attempts. Try again in {wait}.")
    response.headers["Retry-After"] = str(error.wait)
    return response


def count(account: str = "") -> None:
    """Count a sign-in attempt for the account and the IP address. Raises TooManyAttempts.

    Successful attempts and unknown accounts count too, so the limit reveals nothing about either.
    """
    limit = RequestsPerMinute(context.tools().config.sign_ins_per_minute)
    _hit(limit, "sign-in-from", _network(request.remote_addr))
    if account:
        _hit(limit, "sign-in-as", sha256(account.strip().lower().encode()).hexdigest())


def count_code(person_id: str) -> None:
    """Count an attempt to enter a two-factor code. Codes are short, so a lower limit per hour applies as well."""
    count(person_id)
    _hit(CODES_AN_HOUR, "code-of", person_id)


def is_first(challenge: str) -> bool:
    """Return True if this challenge has not been used within the last hour, to prevent replay."""
    return rate_limits().hit(ASKED_ONCE, "challenge", sha256(challenge.encode()).hexdigest())


def _hit(limit: RateLimitItem, what: str, who: str) -> None:
    """Count an attempt. Raises TooManyAttempts if that exceeds the limit."""
    if rate_limits().hit(limit, what, who):
        return
    wait = max(1, ceil(rate_limits().get_window_stats(limit, what, who).reset_time - time()))
    log.warning("too many tries to sign in (%s) from %s", what, request.remote_addr)
    raise TooManyAttempts(wait)


def _network(address: str | None) -> str:
    """Return the IPv4 address, or the /64 network for IPv6, since one client can use all addresses in it."""
    try:
        known = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
