"""What a platform's answer means: each failure sorted into an error, each notation of "wait" into seconds.

Pure: no network and no clock. Where a platform names a moment, its own Date header says what is now.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from blogsvc.connectors._kit.untrusted_json import as_object, at
from blogsvc.connectors.errors import (
    Conflict,
    ConnectorError,
    Disconnected,
    Gone,
    Misconfigured,
    RateLimited,
    Rejected,
    Unavailable,
    Uncertain,
)
from blogsvc.lib.net.http import AddressRefused, HttpError, HttpResponse, ResponseLost

ALLOW_PRIVATE = "BLOGSVC_ALLOW_PRIVATE_ADDRESSES"
SAID_MOST = 200  # characters of a platform's own words
EPOCH_LEAST = 1_000_000_000  # a reset below this counts seconds from now, above it since 1970


@dataclass(frozen=True)
class Call:
    """What was asked of whom, as far as the meaning of the answer depends on it."""

    label: str
    method: str = "POST"
    safe: bool | None = None

    @property
    def is_safe(self) -> bool:
        """Whether it may be sent again: as declared, else as HTTP says of the method."""
        return self.method in ("GET", "HEAD", "PUT", "DELETE") if self.safe is None else self.safe


def fault(answer: HttpResponse, call: Call, wait: float | None, secrets: Iterable[str] = ()) -> ConnectorError:
    """The error that an answer other than 2xx stands for."""
    status, label, words = answer.status, call.label, said(answer, secrets)
    if status == 429:
        return RateLimited(f"{label} asks us to slow down.", wait)
    if status >= 500 or status in (408, 425):
        return unfinished(call, f"{label} has a problem of its own (HTTP {status}).{words}", wait)
    if status in (401, 403):
        return Disconnected(f"{label} does not accept the credentials: reconnect the account.{words}")
    if status in (404, 410):
        return Gone(f"{label} has nothing at this address any more (HTTP {status}).{words}")
    if status == 409:
        return Conflict(f"It was changed on {label} in the meantime: look at it there, then try again.{words}")
    if status < 400:
        return Misconfigured(f"{label} has moved: give its new address in the settings (HTTP {status}).")
    if status in (402, 405, 406, 426):
        return Misconfigured(f"{label} does not offer this here: check address and plan (HTTP {status}).{words}")
    return Rejected(f"{label} did not take it (HTTP {status}): change it and try again.{words}")


def unfinished(call: Call, message: str, wait: float | None = None) -> ConnectorError:
    """The error of a request that may or may not have been done."""
    if call.is_safe:
        return Unavailable(message, wait)
    return Uncertain(f"{message} It is not known whether it was done: look there before sending it again.")


def lost(call: Call, error: HttpError) -> ConnectorError:
    """The error of a request that got no answer."""
    if isinstance(error, ResponseLost):
        return unfinished(call, f"{call.label}: {error}")
    if not isinstance(error, AddressRefused):
        return Unavailable(f"{call.label}: {error}")
    advice = f" If it is in your own network, set {ALLOW_PRIVATE}." if error.is_private else ""
    return Misconfigured(f"{call.label}: {error}{advice}")


def demand(answer: HttpResponse, call: Call, need: str | None = None) -> None:
    """Raise unless a 2xx is JSON, or empty, and has what is needed: a maintenance page answers 200 too."""
    value = None if answer.status in (204, 205) else _data(answer, call)
    if need is not None and at(value, need) in (None, ""):
        raise unfinished(call, f"{call.label} answered without saying what it made.")


def _data(answer: HttpResponse, call: Call) -> Any:
    if answer.media_type != "application/json" and not answer.media_type.endswith("+json"):
        raise Misconfigured(f"{call.label} answered with a page, not with data: check the address.")
    try:
        return answer.json()
    except ValueError:
        raise unfinished(call, f"{call.label} answered with something that cannot be read.") from None


def said(answer: HttpResponse, secrets: Iterable[str] = ()) -> str:
    """The platform's own words for a failure, short and without our secrets; "" where it has none."""
    body = as_object(answer)
    found = next(filter(None, (_words(body.get(key)) for key in SAID_IN)), "")
    for secret in secrets:
        found = found.replace(secret, "•••")
    found = " ".join(found.split())
    return f" It said: {found[:SAID_MOST]}" if found else ""


SAID_IN = ("error_description", "message", "error", "detail", "description", "errors", "title")


def _words(value: Any) -> str:
    """Text, or the text in a list or an object of faults, as platforms nest it."""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_words, value[:5])))
    if isinstance(value, dict):
        return next(filter(None, (_words(value.get(key)) for key in SAID_IN)), "")
    return value if isinstance(value, str) else ""


def retry_after(answer: HttpResponse) -> float | None:
    """Seconds to wait, from 0 up; None where the platform names none or names it without a clock.

    Known: Retry-After in seconds or as a date; in the body Discord's and Telegram's `retry_after` and
    Matrix' `retry_after_ms`; resets as seconds from now, as seconds since 1970, as ISO time (Mastodon).
    """
    for read in (_retry_after_header, _in_body, _reset_header):
        if (seconds := read(answer)) is not None and math.isfinite(seconds):
            return max(0.0, seconds)
    return None


def _retry_after_header(answer: HttpResponse) -> float | None:
    value = answer.headers.get("retry-after", "")
    return _number(value) if _number(value) is not None else _until(answer, _date(value))


def _in_body(answer: HttpResponse) -> float | None:
    body = as_object(answer)
    if (milliseconds := _number(body.get("retry_after_ms"))) is not None:
        return milliseconds / 1000
    return _number(at(body, "retry_after") or at(body, "parameters.retry_after"))


def _reset_header(answer: HttpResponse) -> float | None:
    if (seconds := _number(answer.headers.get("x-ratelimit-reset-after"))) is not None:
        return seconds
    for name in ("x-ratelimit-reset", "x-rate-limit-reset", "ratelimit-reset"):
        value = answer.headers.get(name, "")
        number = _number(value)
        if number is not None and number < EPOCH_LEAST:
            return number
        moment = _iso(value) if number is None else datetime.fromtimestamp(min(number, 2**33), UTC)
        if moment is not None:
            return _until(answer, moment)
    return None


def _until(answer: HttpResponse, moment: datetime | None) -> float | None:
    now = _date(answer.headers.get("date", ""))
    return (moment - now).total_seconds() if moment and now else None


def _date(value: str) -> datetime | None:
    with suppress(ValueError, TypeError):
        return _aware(parsedate_to_datetime(value))
    return None


def _iso(value: str) -> datetime | None:
    with suppress(ValueError):
        return _aware(datetime.fromisoformat(value))
    return None


def _aware(moment: datetime) -> datetime:
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(value: Any) -> float | None:
    """A number, also as text; no `nan`, no `1_000`."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"\s*\d{1,15}(\.\d{1,9})?\s*", value):
        return float(value)
    return None
