"""The synchronous and the asynchronous client."""

from __future__ import annotations

import copy
from types import TracebackType
from typing import TypeVar

import httpx2

from ._async_resources import AsyncResources
from ._encode import NOT_GIVEN, NotGiven
from ._logging import Log
from ._options import Options, credentials
from ._requestor import AsyncRequestor, Requestor
from ._resources import Resources

C = TypeVar("C", bound="Client")
A = TypeVar("A", bound="AsyncClient")


class Client(Resources):
    """A client of the blogsvc API. It is thread-safe.

    Args:
        api_key: The API key, `bsk_...`.
        base_url: The URL of the server that the key belongs to. Pass both or neither: without both, the environment
            variables BLOGSVC_API_KEY and BLOGSVC_URL are used. They are not combined with what is given.
        timeout: Timeout of one attempt in seconds, for connecting and for each read of the response.
        max_retries: The maximum number of retries of a request.
        max_retry_wait: Seconds. If the server asks to wait longer than this, the request fails without a retry.
        retry_for: Seconds for which a request is retried beyond max_retries. Set 60 to keep trying while the server
            restarts.
        allow_http: Allow plain HTTP to other machines, which sends the API key unencrypted.
        log: Called with a LogEntry after every attempt. The logger `blogsvc_client` logs the same at DEBUG.
        transport: The httpx2 transport, for example httpx2.MockTransport in a test.

    Raises:
        ConfigurationError: The API key or the URL is missing or invalid.
    """

    def __init__(
        self,
        api_key: str | NotGiven = NOT_GIVEN,
        base_url: str | NotGiven = NOT_GIVEN,
        *,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_retry_wait: float = 60.0,
        retry_for: float = 0.0,
        allow_http: bool = False,
        log: Log | None = None,
        transport: httpx2.BaseTransport | None = None,
    ) -> None:
        key, url = credentials(api_key, base_url)
        options = Options(
            api_key=key,
            base_url=url,
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            retry_for=retry_for,
            allow_http=allow_http,
            log=log,
        )
        http = httpx2.Client(transport=transport, trust_env=options.trusts_environment)
        super().__init__(Requestor(options, http))

    @property
    def base_url(self) -> str:
        """The URL of the server, without `/api/v1`."""
        return self._requestor.options.base_url

    def with_options(
        self: C,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        max_retry_wait: float | NotGiven = NOT_GIVEN,
        retry_for: float | NotGiven = NOT_GIVEN,
        log: Log | NotGiven | None = NOT_GIVEN,
    ) -> C:
        """Return a copy of this client with other options. Both share their connections: closing one closes both."""
        given = {
            "timeout": timeout,
            "max_retries": max_retries,
            "max_retry_wait": max_retry_wait,
            "retry_for": retry_for,
            "log": log,
        }
        other = copy.copy(self)
        changes = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        Resources.__init__(other, self._requestor.with_options(changes))
        return other

    def close(self) -> None:
        """Close all connections."""
        self._requestor.close()

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._requestor.options.base_url!r})"


class AsyncClient(AsyncResources):
    """A client of the blogsvc API for asyncio. All tasks of an event loop can share it.

    Args:
        api_key: The API key, `bsk_...`.
        base_url: The URL of the server that the key belongs to. Pass both or neither: without both, the environment
            variables BLOGSVC_API_KEY and BLOGSVC_URL are used. They are not combined with what is given.
        timeout: Timeout of one attempt in seconds, for connecting and for each read of the response.
        max_retries: The maximum number of retries of a request.
        max_retry_wait: Seconds. If the server asks to wait longer than this, the request fails without a retry.
        retry_for: Seconds for which a request is retried beyond max_retries. Set 60 to keep trying while the server
            restarts.
        allow_http: Allow plain HTTP to other machines, which sends the API key unencrypted.
        log: Called with a LogEntry after every attempt. The logger `blogsvc_client` logs the same at DEBUG.
        transport: The httpx2 transport, for example httpx2.MockTransport in a test.

    Raises:
        ConfigurationError: The API key or the URL is missing or invalid.
    """

    def __init__(
        self,
        api_key: str | NotGiven = NOT_GIVEN,
        base_url: str | NotGiven = NOT_GIVEN,
        *,
        timeout: float = 60.0,
        max_retries: int = 4,
        max_retry_wait: float = 60.0,
        retry_for: float = 0.0,
        allow_http: bool = False,
        log: Log | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        key, url = credentials(api_key, base_url)
        options = Options(
            api_key=key,
            base_url=url,
            timeout=timeout,
            max_retries=max_retries,
            max_retry_wait=max_retry_wait,
            retry_for=retry_for,
            allow_http=allow_http,
            log=log,
        )
        http = httpx2.AsyncClient(transport=transport, trust_env=options.trusts_environment)
        super().__init__(AsyncRequestor(options, http))

    @property
    def base_url(self) -> str:
        """The URL of the server, without `/api/v1`."""
        return self._requestor.options.base_url

    def with_options(
        self: A,
        *,
        timeout: float | NotGiven = NOT_GIVEN,
        max_retries: int | NotGiven = NOT_GIVEN,
        max_retry_wait: float | NotGiven = NOT_GIVEN,
        retry_for: float | NotGiven = NOT_GIVEN,
        log: Log | NotGiven | None = NOT_GIVEN,
    ) -> A:
        """Return a copy of this client with other options. Both share their connections: closing one closes both."""
        given = {
            "timeout": timeout,
            "max_retries": max_retries,
            "max_retry_wait": max_retry_wait,
            "retry_for": retry_for,
            "log": log,
        }
        other = copy.copy(self)
        changes = {name: value for name, value in given.items() if value is not NOT_GIVEN}
        AsyncResources.__init__(other, self._requestor.with_options(changes))
        return other

    async def close(self) -> None:
        """Close all connections."""
        await self._requestor.close()

    async def __aenter__(self: A) -> A:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._requestor.options.base_url!r})"
