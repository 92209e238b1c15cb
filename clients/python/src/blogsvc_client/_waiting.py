"""Waiting until a post has settled."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable
from typing import Any, Callable, Protocol

from ._errors import WaitTimeoutError
from .types.answers import Post

FIRST_PAUSE = 0.25
LONGEST_PAUSE = 5.0
GROWTH = 1.5
UNSETTLED = {"scheduled", "publishing"}
UNSETTLED_DELIVERIES = {"queued", "sending", "retrying"}

Progress = Callable[[Post], object]


class Waiting:
    """When to ask next, and when it is enough. No input or output."""

    def __init__(self, timeout: float) -> None:
        self.etag: str | None = None
        self._timeout = timeout
        self._end = time.monotonic() + timeout
        self._next_pause = FIRST_PAUSE
        self._post: Post | None = None

    def news(self, answer: Post | None) -> Post | None:
        """The post, where it is another than before."""
        if answer is None or answer == self._post:
            return None
        self._post, self.etag = answer, answer.response.etag
        return answer

    @property
    def settled(self) -> Post | None:
        """The post, once it has settled."""
        return self._post if self._post and is_settled(self._post) else None

    def pause(self) -> float:
        """Seconds until it is asked for again. Raises WaitTimeoutError where that would be too late."""
        left = self._end - time.monotonic()
        if left <= 0 and self._post:
            raise WaitTimeoutError(self._post, self._timeout)
        pause = min(self._next_pause, max(left, 0))
        self._next_pause = min(self._next_pause * GROWTH, LONGEST_PAUSE)
        return pause


def is_settled(post: Post) -> bool:
    """Whether nothing more happens to it by itself."""
    return post.status not in UNSETTLED and all(one.state not in UNSETTLED_DELIVERIES for one in post.deliveries)


class _Posts(Protocol):
    def get(self, post_id: str, *, if_none_match: str | None) -> Post | None: ...


class _AsyncPosts(Protocol):
    async def get(self, post_id: str, *, if_none_match: str | None) -> Post | None: ...


class WaitsForPosts:
    """What the resource of posts has beside its operations."""

    def wait(self: _Posts, post_id: str, *, timeout: float = 300.0, progress: Progress | None = None) -> Post:
        """Wait until a post has settled: it is no longer scheduled or publishing, and no delivery is under way.

        Args:
            post_id: The id of a post.
            timeout: Seconds, after which it is a WaitTimeoutError.
            progress: Is told of each answer that differs from the one before.

        Raises:
            WaitTimeoutError: It has not settled in time; the error has the `post` as it stood last.
        """
        waiting = Waiting(timeout)
        while True:
            news = waiting.news(self.get(post_id, if_none_match=waiting.etag))
            if news and progress:
                progress(news)
            if waiting.settled:
                return waiting.settled
            time.sleep(waiting.pause())


class AsyncWaitsForPosts:
    """What the resource of posts has beside its operations."""

    async def wait(
        self: _AsyncPosts, post_id: str, *, timeout: float = 300.0, progress: Progress | None = None
    ) -> Post:
        """Wait until a post has settled: it is no longer scheduled or publishing, and no delivery is under way.

        Args:
            post_id: The id of a post.
            timeout: Seconds, after which it is a WaitTimeoutError.
            progress: Is told of each answer that differs from the one before, and awaited where it is a coroutine.

        Raises:
            WaitTimeoutError: It has not settled in time; the error has the `post` as it stood last.
        """
        waiting = Waiting(timeout)
        while True:
            news = waiting.news(await self.get(post_id, if_none_match=waiting.etag))
            if news and progress:
                await _awaited(progress(news))
            if waiting.settled:
                return waiting.settled
            await asyncio.sleep(waiting.pause())


async def _awaited(outcome: Awaitable[Any] | object) -> None:
    if inspect.isawaitable(outcome):
        await outcome
