"""Polling of a post until it has finished publishing."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Awaitable
from typing import Any, Callable, Protocol

from ._errors import WaitTimeoutError
from .types.responses import Post

# Seconds between two requests.
INITIAL_DELAY = 0.25
MAX_DELAY = 5.0
GROWTH = 1.5
PENDING_DELIVERIES = {"queued", "sending", "retrying"}

Progress = Callable[[Post], object]


class Poller:
    """The state of one call of `wait`. Performs no I/O."""

    def __init__(self, timeout: float) -> None:
        self.etag: str | None = None
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._next_delay = INITIAL_DELAY
        self._post: Post | None = None

    def update(self, post: Post | None) -> Post | None:
        """Store the latest response. Return the post if it has changed, else None."""
        if post is None or post == self._post:
            return None
        self._post, self.etag = post, post.response.etag
        return post

    @property
    def finished(self) -> Post | None:
        """The post, once it has finished."""
        return self._post if self._post and is_finished(self._post) else None

    def delay(self) -> float:
        """Return the seconds until the next request. Raises WaitTimeoutError after the deadline."""
        left = self._deadline - time.monotonic()
        if left <= 0 and self._post:
            raise WaitTimeoutError(self._post, self._timeout)
        delay = min(self._next_delay, max(left, 0))
        self._next_delay = min(self._next_delay * GROWTH, MAX_DELAY)
        return delay


def is_finished(post: Post) -> bool:
    """Return True if the post changes only when someone changes it, or reconnects an account."""
    return post.status != "scheduled" and all(delivery.state not in PENDING_DELIVERIES for delivery in post.deliveries)


class _Posts(Protocol):
    def get(self, post_id: str, *, if_none_match: str | None) -> Post | None: ...


class _AsyncPosts(Protocol):
    async def get(self, post_id: str, *, if_none_match: str | None) -> Post | None: ...


class PollingMixin:
    """Adds `wait` to the posts resource."""

    def wait(self: _Posts, post_id: str, *, timeout: float = 300.0, progress: Progress | None = None) -> Post:
        """Wait until a post has finished publishing.

        A post has finished when its status is not `scheduled` and none of its deliveries is
        `queued`, `sending` or `retrying`.

        Args:
            post_id: The id of a post.
            timeout: Seconds to wait.
            progress: Called with the post each time it has changed.

        Raises:
            WaitTimeoutError: The post has not finished in time. `post` is its last known state.
        """
        poller = Poller(timeout)
        while True:
            changed = poller.update(self.get(post_id, if_none_match=poller.etag))
            if changed and progress:
                progress(changed)
            if poller.finished:
                return poller.finished
            time.sleep(poller.delay())


class AsyncPollingMixin:
    """Adds `wait` to the posts resource."""

    async def wait(
        self: _AsyncPosts, post_id: str, *, timeout: float = 300.0, progress: Progress | None = None
    ) -> Post:
        """Wait until a post has finished publishing.

        A post has finished when its status is not `scheduled` and none of its deliveries is
        `queued`, `sending` or `retrying`.

        Args:
            post_id: The id of a post.
            timeout: Seconds to wait.
            progress: Called with the post each time it has changed; awaited if it returns an awaitable.

        Raises:
            WaitTimeoutError: The post has not finished in time. `post` is its last known state.
        """
        poller = Poller(timeout)
        while True:
            changed = poller.update(await self.get(post_id, if_none_match=poller.etag))
            if changed and progress:
                await _await_if_needed(progress(changed))
            if poller.finished:
                return poller.finished
            await asyncio.sleep(poller.delay())


async def _await_if_needed(result: Awaitable[Any] | object) -> None:
    if inspect.isawaitable(result):
        await result
