"""How much the current request may receive, in bytes from the network and in pieces.

The size of a body limits neither: headers, chunk extensions, empty frames and what is discarded cost memory and
processor time, but add nothing to it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextvars import ContextVar

from blogsvc.lib.net.ssrf_guard import ResponseEndless
from blogsvc.lib.sizes import KIB

# For a handshake or all headers, those of interim responses included, and what is read together with them. Servers send
# a few KiB of headers, and a read takes up to 64 KiB.
MAX_HEAD = 128 * KIB
# What each read, chunk or frame costs beyond its bytes. The time to process one is that for some 100 bytes and more.
PIECE = 128


class Allowance:
    """The bytes that the current thread may still receive for its request. Without one, there is no limit."""

    _left: ContextVar[float] = ContextVar("allowance", default=float("inf"))

    @classmethod
    @contextlib.contextmanager
    def of(cls, size: int) -> Iterator[None]:
        """Limit what the block receives to this many bytes, in place of an outer limit."""
        token = cls._left.set(size)
        try:
            yield
        finally:
            cls._left.reset(token)

    @classmethod
    def extend(cls, size: int) -> None:
        """Allow this many bytes more."""
        cls._left.set(cls._left.get() + size)

    @classmethod
    def spend(cls, size: int = 0) -> None:
        """Count a piece of this many bytes. Raises ResponseEndless if that is more than allowed."""
        left = cls._left.get() - size - PIECE
        if left < 0:
            raise ResponseEndless("The server sent far more data than a response of the allowed size needs.")
        cls._left.set(left)
