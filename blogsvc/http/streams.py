"""Responses that are sent while they are made, on servers that can."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

# The key of the WSGI environment for a streaming response. Its value is None if streaming is possible.
STREAM = "blogsvc.stream"
Send = Callable[[bytes], Awaitable[None]]
Stream = Callable[[Send], Awaitable[None]]
