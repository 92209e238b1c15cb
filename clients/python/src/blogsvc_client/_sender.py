"""Sends calls and waits: the only input and output, once for threads and once for asyncio."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from typing import Any, TypeVar

import httpx2

from ._call import Call
from ._exchange import Answer, Exchange
from ._listening import Listening
from ._options import Options
from ._pages import AsyncPage, AsyncPages, Page
from ._record import Record
from ._streams import AsyncStream, Stream

R = TypeVar("R", bound=Record)


class Sender:
    def __init__(self, options: Options, http: httpx2.Client) -> None:
        self.options = options
        self._http = http

    def changed(self, changes: dict[str, Any]) -> Sender:
        """With other options, over the same connections."""
        return Sender(replace(self.options, **changes), self._http)

    def one(self, kind: type[R], call: Call) -> R:
        return self._send(call).one(kind)

    def maybe(self, kind: type[R], call: Call) -> R | None:
        return self._send(call).maybe(kind)

    def nothing(self, call: Call) -> None:
        self._send(call)

    def page(self, kind: type[R], call: Call) -> Page[R]:
        return Page(kind, self._send(call), lambda cursor: self.page(kind, call.of_page(cursor)))

    def stream(self, kind: type[R], call: Call) -> Stream[R]:
        return Stream(kind, self._http, Listening(self.options, call))

    def close(self) -> None:
        self._http.close()

    def _send(self, call: Call) -> Answer:
        exchange = Exchange(self.options, call)
        while True:
            try:
                response = self._http.send(exchange.begin())
            except httpx2.RequestError as error:
                pause: float | None = exchange.lost(error)
            else:
                pause = exchange.heard(response)
                if pause is None:
                    return exchange.read(response)
            time.sleep(pause or 0)


class AsyncSender:
    def __init__(self, options: Options, http: httpx2.AsyncClient) -> None:
        self.options = options
        self._http = http

    def changed(self, changes: dict[str, Any]) -> AsyncSender:
        """With other options, over the same connections."""
        return AsyncSender(replace(self.options, **changes), self._http)

    async def one(self, kind: type[R], call: Call) -> R:
        return (await self._send(call)).one(kind)

    async def maybe(self, kind: type[R], call: Call) -> R | None:
        return (await self._send(call)).maybe(kind)

    async def nothing(self, call: Call) -> None:
        await self._send(call)

    def pages(self, kind: type[R], call: Call) -> AsyncPages[R]:
        return AsyncPages(lambda: self._page(kind, call))

    def stream(self, kind: type[R], call: Call) -> AsyncStream[R]:
        return AsyncStream(kind, self._http, Listening(self.options, call))

    async def close(self) -> None:
        await self._http.aclose()

    async def _page(self, kind: type[R], call: Call) -> AsyncPage[R]:
        return AsyncPage(kind, await self._send(call), lambda cursor: self._page(kind, call.of_page(cursor)))

    async def _send(self, call: Call) -> Answer:
        exchange = Exchange(self.options, call)
        while True:
            try:
                response = await self._http.send(exchange.begin())
            except httpx2.RequestError as error:
                pause: float | None = exchange.lost(error)
            else:
                pause = exchange.heard(response)
                if pause is None:
                    return exchange.read(response)
            await asyncio.sleep(pause or 0)
