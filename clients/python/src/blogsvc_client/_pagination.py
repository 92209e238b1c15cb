"""Paginated lists."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Generator, Iterator
from typing import Any, Callable, Generic, TypeVar

from ._decode import deep_copy
from ._errors import ConfigurationError
from ._record import Record, Response
from ._retry_loop import DecodedResponse

R = TypeVar("R", bound=Record)


class _BasePage(Generic[R]):
    """The content of a page, for both clients."""

    data: list[R]
    """The rows of this page."""
    next_cursor: str | None
    """The cursor of the next page, or None on the last page."""
    response: Response
    """The status and headers of the HTTP response."""

    def __init__(self, kind: type[R], decoded: DecodedResponse) -> None:
        self._document = decoded.required_document
        self.data = [kind(row) for row in self._document.get("data", ())]
        self.next_cursor = self._document.get("nextCursor")
        self.response = decoded.response

    @property
    def has_next(self) -> bool:
        """Whether there is another page."""
        return self.next_cursor is not None

    def __getitem__(self, key: str) -> Any:
        """Return a field of the response under its name in the API."""
        return deep_copy(self._document[key])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(data={self.data!r}, next_cursor={self.next_cursor!r})"

    def _required_cursor(self) -> str:
        if self.next_cursor is None:
            raise ConfigurationError("There is no next page. Check has_next first.")
        return self.next_cursor


class Page(_BasePage[R]):
    """A page of a list. Iterating over it yields the rows of this page and of all following pages."""

    def __init__(self, kind: type[R], decoded: DecodedResponse, fetch: Callable[[str], Page[R]]) -> None:
        super().__init__(kind, decoded)
        self._fetch = fetch

    def next(self) -> Page[R]:
        """Fetch the next page. Raises ConfigurationError on the last page."""
        return self._fetch(self._required_cursor())

    def pages(self) -> Iterator[Page[R]]:
        """Yield this page and all following pages."""
        page = self
        yield page
        while page.has_next:
            page = page.next()
            yield page

    def __iter__(self) -> Iterator[R]:
        for page in self.pages():
            yield from page.data


class AsyncPage(_BasePage[R]):
    """A page of a list. Iterating over it yields the rows of this page and of all following pages."""

    def __init__(
        self, kind: type[R], decoded: DecodedResponse, fetch: Callable[[str], Awaitable[AsyncPage[R]]]
    ) -> None:
        super().__init__(kind, decoded)
        self._fetch = fetch

    async def next(self) -> AsyncPage[R]:
        """Fetch the next page. Raises ConfigurationError on the last page."""
        return await self._fetch(self._required_cursor())

    async def pages(self) -> AsyncIterator[AsyncPage[R]]:
        """Yield this page and all following pages."""
        page = self
        yield page
        while page.has_next:
            page = await page.next()
            yield page

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for row in page.data:
                yield row


class AsyncPaginator(Generic[R]):
    """A list that has not been requested yet. Await it, or iterate over it.

    page = await client.posts.list()                  # the first page
    async for post in client.posts.list():            # the rows of all pages
    async for page in client.posts.list().pages():    # page by page
    """

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[R]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, None, AsyncPage[R]]:
        return self._first().__await__()

    async def pages(self) -> AsyncIterator[AsyncPage[R]]:
        """Yield all pages."""
        async for page in (await self._first()).pages():
            yield page

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for row in page.data:
                yield row
