"""Request bodies: received on the event loop before a thread is taken, bounded in size, time and memory.

A short body is complete when the application is called, so a client that sends slowly costs no thread. For a longer
one the application is called twice: the first call ends where it begins to read the body, unless it refuses the request
without reading, for example because nobody is signed in. Then the body is received, up to the limit of the view, and
the application is called again.
"""

from __future__ import annotations

import asyncio
import io
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Any

from flask import request
from werkzeug.exceptions import BadRequest, RequestTimeout

from blogsvc.errors import Busy
from blogsvc.http.body_limits import MAX_BODY
from blogsvc.lib.sizes import KIB, MIB

log = logging.getLogger(__name__)


# A longer body is received only if the application wants it. In bytes.
MAX_UNASKED = 64 * KIB

# The slowest client that is waited for, in bytes per second. Each MIN_RATE bytes give a body another second.
MIN_RATE = 16 * KIB
# The maximum time for a body, in seconds.
MAX_SECONDS = 600.0
# The maximum of bodies in memory, in bytes. After that, the largest one is given up.
MAX_MEMORY = 64 * MIB
# The maximum number of bodies over MAX_BODY at the same time, which are stored in files.
MAX_LARGE = 16

# How much of a refused body is read and dropped, in bytes, and for how many seconds: in total, and without new data.
MAX_DRAINED = 64 * MIB
DRAIN_SECONDS = 30.0
DRAIN_PATIENCE = 5.0
# If more than so many are dropped at the same time, at which rate all of them together are read, in bytes per second.
MAX_UNPACED, DRAIN_RATE = 2, 2 * MIB
# How long Granian may take to let go of a read that was cancelled, in seconds. A response that ends before leaves the
# connection open until the client closes it.
LET_GO_SECONDS = 0.2


DISK_IS_FULL = "The server can't store this upload: its disk is full. Nothing was changed."
BUSY = "The server is receiving too much data. Nothing was changed. Try again in a moment."


class BodyWanted(BaseException):
    """Raised where the application reads on in a long body. `limit` is the maximum size for its view, in bytes."""

    def __init__(self, limit: int) -> None:
        self.limit = limit


@dataclass(eq=False)
class Body:
    """A request body, as far as it arrived. `declared` is its size if the client named it."""

    declared: int | None
    began: float
    patience: float  # seconds until MIN_RATE counts
    size: int = 0
    parts: list[bytes] = field(default_factory=list)
    file: IO[bytes] | None = None
    source: Any = None
    is_complete: bool = False
    is_second: bool = False
    fault: Exception | None = None

    @property
    def deadline(self) -> float:
        return self.began + min(self.patience + self.size / MIN_RATE, MAX_SECONDS)

    @property
    def is_unread(self) -> bool:
        """True if the client may still be sending, after the application has answered without the rest."""
        return not self.is_complete and self.fault is None

    def stream(self) -> IO[bytes]:
        """Return the body for the application. If it did not arrive yet, reading beyond its beginning asks for it."""
        if self.file is not None:
            self.file.seek(0)
            return self.file
        if len(self.parts) > 1:
            self.parts = [b"".join(self.parts)]
        parts = io.BytesIO(*self.parts)  # does not copy
        if self.is_complete or self.fault is not None:
            return parts
        return Beginning(parts)  # type: ignore[return-value]


class Beginning(io.RawIOBase):
    """The beginning of a body. Reading on raises BodyWanted."""

    def __init__(self, arrived: io.BytesIO) -> None:
        self.arrived = arrived

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self.arrived.readinto(buffer)
        if count:
            return count
        raise BodyWanted(request.max_content_length or 0)


class Receiver:
    """Receives bodies on the event loop, and hands each request on when its body is there or given up."""

    def __init__(self, hand_on: Callable[[Any, Body], object], patience: float) -> None:
        """`patience` is how long any body may take, in seconds."""
        self.hand_on, self.patience = hand_on, patience
        self.arriving: dict[Body, asyncio.Task[None]] = {}
        self.large = 0
        self.memory = 0
        self.lock = Lock()
        self.is_sweeping = False

    def begin(self, watcher: Any, declared: int | None) -> None:
        """Receive a short body, or hand the request on at once if its body is longer."""
        body = Body(declared, asyncio.get_running_loop().time(), self.patience)
        if declared is not None and declared > MAX_UNASKED:
            self.hand_on(watcher, body)
        else:
            self._start(watcher, body, MAX_UNASKED)

    def go_on(self, watcher: Any, body: Body, limit: int) -> None:
        """Receive the rest of a body, which the application wants. A large one goes to a file without a name."""
        body.is_second = True
        body.began = asyncio.get_running_loop().time()
        if limit > MAX_BODY:
            try:
                self._move_to_file(body)
            except (Busy, OSError) as error:
                body.fault = error if isinstance(error, Busy) else Busy(DISK_IS_FULL)
                self.hand_on(watcher, body)
                return
        self._start(watcher, body, limit)

    def _move_to_file(self, body: Body) -> None:
        """Go on with a body in a file without a name. Raises Busy if there are too many of them, or OSError."""
        if self.large >= MAX_LARGE:
            raise Busy(BUSY, retry_after=10)
        file = TemporaryFile()  # noqa: SIM115
        try:
            for part in body.parts:
                file.write(part)
        except OSError:
            file.close()
            raise
        body.file = file
        self.large += 1
        self._drop_parts(body)

    def forget(self, body: Body) -> None:
        """Free the memory of a body whose request was answered. Call it from any thread."""
        self._drop_parts(body)
        if body.file is not None:
            body.file.close()
        if body.fault is not None:
            body.fault.__traceback__ = None  # it refers to what refers to the error

    def stop(self) -> None:
        """Give up all bodies."""
        for body in list(self.arriving):
            self._give_up(body, Busy("The server is stopping. Nothing was changed. Try again in a moment."))

    def _start(self, watcher: Any, body: Body, limit: int) -> None:
        loop = asyncio.get_running_loop()
        self.arriving[body] = task = loop.create_task(self._receive(watcher.proto, body, limit))
        task.add_done_callback(lambda _: self._finish(watcher, body))  # even if the task was cancelled before it began
        if not self.is_sweeping:
            self.is_sweeping = True
            loop.call_later(min(1.0, self.patience), self._sweep)

    async def _receive(self, proto: Any, body: Body, limit: int) -> None:
        try:
            await self._read(proto, body, limit)
        except Exception as error:
            log.debug("a request body was lost: %r", error)
            body.fault = BadRequest(_incomplete(body))

    def _finish(self, watcher: Any, body: Body) -> None:
        self.arriving.pop(body, None)
        self.large -= body.file is not None
        if body.fault is not None:
            self._drop_parts(body)
        self.hand_on(watcher, body)

    async def _read(self, proto: Any, body: Body, limit: int) -> None:
        """Read until the end of the body, or up to the limit if its size is not declared. Raises BadRequest."""
        if body.source is None:
            body.source = proto.__aiter__()
        while body.size != body.declared:
            part: bytes = await body.source.__anext__()
            if not part:
                await _require_end(body)
                break
            body.size += len(part)
            if body.file is not None:
                body.file.write(part)
            else:
                body.parts.append(part)
                self._count(len(part))
                if self.memory > MAX_MEMORY:
                    self._give_up(max(self.arriving, key=_in_memory), Busy(BUSY))
            if body.declared is None and body.size >= limit:
                return  # the application refuses it when it reads that much
        body.is_complete = True

    def _give_up(self, body: Body, fault: Exception) -> None:
        task = self.arriving.pop(body)
        body.fault = fault
        self._drop_parts(body)  # now, so that no other body has to go for the same bytes
        task.cancel()

    def _sweep(self) -> None:
        """Give up the bodies that take too long."""
        loop = asyncio.get_running_loop()
        for body in [body for body in self.arriving if loop.time() > body.deadline]:
            self._give_up(body, RequestTimeout(f"The body took too long: {_arrived(body)}. Nothing was changed."))
        self.is_sweeping = bool(self.arriving)
        if self.is_sweeping:
            loop.call_later(min(1.0, self.patience), self._sweep)

    def _drop_parts(self, body: Body) -> None:
        parts, body.parts = body.parts, []
        if parts:
            self._count(-sum(map(len, parts)))

    def _count(self, size: int) -> None:
        with self.lock:
            self.memory += size


class Drain:
    """Reads and drops the rest of bodies that were refused."""

    def __init__(self) -> None:
        self.running, self.turn = 0, asyncio.Lock()

    async def drop(self, source: Any) -> None:
        """Read a body, up to MAX_DRAINED bytes, as long as the client goes on sending."""
        self.running += 1
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._drop(source)
        except StopAsyncIteration:
            pass
        except TimeoutError:
            await asyncio.sleep(LET_GO_SECONDS)
        finally:
            self.running -= 1

    async def _drop(self, source: Any) -> None:
        left = MAX_DRAINED
        while left > 0:
            async with asyncio.timeout(DRAIN_PATIENCE):
                part = await source.__anext__()
            if not part:
                return
            left -= len(part)
            if self.running > MAX_UNPACED:
                async with self.turn:
                    await asyncio.sleep(len(part) / DRAIN_RATE)


async def _require_end(body: Body) -> None:
    """Raise BadRequest unless the empty part that Granian passed is the end of the body.

    The end of a chunked body is one empty part. A broken one, and one with trailers, has two.
    """
    if body.declared is None:
        try:
            await body.source.__anext__()
        except StopAsyncIteration:
            return
    raise BadRequest(_incomplete(body))


def _incomplete(body: Body) -> str:
    return f"The body is incomplete: {_arrived(body)}. Nothing was changed."


def _arrived(body: Body) -> str:
    return f"{body.size} bytes" + (f" of {body.declared}" if body.declared is not None else "") + " arrived"


def _in_memory(body: Body) -> int:
    return 0 if body.file is not None else body.size
