"""The errors of connectors, by what to do about them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from blogsvc.lib.text.length import Unit


class ConnectorError(Exception):
    """An error between us and a platform.

    The message is shown to the author. It contains no secrets and says what to do. `code` is for programs.
    `field` is the setting that caused the error, if known.

    ConnectorError
      Rejected          the author must change something        (400, 413, 422, a known limit)
        TextTooLong     the text written for this destination
      Disconnected      reconnect the account; its lane pauses  (401, some 400 and 403)
        CredentialsRejected  the platform does not know them    (401)
        OriginChanged   the secret was given for another origin (nothing was sent)
      Misconfigured     wrong address, moved; verified again    (301 on a write, HTML on a read)
      Gone              the copy does not exist                 (404, 410: on delete that is success)
      Duplicate         it already exists: find it after doubt  (uniqueness rules)
      Conflict          it was changed on the platform          (409, stale version)
      Unavailable       not sent, or safe to repeat: later      (502-504 if safe)
        Unreachable     nothing was sent                        (refused, DNS, no certificate)
        RateLimited     maybe sent: find or repeat, later       (429; at retry_after)
      Uncertain         sent, outcome unknown: find first       (reset, 5xx or HTML on an unsafe create)
        Unanswered      it may still arrive: find, later again  (timeout, 504, 524 on an unsafe create)
        UnusableId      sent, and a person must check           (an id that is too long)
      Broken            a fault of the connector, logged        (any other exception while composing)
      Unsupported       not possible there; recorded, not an error of the post
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Rejected(ConnectorError):
    code = "rejected"


class TextTooLong(Rejected):
    """The text that the author wrote for this destination is too long, by `over` in this unit."""

    def __init__(self, message: str, over: int, unit: Unit) -> None:
        super().__init__(message)
        self.over, self.unit = over, unit


class Disconnected(ConnectorError):
    code = "disconnected"


class CredentialsRejected(Disconnected):
    """The platform rejected the credentials. `words` are those of the platform."""

    def __init__(self, label: str, words: str = "", *, what: str = "credentials", field: str | None = None) -> None:
        super().__init__(f"{label} rejected the {what}. Reconnect the account.{words}", field=field)
        self.words = words


class OriginChanged(Disconnected):
    """The address leads to another origin than those that the secret was given for."""

    code = "origin_changed"

    def __init__(self, label: str, origin: str, allowed: Iterable[str]) -> None:
        self.origin = origin
        given_for = " and ".join(allowed) or "no server"
        super().__init__(
            f"The {label} credentials were entered for {given_for}, but would be sent to {origin}. "
            "If that is right, reconnect the account and enter them again."
        )


class Misconfigured(ConnectorError):
    code = "misconfigured"


class Gone(ConnectorError):
    code = "gone"


class Duplicate(ConnectorError):
    """The platform already has the same post. It may be the copy, or a post that somebody else wrote."""

    code = "duplicate"


class Conflict(ConnectorError):
    code = "conflict"


class Unavailable(ConnectorError):
    """Try again later. `retry_after` is in seconds, None if the platform does not name a time.

    `can_be_late` says that a change got no answer in time: the platform, or a proxy before it, may execute it later.
    """

    code = "unavailable"

    def __init__(self, message: str, retry_after: float | None = None, *, can_be_late: bool = False) -> None:
        super().__init__(message)
        self.retry_after, self.can_be_late = retry_after, can_be_late


class Unreachable(Unavailable):
    """No server answered at this `host`: unknown, refused, no connection in time, invalid certificate."""

    code = "unreachable"

    def __init__(self, message: str, host: str = "") -> None:
        super().__init__(message)
        self.host = host


class RateLimited(Unavailable):
    code = "rate_limited"


class Uncertain(ConnectorError):
    code = "uncertain"


class Unanswered(Uncertain):
    """No answer in time: the platform, or a proxy before it, may execute the request later."""


class UnusableId(Uncertain):
    """The platform named a copy with an id that can't be stored. Another request would get the same answer."""


class Broken(ConnectorError):
    """The connector itself failed before anything was sent."""

    code = "internal"


class Unsupported(ConnectorError):
    code = "unsupported"
