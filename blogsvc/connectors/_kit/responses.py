"""Convert platform responses to errors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from blogsvc import config
from blogsvc.connectors._kit.untrusted_json import as_object, at
from blogsvc.connectors.errors import (
    Conflict,
    ConnectorError,
    CredentialsRejected,
    Disconnected,
    Gone,
    Misconfigured,
    RateLimited,
    Rejected,
    Unanswered,
    Unavailable,
    Uncertain,
    Unreachable,
)
from blogsvc.lib.net.http import (
    AddressRefused,
    HttpError,
    HttpResponse,
    NoServer,
    ResponseLost,
    ResponseTimedOut,
    Unsendable,
)

MAX_QUOTED_LENGTH = 200  # characters of the platform's own message
# A proxy did not wait for the platform, which may still execute the request. 524 is that of Cloudflare.
PROXY_TIMED_OUT = (504, 524)
MOVED = (301, 307, 308)  # the request was not executed; other redirects may follow one that was


@dataclass(frozen=True)
class Call:
    """The properties of a request that determine the meaning of its response."""

    label: str
    method: str = "POST"
    safe: bool | None = None

    @property
    def is_read(self) -> bool:
        return self.method in ("GET", "HEAD")

    @property
    def is_safe(self) -> bool:
        """Return True if the request can be repeated: as declared, else depending on the method."""
        return self.method in ("GET", "HEAD", "PUT", "DELETE") if self.safe is None else self.safe


def fault(answer: HttpResponse, call: Call, wait: float | None, secrets: Iterable[str] = ()) -> ConnectorError:
    """Return the error for a response other than 2xx."""
    status, label, words = answer.status, call.label, platform_message(answer, secrets)
    if status == 429:
        return RateLimited(f"{label} rate limit reached.", wait)
    if status >= 500 or status in (408, 425):
        return unfinished(call, f"{label} had a server error (HTTP {status}).{words}", wait, status in PROXY_TIMED_OUT)
    if status == 401:
        return CredentialsRejected(label, words)
    if status == 403:
        return Disconnected(f"{label} rejected the credentials. Reconnect the account.{words}")
    if status in (404, 410):
        return Gone(f"{label} found nothing at this URL (HTTP {status}).{words}")
    if status == 409:
        return Conflict(f"The copy was changed on {label}. Review it there, then retry.{words}")
    if status < 400 and not call.is_read and status not in MOVED:
        return unfinished(call, f"{label} redirected the request (HTTP {status}).", wait)
    if status < 400:
        return Misconfigured(f"{label} has moved (HTTP {status}). Enter its new URL in the connection settings.")
    if status in (402, 405, 406, 426):
        return Misconfigured(
            f"{label} doesn't support this request (HTTP {status}). Check the URL and your plan.{words}"
        )
    return Rejected(f"{label} rejected the request (HTTP {status}). Change the post and retry.{words}")


def unfinished(call: Call, message: str, wait: float | None = None, can_be_late: bool = False) -> ConnectorError:
    """Return the error for a request that may have been executed, or may be executed later."""
    if call.is_safe:
        return Unavailable(message, wait, can_be_late=can_be_late and not call.is_read)
    kind = Unanswered if can_be_late else Uncertain
    return kind(f"{message} The request may have succeeded. Check {call.label} before you send it again.")


def lost(call: Call, error: HttpError) -> ConnectorError:
    """Return the error for a request without a response."""
    if isinstance(error, ResponseLost):
        return unfinished(call, f"{call.label}: {error}", can_be_late=isinstance(error, ResponseTimedOut))
    message = f"{call.label}: {error}"
    match error:
        case NoServer():
            return Unreachable(message, error.host)
        case AddressRefused(is_private=True):
            return Misconfigured(f"{message} To allow addresses in your own network, set {config.ALLOW_PRIVATE}.")
        case AddressRefused():
            return Misconfigured(message)
        case Unsendable():
            return Disconnected(message)  # a credential: addresses are checked before
    return Unavailable(message)


def require_accepted(answer: HttpResponse, call: Call, need: str | None = None) -> None:
    """Raise unless a 2xx response is JSON with the needed key, or empty. Maintenance pages return 200, too.

    A write with another response may have been executed: plugins and firewalls replace responses.
    """
    value = None if answer.status in (204, 205) else _json_of(answer, call)
    if need is not None and at(value, need) in (None, ""):
        raise unfinished(call, f"The response from {call.label} doesn't include the id of the copy.")


def require_no_page(answer: HttpResponse, call: Call) -> None:
    """Raise if a 2xx response to a write is a web page, for platforms that return no JSON."""
    if answer.media_type == "text/html" and answer.body:
        raise unfinished(call, f"{call.label} returned a web page.")


def _json_of(answer: HttpResponse, call: Call) -> Any:
    if answer.media_type != "application/json" and not answer.media_type.endswith("+json"):
        detail = f"{call.label} returned a web page instead of JSON."
        raise Misconfigured(f"{detail} Check the URL.") if call.is_read else unfinished(call, detail)
    try:
        return answer.json()
    except ValueError:
        raise unfinished(call, f"{call.label} returned an invalid response.") from None


def platform_message(answer: HttpResponse, secrets: Iterable[str] = ()) -> str:
    """Return the platform's error message, shortened and without our secrets; "" if it has none."""
    body = as_object(answer)
    message = next(filter(None, (_words(body.get(key)) for key in MESSAGE_FIELDS)), "")
    for secret in secrets:
        message = message.replace(secret, "•••")
    message = " ".join(message.split())
    return f" Response: {message[:MAX_QUOTED_LENGTH]}" if message else ""


MESSAGE_FIELDS = ("error_description", "message", "error", "detail", "description", "errors", "title")


def _words(value: Any) -> str:
    """Return the text of an error message, which platforms nest in lists and objects."""
    if isinstance(value, list):
        return "; ".join(filter(None, map(_words, value[:5])))
    if isinstance(value, dict):
        return next(filter(None, (_words(value.get(key)) for key in MESSAGE_FIELDS)), "")
    return value if isinstance(value, str) else ""
