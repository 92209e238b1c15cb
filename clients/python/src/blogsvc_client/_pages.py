"""Lists, a page at a time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Generator, Iterator
from typing import Any, Callable, Generic, TypeVar

from ._errors import ConfigurationError
from ._exchange import Answer
from ._reading import copied
from ._record import Record, Response

R = TypeVar("R", bound=Record)


class _Rows(Generic[R]):
    """What a page holds, whoever turns it."""

    data: list[R]
    """The rows of this page."""
    next_cursor: str | None
    """Where the next page begins; None on the last."""
    response: Response
    """How it came."""

    def __init__(self, kind: type[R], answer: Answer) -> None:
        self._document = answer.demanded
        self.data = [kind(row) for row in self._document.get("data", ())]
        self.next_cursor = self._document.get("nextCursor")
        self.response = answer.response

    @property
    def has_next(self) -> bool:
        return self.next_cursor is not None

    def __getitem__(self, key: str) -> Any:
        """A field as it was answered."""
        return copied(self._document[key])

    def __repr__(self) -> str:
        return f"{type(self).__name__}(data={self.data!r}, next_cursor={self.next_cursor!r})"

    def _demanded_cursor(self) -> str:
        if self.next_cursor is None:
            raise ConfigurationError("This is the last page; has_next tells.")
        return self.next_cursor


class Page(_Rows[R]):
    """A page of a list. To iterate over it goes through the rows of this page and of all that follow."""

    def __init__(self, kind: type[R], answer: Answer, turn: Callable[[str], Page[R]]) -> None:
        super().__init__(kind, answer)
        self._turn = turn

    def next(self) -> Page[R]:
        """The page after this one. Raises ConfigurationError where it is the last."""
        return self._turn(self._demanded_cursor())

    def pages(self) -> Iterator[Page[R]]:
        """This page and all that follow."""
        page = self
        yield page
        while page.has_next:
            page = page.next()
            yield page

    def __iter__(self) -> Iterator[R]:
        for page in self.pages():
            yield from page.data


class AsyncPage(_Rows[R]):
    """A page of a list. To iterate over it goes through the rows of this page and of all that follow."""

    def __init__(self, kind: type[R], answer: Answer, turn: Callable[[str], Awaitable[AsyncPage[R]]]) -> None:
        super().__init__(kind, answer)
        self._turn = turn

    async def next(self) -> AsyncPage[R]:
        """The page after this one. Raises ConfigurationError where it is the last."""
        return await self._turn(self._demanded_cursor())

    async def pages(self) -> AsyncIterator[AsyncPage[R]]:
        """This page and all that follow."""
        page = self
        yield page
        while page.has_next:
            page = await page.next()
            yield page

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for row in page.data:
                yield row


class AsyncPages(Generic[R]):
    """A list that is not asked for yet.

    page = await client.posts.list()          # its first page
    async for post in client.posts.list():    # all of its rows
    async for page in client.posts.list().pages():
    """

    def __init__(self, first: Callable[[], Awaitable[AsyncPage[R]]]) -> None:
        self._first = first

    def __await__(self) -> Generator[Any, None, AsyncPage[R]]:
        return self._first().__await__()

    async def pages(self) -> AsyncIterator[AsyncPage[R]]:
        """All of its pages."""
        async for page in (await self._first()).pages():
            yield page

    async def __aiter__(self) -> AsyncIterator[R]:
        async for page in self.pages():
            for row in page.data:
                yield row
