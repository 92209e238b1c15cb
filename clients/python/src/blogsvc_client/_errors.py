"""Everything that can go wrong, by what a program would do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._retries import retry_after
from .types.answers import Post, ProblemError


class BlogsvcError(Exception):
    """Every error of this library."""


class ConfigurationError(BlogsvcError, ValueError):
    """Nothing was sent: no key, no address, plain HTTP, a time without an offset, a value that cannot be written."""


class APIConnectionError(BlogsvcError):
    """No answer came. Whether the request was carried out is not known."""


class RequestTimeoutError(APIConnectionError):
    """No answer came in time."""


class APIError(BlogsvcError):
    """The API refused, or did not answer as it does. `problem` is all that it said (RFC 9457)."""

    def __init__(self, status: int, headers: Mapping[str, str], problem: Mapping[str, Any]) -> None:
        # As arguments, so that it can be copied and pickled.
        super().__init__(status, headers, problem)
        self.status = status
        self.headers = headers
        self.problem = problem

    @property
    def type(self) -> str | None:
        """The address of the page that explains it."""
        return _text(self.problem.get("type"))

    @property
    def slug(self) -> str | None:
        """The end of `type`, by which a program tells what happened: `state-conflict`."""
        return self.type.rpartition("/")[2] if self.type and "/" in self.type else None

    @property
    def title(self) -> str | None:
        """What happened, in a few words."""
        return _text(self.problem.get("title"))

    @property
    def detail(self) -> str | None:
        """What happened here, and what to do."""
        return _text(self.problem.get("detail"))

    @property
    def errors(self) -> list[ProblemError]:
        """What is wrong with each field."""
        errors = self.problem.get("errors")
        return [ProblemError(one) for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []

    @property
    def request_id(self) -> str | None:
        """By this the server's log knows the request."""
        return self.headers.get("x-request-id") or _text(self.problem.get("instance"))

    @property
    def retry_after(self) -> float | None:
        """In how many seconds it may be asked again, where the server says so."""
        return retry_after(self.headers)

    def __str__(self) -> str:
        faults = [f"{one.pointer or one.parameter}: {one.detail}" for one in self.errors]
        asked = f", request {self.request_id}" if self.request_id else ""
        slug = f" {self.slug}" if self.slug else ""
        # Where there are faults, the detail is what they say.
        said = faults or [self.detail or self.title or "The API says no."]
        return " ".join([*said, f"({self.status}{slug}{asked})"])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class BadRequestError(APIError):
    """400: it could not be read."""


class AuthenticationError(APIError):
    """401: the key is missing, unknown, expired or revoked."""


class PermissionDeniedError(APIError):
    """403: the key may not do this."""


class NotFoundError(APIError):
    """404: there is no such thing, or not any more."""


class ConflictError(APIError):
    """409: its state does not allow this."""

    @property
    def state(self) -> str | None:
        """Where it stands."""
        return _text(self.problem.get("state"))

    @property
    def allowed(self) -> list[str] | None:
        """What may be done with it as it stands."""
        allowed = self.problem.get("allowed")
        return list(allowed) if isinstance(allowed, list) else None


class PreconditionFailedError(APIError):
    """412: it was changed meanwhile."""


class InvalidError(APIError):
    """422: `errors` says what must be changed."""


class RateLimitError(APIError):
    """429: too many requests."""

    @property
    def tier(self) -> str | None:
        """Which limit it is: `read`, `write` or `publish`."""
        return _text(self.problem.get("tier"))

    @property
    def limit(self) -> int | None:
        """So many requests a minute."""
        limit = self.problem.get("limit")
        return limit if isinstance(limit, int) else None


class ServerError(APIError):
    """500 and above: the server, or a platform behind it, failed."""


class WaitTimeoutError(BlogsvcError):
    """The post has not settled in time. `post` is how it stood last."""

    def __init__(self, post: Post, timeout: float) -> None:
        super().__init__(post, timeout)
        self.post = post
        self.timeout = timeout

    def __str__(self) -> str:
        return f"The post {self.post['id']} has not settled within {self.timeout:g} s; it is {self.post['status']}."


class WebhookSignatureError(BlogsvcError):
    """The message is not genuine, or too old."""


BY_STATUS: Mapping[int, type[APIError]] = {
    400: BadRequestError,
    401: AuthenticationError,
    403: PermissionDeniedError,
    404: NotFoundError,
    409: ConflictError,
    412: PreconditionFailedError,
    422: InvalidError,
    429: RateLimitError,
}


def api_error(status: int, headers: Mapping[str, str], problem: Mapping[str, Any]) -> APIError:
    """The error of the class that goes with its status."""
    kind = BY_STATUS.get(status, ServerError if status >= 500 else APIError)
    return kind(status, headers, problem)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
