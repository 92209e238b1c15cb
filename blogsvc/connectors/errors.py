"""What can go wrong between us and a platform, sorted by what is to be done about it."""

from __future__ import annotations

from typing import ClassVar

from blogsvc.connectors.types import Receipt


class ConnectorError(Exception):
    """Something between us and a platform.

    The message is shown to the author: it is free of secrets and says what to do. `code` is the
    word that programs act on; `field`, the setting that is at fault, where the connector knows.

    ConnectorError
      Rejected          the author must change something        (400, 413, 422, a size we know)
      Disconnected      reconnect the account; its lane pauses  (401, some 400 and 403)
      Misconfigured     wrong address, moved, plan required     (3xx on a write, HTML instead of JSON)
      Gone              the copy is not there                   (404, 410: on delete that is success)
      Duplicate         it is there already: adopt it           (uniqueness rules)
      Conflict          it was changed there                    (409, stale version)
      Unavailable       never sent, or safe to repeat: later    (refused, DNS, 502-504 where safe)
        RateLimited     later, at retry_after
      Uncertain         sent, outcome unknown: find first       (timeout, reset, 5xx on an unsafe create)
      Unsupported       cannot be done there; recorded, no error of the post
    """

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field


class Rejected(ConnectorError):
    code = "rejected"


class Disconnected(ConnectorError):
    code = "disconnected"


class Misconfigured(ConnectorError):
    code = "misconfigured"


class Gone(ConnectorError):
    code = "gone"


class Duplicate(ConnectorError):
    """`receipt` is the copy that is there, where the platform names it."""

    code = "duplicate"

    def __init__(self, message: str, receipt: Receipt | None = None) -> None:
        super().__init__(message)
        self.receipt = receipt


class Conflict(ConnectorError):
    code = "conflict"


class Unavailable(ConnectorError):
    """`retry_after` is in seconds, where the platform named a time."""

    code = "unavailable"

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RateLimited(Unavailable):
    code = "rate_limited"


class Uncertain(ConnectorError):
    code = "uncertain"


class Unsupported(ConnectorError):
    code = "unsupported"
