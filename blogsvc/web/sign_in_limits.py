"""How often somebody may try: guesses are counted for each account and each address, before they are looked at."""

from __future__ import annotations

import ipaddress
import logging
from hashlib import sha256
from math import ceil
from time import time

from flask import Response, current_app, request
from limits import RateLimitItem, RateLimitItemPerHour
from limits.errors import StorageError
from limits.strategies import RateLimiter

from blogsvc import context
from blogsvc.lib.rate_limit_storage import RequestsPerMinute
from blogsvc.web.error_pages import failure
from blogsvc.web.routes import blueprint

log = logging.getLogger(__name__)

# Of six digits three are good at any time: who has the password guesses them in a lifetime, not in a night.
CODES_AN_HOUR = RateLimitItemPerHour(30, namespace="blogsvc")
ASKED_ONCE = RateLimitItemPerHour(1, namespace="blogsvc")


class TooManyAttempts(Exception):
    """`wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


@blueprint.errorhandler(TooManyAttempts)
def _too_often(error: TooManyAttempts) -> Response:
    text = f"Too many attempts. Try again in {_in_words(error.wait)}."
    response = failure(429, text)
    response.headers["Retry-After"] = str(error.wait)
    return response


def _in_words(seconds: int) -> str:
    minutes = ceil(seconds / 60)
    return f"{seconds} seconds" if seconds < 120 else f"{minutes} minutes"


def count(account: str = "") -> None:
    """Count a try to be let in, of this account and from where it comes. Raises TooOften for one too many.

    Counted whether it succeeds, and whether there is such an account: so the answer tells nothing of either.
    """
    limit = RequestsPerMinute(context.tools().config.sign_ins_per_minute)
    _hit(limit, "sign-in-from", _network(request.remote_addr))
    if account:
        _hit(limit, "sign-in-as", sha256(account.strip().lower().encode()).hexdigest())


def count_code(person_id: str) -> None:
    """The same of a one-time code, which is short: of these only so many an hour."""
    count(person_id)
    _hit(CODES_AN_HOUR, "code-of", person_id)


def is_first(challenge: str) -> bool:
    """Whether this was not answered before within the hour: an answer that was overheard is good for nothing."""
    try:
        return _rates().hit(ASKED_ONCE, "challenge", sha256(challenge.encode()).hexdigest())
    except StorageError:
        log.exception("used challenges cannot be remembered")
        return True


def _hit(limit: RateLimitItem, what: str, who: str) -> None:
    """A storage that is down lets people in: they have their password to show yet."""
    try:
        if _rates().hit(limit, what, who):
            return
        wait = max(1, ceil(_rates().get_window_stats(limit, what, who).reset_time - time()))
    except StorageError:
        log.exception("tries to sign in cannot be counted")
        return
    log.warning("too many tries to sign in (%s) from %s", what, request.remote_addr)
    raise TooManyAttempts(wait)


def _rates() -> RateLimiter:
    counted: RateLimiter = current_app.extensions["rates"]
    return counted


def _network(address: str | None) -> str:
    """Where somebody is: of IPv6 each has a whole network, and could come from another address each time."""
    try:
        known = ipaddress.ip_address(address or "")
    except ValueError:
        return "unknown"
    return str(ipaddress.ip_network((known, 64), strict=False)) if known.version == 6 else str(known)
