"""Limits on attempts to sign in, which no attacker can turn against the user.

Attempts from unknown browsers count for the account and for the network. Those of a known browser count for that
browser alone, so attempts from elsewhere never block it, and a correct passkey is never refused. Attempts are counted
before the credentials are checked, so that attempts at the same time can't exceed a limit. Attempts for unknown
accounts count too, so the limits don't reveal which accounts exist.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from math import ceil

from flask import request
from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute

from blogsvc import context
from blogsvc.auth.attempt_counters import attempts, network_of
from blogsvc.errors import Busy
from blogsvc.models import User, transaction
from blogsvc.web.framework import known_browsers

log = logging.getLogger(__name__)

# Failures an hour and a day, as multiples of the attempts a minute. So the wait grows from a minute to a day.
FAILURES_AN_HOUR, FAILURES_A_DAY = 4, 20
# Wrong codes an hour, from all unknown browsers together and from each known browser. Three of a million codes are
# valid at any time, so guessing one takes 22,000 hours (2.5 years) on average; with a stolen known browser as well,
# half of that: more than a year. Codes are counted here wherever they are entered.
CODES_AN_HOUR = RateLimitItemPerHour(15, namespace="blogsvc")
ASKED_ONCE = RateLimitItemPerHour(1, namespace="blogsvc")

# What an attempt counts for: a kind and an id.
Counter = tuple[str, str]


class TooManyAttempts(Exception):
    """Raised when a limit is exceeded. `wait` is in seconds."""

    def __init__(self, wait: int) -> None:
        super().__init__(wait)
        self.wait = wait


@contextmanager
def password_attempt(email: str) -> Iterator[None]:
    """Count the attempt to enter a password; if the block succeeds, not as a failure. Raises TooManyAttempts."""
    with _attempt(_counters_of_password(email), _failure_limits()):
        yield


@contextmanager
def code_attempt(user: User) -> Iterator[None]:
    """Count the attempt to enter a two-factor code; if the block succeeds, not as a failure. Raises TooManyAttempts."""
    with _attempt(_counters("code", user, user.id), [CODES_AN_HOUR]):
        yield


def count_failed_passkey() -> None:
    """Count a passkey that was refused. A correct one is not counted. Raises TooManyAttempts."""
    _count_all([(_network_counter(), _per_minute())])


def is_first(challenge: str) -> bool:
    """Return True if this challenge has not been used within the last hour, which is longer than it lasts."""
    return attempts().hit(ASKED_ONCE, "challenge", sha256(challenge.encode()).hexdigest())


def _counters_of_password(email: str) -> list[Counter]:
    """Return the counters of an account, which may not exist."""
    account = sha256(email.strip().lower().encode()).hexdigest()
    return _counters("sign-in", User.by_email(email) if known_browsers.is_any() else None, account)


def _counters(kind: str, user: User | None, account: str) -> list[Counter]:
    browser = known_browsers.id_for(user) if user is not None else None
    return [(f"{kind}-in", browser)] if browser else [_network_counter(), (f"{kind}-as", account)]


@contextmanager
def _attempt(counters: list[Counter], failures: list[RateLimitItem]) -> Iterator[None]:
    """Count an attempt. If the block succeeds, it was no failure."""
    failed = [(counter, limit) for limit in failures for counter in counters]
    _count_all([*((counter, _per_minute()) for counter in counters), *failed])
    yield
    with suppress(Busy), transaction():  # what succeeded is not undone because it stays counted
        for counter, limit in failed:
            attempts().hit(limit, *counter, cost=-1)


def _count_all(counted: list[tuple[Counter, RateLimitItem]]) -> None:
    """Count an attempt in one transaction, up to the first limit that is exceeded. Raises TooManyAttempts then."""
    with transaction():
        exceeded = next((each for each in counted if not attempts().hit(each[1], *each[0])), None)
    if exceeded is None:
        return
    counter, limit = exceeded
    ends_at = attempts().get_window_stats(limit, *counter).reset_time
    log.warning("too many attempts to sign in (%s) from %s", counter[0], request.remote_addr)
    raise TooManyAttempts(max(1, ceil(ends_at - context.now().timestamp())))


def _per_minute() -> RateLimitItem:
    return RateLimitItemPerMinute(context.tools().config.sign_ins_per_minute, namespace="blogsvc")


def _failure_limits() -> list[RateLimitItem]:
    attempts = context.tools().config.sign_ins_per_minute
    return [
        RateLimitItemPerHour(attempts * FAILURES_AN_HOUR, namespace="blogsvc"),
        RateLimitItemPerDay(attempts * FAILURES_A_DAY, namespace="blogsvc"),
    ]


def _network_counter() -> Counter:
    """Return the counter of the network that the request comes from."""
    return ("sign-in-from", network_of(request.remote_addr))
