"""The clients."""

from __future__ import annotations

import copy
from types import TracebackType
from typing import TypeVar

import httpx2

from ._async_resources import AsyncResources
from ._log import Log
from ._options import Options, from_environment
from ._resources import Resources
from ._sender import AsyncSender, Sender
from ._writing import NOT_GIVEN, NotGiven

C = TypeVar("C", bound="Client")
A = TypeVar("A", bound="AsyncClient")


class Client(Resources):
    """The API, for threads: it may be kept for as long as one likes, and shared between them.

    Args:
        api_key: By default BLOGSVC_API_KEY of the environment.
        base_url: The address of the server, by default BLOGSVC_URL of the environment.
        timeout: Seconds for one attempt: until the connection stands, and until each part of an answer is there.
        max_retries: How often a request is tried again.
        max_retry_wait: A server that asks to wait for longer is not waited for: the error comes at once.
        allow_http: Plain HTTP beyond loopback, over which anybody on the way reads the key.
        log: Is told of every attempt; so is the logger `blogsvc_client`, at DEBUG.
        transport: How requests are sent, such as httpx2.MockTransport in a test.

    Raises:
        ConfigurationError: The key or the address is missing or wrong.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_retry_wait: float = 60.0,
        allow_http: bool = False,
        log: Log | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        options = Options(
            api_key=from_environment("BLOGSVC_API_KEY") if api_key is None else api_key,
            base_url=from_environment("BLOGSVC_URL") if base_url is None else base_url,
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            allow_http=allow_http,
            log=log,
        )
        super().__init__(Sender(options, httpx2.Client(transport=transport)))

    def with_options(
        self: C,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        max_retry_wait: float | NotGiven = NOT_GIVEN,
        log: Log | NotGiven | None = NOT_GIVEN,
    ) -> C:
        """This client with other options. It shares the connections of this one: to close either is to close both."""
        given = {"timeout": timeout, "max_retries": max_retries, "max_retry_wait": max_retry_wait, "log": log}
        other = copy.copy(self)
        changes = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        Resources.__init__(other, self._sender.changed(changes))
        return other

    def close(self) -> None:
        """Close its connections."""
        self._sender.close()

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.options.base_url!r})"


class AsyncClient(AsyncResources):
    """The API, for asyncio: it may be kept for as long as its event loop runs, and shared between tasks.

    Args:
        api_key: By default BLOGSVC_API_KEY of the environment.
        base_url: The address of the server, by default BLOGSVC_URL of the environment.
        timeout: Seconds for one attempt: until the connection stands, and until each part of an answer is there.
        max_retries: How often a request is tried again.
        max_retry_wait: A server that asks to wait for longer is not waited for: the error comes at once.
        allow_http: Plain HTTP beyond loopback, over which anybody on the way reads the key.
        log: Is told of every attempt; so is the logger `blogsvc_client`, at DEBUG.
        transport: How requests are sent, such as httpx2.MockTransport in a test.

    Raises:
        ConfigurationError: The key or the address is missing or wrong.
    """

    def __init__(
        self,
        api_key: str | None = None,
        base_url: str | None = None,
        *,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_retry_wait: float = 60.0,
        allow_http: bool = False,
        log: Log | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        options = Options(
            api_key=from_environment("BLOGSVC_API_KEY") if api_key is None else api_key,
            base_url=from_environment("BLOGSVC_URL") if base_url is None else base_url,
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            allow_http=allow_http,
            log=log,
        )
        super().__init__(AsyncSender(options, httpx2.AsyncClient(transport=transport)))

    def with_options(
        self: A,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        max_retry_wait: float | NotGiven = NOT_GIVEN,
        log: Log | NotGiven | None = NOT_GIVEN,
    ) -> A:
        """This client with other options. It shares the connections of this one: to close either is to close both."""
        given = {"timeout": timeout, "max_retries": max_retries, "max_retry_wait": max_retry_wait, "log": log}
        other = copy.copy(self)
        changes = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        AsyncResources.__init__(other, self._sender.changed(changes))
        return other

    async def close(self) -> None:
        """Close its connections."""
        await self._sender.close()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._sender.options.base_url!r})"
