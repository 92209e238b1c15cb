"""Streams of events, as Python iterates over them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from types import TracebackType
from typing import Generic, TypeVar

import httpx2

from ._listening import Listening
from ._record import Record

R = TypeVar("R", bound=Record)
ENDED = "the stream ended"


class Stream(Iterator[R], Generic[R]):
    """Events as they happen, for ever: where the connection breaks off, it comes back and misses nothing.

    Leave it by `break`; `with` or `close()` end its connection at once.
    """

    def __init__(self, kind: type[R], http: httpx2.Client, listening: Listening) -> None:
        self._events = _events(kind, http, listening)

    def __next__(self) -> R:
        return next(self._events)

    def close(self) -> None:
        """Stop listening."""
        self._events.close()

    def __enter__(self) -> Stream[R]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncStream(AsyncIterator[R], Generic[R]):
    """Events as they happen, for ever: where the connection breaks off, it comes back and misses nothing.

    Leave it by `break`; `async with` or `close()` end its connection at once.
    """

    def __init__(self, kind: type[R], http: httpx2.AsyncClient, listening: Listening) -> None:
        self._events = _async_events(kind, http, listening)

    async def __anext__(self) -> R:
        return await self._events.__anext__()

    async def close(self) -> None:
        """Stop listening."""
        await self._events.aclose()

    async def __aenter__(self) -> AsyncStream[R]:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


def _events(kind: type[R], http: httpx2.Client, listening: Listening) -> Generator[R, None, None]:
    while True:
        try:
            response = http.send(listening.begin(), stream=True)
            try:
                if not response.is_success:
                    response.read()
                pause = listening.opened(response)
                if pause is None:
                    for chunk in response.iter_bytes():
                        for event in listening.heard(chunk):
                            yield kind(event)
                    pause = listening.lost(httpx2.RemoteProtocolError(ENDED))
            finally:
                response.close()
        except httpx2.RequestError as error:
            pause = listening.lost(error)
        time.sleep(pause)


async def _async_events(kind: type[R], http: httpx2.AsyncClient, listening: Listening) -> AsyncGenerator[R, None]:
    while True:
        try:
            response = await http.send(listening.begin(), stream=True)
            try:
                if not response.is_success:
                    await response.aread()
                pause = listening.opened(response)
                if pause is None:
                    async for chunk in response.aiter_bytes():
                        for event in listening.heard(chunk):
                            yield kind(event)
                    pause = listening.lost(httpx2.RemoteProtocolError(ENDED))
            finally:
                await response.aclose()
        except httpx2.RequestError as error:
            pause = listening.lost(error)
        await asyncio.sleep(pause)
