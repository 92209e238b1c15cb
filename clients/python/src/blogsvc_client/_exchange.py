"""One call from its first attempt to its answer: every decision, and no input or output.

exchange = Exchange(options, call)
while True:
    try:
        response = http.send(exchange.begin())
    except httpx2.RequestError as error:
        pause = exchange.lost(error)
    else:
        pause = exchange.heard(response)
        if pause is None:
            return exchange.read(response)
    time.sleep(pause)
"""

from __future__ import annotations

import json
import platform
import sys
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, TypeVar

import httpx2

from . import _writing
from ._call import Call
from ._errors import APIConnectionError, APIError, RequestTimeoutError, api_error
from ._form import form
from ._log import LogEntry, tell
from ._options import PREFIX, Options
from ._record import Record, Response
from ._retries import back_off, is_worth_it, retry_after
from ._version import __version__

USER_AGENT = f"blogsvc-python/{__version__} (Python {platform.python_version()})"
# A stream says each 15 seconds that it is alive; so many of silence are its end.
LONGEST_SILENCE = 45.0
# Where these happen, the request has not left.
UNSENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Answer:
    """A document and how it came; there is none where nothing was to be said."""

    document: Mapping[str, Any] | None
    response: Response

    def maybe(self, kind: type[R]) -> R | None:
        return None if self.document is None else kind(self.document, self.response)

    def one(self, kind: type[R]) -> R:
        return kind(self.demanded, self.response)

    @property
    def demanded(self) -> Mapping[str, Any]:
        if self.document is None:
            raise _unreadable(self.response.status, self.response.headers, "The answer is empty")
        return self.document


class Exchange:
    """Raises ConfigurationError for what cannot be sent."""

    def __init__(self, options: Options, call: Call) -> None:
        self._options = options
        self._call = call
        self._path = PREFIX + _writing.path(call.path) + _writing.query(call.query)
        kind, self._content = _written(call)
        # The key is not among them, so that no traceback shows it.
        self._headers = dict(_headers(call, kind))
        self._attempt = 0
        self._began = monotonic()
        # An earlier attempt may have been carried out, and nobody knows.
        self._may_be_done = False

    def renewed(self, call: Call) -> Exchange:
        """One that never gives up, and of which the attempt that is under way is the first."""
        other = Exchange(replace(self._options, max_retries=sys.maxsize), call)
        other._attempt, other._began = 1, self._began
        return other

    def begin(self) -> httpx2.Request:
        """The next attempt."""
        self._attempt += 1
        self._began = monotonic()
        return httpx2.Request(
            self._call.verb,
            self._options.base_url + self._path,
            headers={"Authorization": f"Bearer {self._options.api_key}", **self._headers},
            content=self._content,
            extensions={"timeout": self._timeout().as_dict()},
        )

    def lost(self, error: Exception) -> float:
        """Seconds to wait, as no answer came. Raises APIConnectionError where it is not tried again."""
        kind = RequestTimeoutError if isinstance(error, httpx2.TimeoutException) else APIConnectionError
        is_sent = not isinstance(error, UNSENT)
        self._may_be_done = self._may_be_done or is_sent
        # What was changed by a lost attempt has another version now: it would look as if somebody else had done it.
        is_final = is_sent and self._call.if_match is not None
        pause = None if is_final else self._pause({})
        self._tell(None, kind.__name__, pause)
        if pause is None:
            raise kind(self._complaint(error, is_final)) from error
        return pause

    def heard(self, response: httpx2.Response) -> float | None:
        """Seconds to wait, or None where this is the answer. Raises APIError where it is neither."""
        if response.is_success or self._is_done(response):
            self._tell(response, None, None)
            return None
        error = api_error(response.status_code, response.headers, _problem(response))
        pause = self._pause(response.headers) if is_worth_it(error.status, error.slug) else None
        self._tell(response, None, pause)
        if pause is None:
            raise error
        return pause

    def read(self, response: httpx2.Response) -> Answer:
        """What was answered. Raises APIError where it cannot be read."""
        how = Response(response.status_code, response.headers)
        if how.status == 204 or not response.is_success:
            return Answer(None, how)
        document = _document(response)
        if document is None:
            raise _unreadable(how.status, how.headers, "The answer is not what the API answers")
        return Answer(document, how)

    def _is_done(self, response: httpx2.Response) -> bool:
        """Whether an answer that looks like a refusal says that all is as it was wanted."""
        if response.status_code == 304:
            return self._call.if_none_match is not None
        return response.status_code == 404 and self._call.verb == "DELETE" and self._may_be_done

    def _pause(self, headers: Mapping[str, str]) -> float | None:
        """Seconds until it is tried again, if it is."""
        if self._attempt > self._options.max_retries:
            return None
        asked = retry_after(headers)
        if asked is None:
            return back_off(self._attempt - 1)
        return asked if asked <= self._options.max_retry_wait else None

    def _timeout(self) -> httpx2.Timeout:
        within = self._options.timeout
        silence = LONGEST_SILENCE if self._call.is_stream else within + (self._call.wait or 0)
        return httpx2.Timeout(within, read=silence)

    def _complaint(self, error: Exception, is_final: bool) -> str:
        said = f"{self._call.verb} {self._path} was not answered: {error or type(error).__name__}"
        if not is_final:
            return said
        return f"{said}. It may be done, and was not tried again because of its if_match: read what is there now."

    def _tell(self, response: httpx2.Response | None, error: str | None, pause: float | None) -> None:
        entry = LogEntry(
            method=self._call.verb,
            path=self._path,
            attempt=self._attempt,
            status=response.status_code if response else None,
            error=error,
            milliseconds=round((monotonic() - self._began) * 1000),
            request_id=response.headers.get("x-request-id") if response else None,
            retry_in=pause,
        )
        tell(self._options.log, entry)


def _written(call: Call) -> tuple[str | None, bytes | None]:
    """The body of a call and its type."""
    if call.file:
        return form(call.body or {}, call.file)
    return ("application/json", _writing.body(call.body)) if call.body is not None else (None, None)


def _headers(call: Call, kind: str | None) -> Iterator[tuple[str, str]]:
    yield "Accept", "text/event-stream" if call.is_stream else "application/json"
    # A proxy that packs an answer weakens its ETag, which then matches nothing; and it holds back a stream.
    yield "Accept-Encoding", "identity"
    yield "User-Agent", USER_AGENT
    if kind:
        yield "Content-Type", kind
    if call.verb == "POST":
        key = str(uuid.uuid4()) if call.idempotency_key is None else call.idempotency_key
        yield "Idempotency-Key", _writing.header("idempotency_key", key)
    if call.if_match is not None:
        yield "If-Match", _writing.header("if_match", call.if_match)
    if call.if_none_match is not None:
        yield "If-None-Match", _writing.header("if_none_match", call.if_none_match)
    if call.wait is not None:
        yield "Prefer", f"wait={call.wait}"
    if call.last_event_id:
        yield "Last-Event-ID", _writing.header("The id of the last event", call.last_event_id)


def _document(response: httpx2.Response) -> Mapping[str, Any] | None:
    """The JSON object that was answered, if it is one."""
    try:
        document = json.loads(response.content)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _problem(response: httpx2.Response) -> Mapping[str, Any]:
    """What the API says of an error, or else what can be said without it."""
    location = response.headers.get("location")
    if response.is_redirect and location:
        return {"detail": f"It leads to {location}, which is not followed. Is that the address of the API?"}
    return _document(response) or {"detail": f"No word of the API: {_kind(response.headers)}."}


def _unreadable(status: int, headers: Mapping[str, str], complaint: str) -> APIError:
    return APIError(status, headers, {"detail": f"{complaint}: {_kind(headers)}."})


def _kind(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "nothing")
