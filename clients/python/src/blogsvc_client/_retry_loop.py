"""The retry loop of one request: builds each attempt and decides what happens next. Performs no I/O.

loop = RetryLoop(options, request)
while True:
    try:
        response = http.send(loop.next_attempt())
    except httpx2.RequestError as error:
        delay = loop.on_error(error)
    else:
        delay = loop.on_response(response)
        if delay is None:
            return loop.decode(response)
    time.sleep(delay)
"""

from __future__ import annotations

import json
import platform
import sys
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import httpx2

from . import _encode
from ._errors import APIConnectionError, APIError, BlogsvcError, RequestTimeoutError, api_error
from ._logging import LogEntry, log_attempt
from ._multipart import encode_form
from ._options import PREFIX, Options
from ._record import Record, Response
from ._request import Request
from ._retries import backoff, is_gateway_error, is_retryable, retry_after
from ._version import __version__

USER_AGENT = f"blogsvc-python/{__version__} (Python {platform.python_version()})"
# Seconds. The server sends a comment every 15 s, so a stream that is silent for longer is broken.
STREAM_READ_TIMEOUT = 45.0
# Errors that occur before the request is sent.
UNSENT_ERRORS = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

R = TypeVar("R", bound=Record)
E = TypeVar("E", bound=BlogsvcError)


@dataclass(frozen=True)
class DecodedResponse:
    """The JSON object of a response and its metadata. `document` is None for an empty response."""

    document: Mapping[str, Any] | None
    response: Response
    idempotency_key: str | None

    def optional_record(self, kind: type[R]) -> R | None:
        return None if self.document is None else kind(self.document, self.response)

    def record(self, kind: type[R]) -> R:
        return kind(self.required_document, self.response)

    @property
    def required_document(self) -> Mapping[str, Any]:
        if self.document is None:
            error = _decode_error(self.response.status, self.response.headers, "The response is empty")
            raise _with_key(error, self.idempotency_key)
        return self.document


class RetryLoop:
    """Raises ConfigurationError if the request cannot be encoded."""

    def __init__(self, options: Options, request: Request) -> None:
        self._options = options
        self._request = request
        self._path = PREFIX + _encode.path(request.path) + _encode.query(request.query)
        content_type, self._content = _encoded_body(request)
        # The API key is added in next_attempt, so that no traceback shows it.
        self._headers = dict(_headers(request, content_type))
        self._key = self._headers.get("Idempotency-Key")
        self._attempt = 0
        self._first_started = self._started = time.monotonic()
        # The server may have carried out an earlier attempt whose response was lost.
        self._may_be_done = False

    def restarted(self, request: Request) -> RetryLoop:
        """Return a loop with unlimited retries whose first attempt is the current one."""
        other = RetryLoop(replace(self._options, max_retries=sys.maxsize), request)
        other._attempt, other._started = 1, self._started
        return other

    def next_attempt(self) -> httpx2.Request:
        """Return the HTTP request of the next attempt."""
        self._attempt += 1
        self._started = time.monotonic()
        return httpx2.Request(
            self._request.method,
            self._options.base_url + self._path,
            headers={"Authorization": f"Bearer {self._options.api_key}", **self._headers},
            content=self._content,
            extensions={"timeout": self._timeout().as_dict()},
        )

    def on_error(self, error: Exception) -> float:
        """Return the seconds to wait after a failed attempt. Raises APIConnectionError if there is no retry."""
        kind = RequestTimeoutError if isinstance(error, httpx2.TimeoutException) else APIConnectionError
        was_sent = not isinstance(error, UNSENT_ERRORS)
        self._may_be_done = self._may_be_done or was_sent
        # If the lost attempt succeeded, it changed the ETag: a retry would fail as if someone else had made the change.
        is_unsafe = was_sent and self._request.if_match is not None
        delay = None if is_unsafe else self._retry_delay({})
        self._log(None, kind.__name__, delay)
        if delay is None:
            raise _with_key(kind(self._connection_error_message(error, is_unsafe)), self._key) from error
        return delay

    def on_response(self, response: httpx2.Response) -> float | None:
        """Return the seconds to wait, or None if the request succeeded. Raises APIError if it failed."""
        if response.is_success or self._is_already_done(response):
            self._log(response, None, None)
            return None
        error = api_error(response.status_code, response.headers, _problem(response))
        delay = self._retry_delay(response.headers) if self._is_retryable(error) else None
        self._may_be_done = self._may_be_done or is_gateway_error(error.status, error.slug)
        self._log(response, None, delay)
        if delay is None:
            raise _with_key(error, self._key)
        return delay

    def decode(self, response: httpx2.Response) -> DecodedResponse:
        """Decode a successful response. Raises APIError if it is not a JSON object."""
        metadata = Response(response.status_code, response.headers)
        if metadata.status == 204 or not response.is_success:
            return DecodedResponse(None, metadata, self._key)
        document = _json_object(response)
        if document is None:
            error = _decode_error(metadata.status, metadata.headers, "The response is not a JSON object")
            raise _with_key(error, self._key)
        return DecodedResponse(document, metadata, self._key)

    def _is_already_done(self, response: httpx2.Response) -> bool:
        """Return True if an error status means that nothing is left to do."""
        if response.status_code == 304:
            return self._request.if_none_match is not None
        return response.status_code == 404 and self._request.method == "DELETE" and self._may_be_done

    def _is_retryable(self, error: APIError) -> bool:
        if is_gateway_error(error.status, error.slug):
            # The server may have carried out the request, so the same holds as for a lost response.
            return self._options.retry_for > 0 and self._request.if_match is None
        return is_retryable(error.status, error.slug)

    def _retry_delay(self, headers: Mapping[str, str]) -> float | None:
        """Return the seconds until the next attempt, or None if there is none."""
        requested = retry_after(headers)
        delay = backoff(self._attempt - 1) if requested is None else requested
        is_too_long = requested is not None and requested > self._options.max_retry_wait
        return None if is_too_long or self._is_exhausted(delay) else delay

    def _is_exhausted(self, delay: float) -> bool:
        """Return True if a retry after this delay is one too many, and too late for `retry_for`."""
        retry_at = time.monotonic() - self._first_started + delay
        return self._attempt > self._options.max_retries and retry_at > self._options.retry_for

    def _timeout(self) -> httpx2.Timeout:
        timeout = self._options.timeout
        read = STREAM_READ_TIMEOUT if self._request.is_stream else timeout + (self._request.wait or 0)
        return httpx2.Timeout(timeout, read=read)

    def _connection_error_message(self, error: Exception, is_unsafe: bool) -> str:
        message = f"No response to {self._request.method} {self._path}: {error or type(error).__name__}"
        if not is_unsafe:
            return message
        return (
            f"{message}. The server may have made the change. A request with if_match is not retried:"
            " fetch the resource to see its current state."
        )

    def _log(self, response: httpx2.Response | None, error: str | None, delay: float | None) -> None:
        entry = LogEntry(
            method=self._request.method,
            path=self._path,
            attempt=self._attempt,
            status=response.status_code if response else None,
            error=error,
            milliseconds=round((time.monotonic() - self._started) * 1000),
            request_id=response.headers.get("x-request-id") if response else None,
            retry_in=delay,
        )
        log_attempt(self._options.log, entry)


def _encoded_body(request: Request) -> tuple[str | None, bytes | None]:
    """Return the content type and the encoded body of a request."""
    if request.file:
        return encode_form(request.body or {}, request.file)
    return ("application/json", _encode.body(request.body)) if request.body is not None else (None, None)


def _headers(request: Request, content_type: str | None) -> Iterator[tuple[str, str]]:
    yield "Accept", "text/event-stream" if request.is_stream else "application/json"
    # A proxy that compresses a response weakens its ETag, so that If-Match never matches; and it buffers streams.
    yield "Accept-Encoding", "identity"
    yield "User-Agent", USER_AGENT
    if content_type:
        yield "Content-Type", content_type
    if request.method == "POST":
        key = str(uuid.uuid4()) if request.idempotency_key is None else request.idempotency_key
        yield "Idempotency-Key", _encode.header("idempotency_key", key)
    if request.if_match is not None:
        yield "If-Match", _encode.header("if_match", request.if_match)
    if request.if_none_match is not None:
        yield "If-None-Match", _encode.header("if_none_match", request.if_none_match)
    if request.wait is not None:
        yield "Prefer", f"wait={request.wait}"
    if request.last_event_id:
        yield "Last-Event-ID", _encode.header("The id of the last event", request.last_event_id)


def _json_object(response: httpx2.Response) -> Mapping[str, Any] | None:
    """Return the body of a response if it is a JSON object."""
    try:
        document = json.loads(response.content)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _problem(response: httpx2.Response) -> Mapping[str, Any]:
    """Return the problem document of an error response, or a substitute if there is none."""
    location = response.headers.get("location")
    if response.is_redirect and location:
        return {
            "detail": f"The server redirects to {location}. Redirects are not followed:"
            " set base_url to the address of the API."
        }
    return _json_object(response) or {"detail": f"The response is not JSON: {_content_type(response.headers)}."}


def _with_key(error: E, idempotency_key: str | None) -> E:
    """Add the idempotency key of the request to its error."""
    error.idempotency_key = idempotency_key
    return error


def _decode_error(status: int, headers: Mapping[str, str], message: str) -> APIError:
    return APIError(status, headers, {"detail": f"{message}: {_content_type(headers)}."})


def _content_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "no content type")
