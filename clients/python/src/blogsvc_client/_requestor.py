"""Sends requests and waits between retries. All I/O is here, for threads and for asyncio."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any, TypeVar

import httpx2

from ._options import Options
from ._pagination import AsyncPage, AsyncPaginator, Page
from ._record import Record
from ._request import Request
from ._retry_loop import DecodedResponse, RetryLoop
from ._sse import ReconnectLoop
from ._stream import AsyncStream, Stream

R = TypeVar("R", bound=Record)


class Requestor:
    def __init__(self, options: Options, http: httpx2.Client) -> None:
        self.options = options
        self._http = http

    def with_options(self, changes: dict[str, Any]) -> Requestor:
        """Return a requestor with other options and the same connections."""
        return Requestor(replace(self.options, **changes), self._http)

    def request(self, kind: type[R], request: Request) -> R:
        return self._send(request).record(kind)

    def request_optional(self, kind: type[R], request: Request) -> R | None:
        return self._send(request).optional_record(kind)

    def request_no_content(self, request: Request) -> None:
        self._send(request)

    def request_page(self, kind: type[R], request: Request) -> Page[R]:
        return Page(kind, self._send(request), lambda cursor: self.request_page(kind, request.with_cursor(cursor)))

    def stream(self, kind: type[R], request: Request) -> Stream[R]:
        return Stream(kind, self._http, ReconnectLoop(self.options, request))

    def close(self) -> None:
        self._http.close()

    def _send(self, request: Request) -> DecodedResponse:
        loop = RetryLoop(self.options, request)
        while True:
            try:
                response = self._http.send(loop.next_attempt())
            except httpx2.RequestError as error:
                delay: float | None = loop.on_error(error)
            else:
                delay = loop.on_response(response)
                if delay is None:
                    return loop.decode(response)
            time.sleep(delay or 0)


class AsyncRequestor:
    def __init__(self, options: Options, http: httpx2.AsyncClient) -> None:
        self.options = options
        self._http = http

    def with_options(self, changes: dict[str, Any]) -> AsyncRequestor:
        """Return a requestor with other options and the same connections."""
        return AsyncRequestor(replace(self.options, **changes), self._http)

    async def request(self, kind: type[R], request: Request) -> R:
        return (await self._send(request)).record(kind)

    async def request_optional(self, kind: type[R], request: Request) -> R | None:
        return (await self._send(request)).optional_record(kind)

    async def request_no_content(self, request: Request) -> None:
        await self._send(request)

    def paginate(self, kind: type[R], request: Request) -> AsyncPaginator[R]:
        return AsyncPaginator(lambda: self._request_page(kind, request))

    def stream(self, kind: type[R], request: Request) -> AsyncStream[R]:
        return AsyncStream(kind, self._http, ReconnectLoop(self.options, request))

    async def close(self) -> None:
        await self._http.aclose()

    async def _request_page(self, kind: type[R], request: Request) -> AsyncPage[R]:
        decoded = await self._send(request)
        return AsyncPage(kind, decoded, lambda cursor: self._request_page(kind, request.with_cursor(cursor)))

    async def _send(self, request: Request) -> DecodedResponse:
        loop = RetryLoop(self.options, request)
        while True:
            try:
                response = await self._http.send(loop.next_attempt())
            except httpx2.RequestError as error:
                delay: float | None = loop.on_error(error)
            else:
                delay = loop.on_response(response)
                if delay is None:
                    return loop.decode(response)
            await asyncio.sleep(delay or 0)
