"""The errors that this library raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._retries import retry_after
from .types.responses import Post, ProblemError


class BlogsvcError(Exception):
    """The base class of all errors of this library."""

    idempotency_key: str | None = None
    """The idempotency key of the request, if it had one. The same request with this key is carried out only once."""


class ConfigurationError(BlogsvcError, ValueError):
    """An option or argument is missing or invalid. No request was sent.

    For example: no API key, no URL, plain HTTP, or a datetime without a UTC offset.
    """


class APIConnectionError(BlogsvcError):
    """There was no response. The server may or may not have carried out the request."""


class RequestTimeoutError(APIConnectionError):
    """There was no response within the timeout."""


class APIError(BlogsvcError):
    """The API returned an error, or a response that cannot be decoded.

    `problem` is the whole problem document (RFC 9457).
    """

    def __init__(self, status: int, headers: Mapping[str, str], problem: Mapping[str, Any]) -> None:
        # Passed as arguments, so that the error can be copied and pickled.
        super().__init__(status, headers, problem)
        self.status = status
        self.headers = headers
        self.problem = problem

    @property
    def type(self) -> str | None:
        """The URL of the page that documents this problem type."""
        return _string(self.problem.get("type"))

    @property
    def slug(self) -> str | None:
        """The last part of `type`, which identifies the problem type, for example `state-conflict`."""
        return self.type.rpartition("/")[2] if self.type and "/" in self.type else None

    @property
    def title(self) -> str | None:
        """A short summary of the problem type."""
        return _string(self.problem.get("title"))

    @property
    def detail(self) -> str | None:
        """What went wrong with this request, and how to fix it."""
        return _string(self.problem.get("detail"))

    @property
    def errors(self) -> list[ProblemError]:
        """The problem of each invalid field."""
        errors = self.problem.get("errors")
        return [ProblemError(one) for one in errors if isinstance(one, dict)] if isinstance(errors, list) else []

    @property
    def request_id(self) -> str | None:
        """The id of the request in the server's log."""
        return self.headers.get("x-request-id") or _string(self.problem.get("instance"))

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait before a retry, if the server sent them."""
        return retry_after(self.headers)

    def __str__(self) -> str:
        # The detail only summarizes the field errors, so it is left out if there are any.
        messages = [f"{one.pointer or one.parameter}: {one.detail}" for one in self.errors]
        messages = messages or [self.detail or self.title or "The request failed."]
        slug = f" {self.slug}" if self.slug else ""
        request_id = f", request {self.request_id}" if self.request_id else ""
        return " ".join([*messages, f"({self.status}{slug}{request_id})"])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"


class BadRequestError(APIError):
    """400: the server could not parse the request."""


class AuthenticationError(APIError):
    """401: the key is missing, unknown, expired or revoked."""


class PermissionDeniedError(APIError):
    """403: the key lacks the required scope."""


class NotFoundError(APIError):
    """404: the resource does not exist, or no longer exists."""


class ConflictError(APIError):
    """409: the state of the resource does not allow the operation."""

    @property
    def state(self) -> str | None:
        """The current state of the resource."""
        return _string(self.problem.get("state"))

    @property
    def allowed(self) -> list[str] | None:
        """The transitions that the current state allows."""
        allowed = self.problem.get("allowed")
        return list(allowed) if isinstance(allowed, list) else None


class PreconditionFailedError(APIError):
    """412: the resource has changed since `if_match`."""


class InvalidError(APIError):
    """422: the request is invalid. `errors` lists every problem."""


class RateLimitError(APIError):
    """429: too many requests."""

    @property
    def tier(self) -> str | None:
        """The exceeded limit: `read`, `write` or `publish`."""
        return _string(self.problem.get("tier"))

    @property
    def limit(self) -> int | None:
        """The limit in requests per minute."""
        limit = self.problem.get("limit")
        return limit if isinstance(limit, int) else None


class ServerError(APIError):
    """500 and above: the server, or a platform that it called, failed."""


class WaitTimeoutError(BlogsvcError):
    """The post has not finished publishing in time. `post` is its last known state."""

    def __init__(self, post: Post, timeout: float) -> None:
        super().__init__(post, timeout)
        self.post = post
        self.timeout = timeout

    def __str__(self) -> str:
        return (
            f"Post {self.post['id']} has not finished within {self.timeout:g} s. Its status is {self.post['status']}."
        )


class WebhookSignatureError(BlogsvcError):
    """The signature of a webhook message is invalid, or its timestamp is outside the tolerance."""


ERRORS_BY_STATUS: Mapping[int, type[APIError]] = {
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
    """Return the error for an HTTP status."""
    kind = ERRORS_BY_STATUS.get(status, ServerError if status >= 500 else APIError)
    return kind(status, headers, problem)


def _string(value: object) -> str | None:
    return value if isinstance(value, str) else None
