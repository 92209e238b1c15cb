"""Iterators over event streams."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from types import TracebackType
from typing import Generic, TypeVar

import httpx2

from ._record import Record
from ._sse import ReconnectLoop

R = TypeVar("R", bound=Record)
STREAM_ENDED = "the stream ended"


class Stream(Iterator[R], Generic[R]):
    """An endless iterator over events. If the connection drops, it reconnects; no event is missed or repeated.

    Leave the loop with `break`. Use `with` or `close()` to close the connection at once.
    """

    def __init__(self, kind: type[R], http: httpx2.Client, loop: ReconnectLoop) -> None:
        self._events = _events(kind, http, loop)

    def __next__(self) -> R:
        return next(self._events)

    def close(self) -> None:
        """Close the connection and end the stream."""
        self._events.close()

    def __enter__(self) -> Stream[R]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncStream(AsyncIterator[R], Generic[R]):
    """An endless iterator over events. If the connection drops, it reconnects; no event is missed or repeated.

    Leave the loop with `break`. Use `async with` or `close()` to close the connection at once.
    """

    def __init__(self, kind: type[R], http: httpx2.AsyncClient, loop: ReconnectLoop) -> None:
        self._events = _async_events(kind, http, loop)

    async def __anext__(self) -> R:
        return await self._events.__anext__()

    async def close(self) -> None:
        """Close the connection and end the stream."""
        await self._events.aclose()

    async def __aenter__(self) -> AsyncStream[R]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _events(kind: type[R], http: httpx2.Client, loop: ReconnectLoop) -> Generator[R, None, None]:
    while True:
        try:
            response = http.send(loop.next_attempt(), stream=True)
            try:
                if not response.is_success:
                    response.read()
                delay = loop.on_response(response)
                if delay is None:
                    for chunk in response.iter_bytes():
                        for event in loop.on_chunk(chunk):
                            yield kind(event)
                    delay = loop.on_error(httpx2.RemoteProtocolError(STREAM_ENDED))
            finally:
                response.close()
        except httpx2.RequestError as error:
            delay = loop.on_error(error)
        time.sleep(delay)


async def _async_events(kind: type[R], http: httpx2.AsyncClient, loop: ReconnectLoop) -> AsyncGenerator[R, None]:
    while True:
        try:
            response = await http.send(loop.next_attempt(), stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                delay = loop.on_response(response)
                if delay is None:
                    async for chunk in response.aiter_bytes():
                        for event in loop.on_chunk(chunk):
                            yield kind(event)
                    delay = loop.on_error(httpx2.RemoteProtocolError(STREAM_ENDED))
            finally:
                await response.aclose()
        except httpx2.RequestError as error:
            delay = loop.on_error(error)
        await asyncio.sleep(delay)
