"""Connect Granian to the Flask application: requests run on threads, streaming responses on the event loop.

Granian's WSGI interface keeps a thread for the whole response, so a few clients of an event stream would block the
service. Its RSGI interface passes each request through an event loop, which doubles the cost of a short request. This
module takes requests from Granian directly to a pool of threads. Writes may wait for the database, so one thread is
left for requests that only read. To stream, a view stores a coroutine function under `STREAM` in the WSGI environment.
After the view's body is sent, it is called on the event loop with a `send` function.
"""

from __future__ import annotations

import asyncio
import io
import logging
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol

from granian._granian import CallbackScheduler

log = logging.getLogger(__name__)

# The key of the WSGI environment for a streaming response. Its value is None if streaming is possible.
STREAM = "blogsvc.stream"
Send = Callable[[bytes], Awaitable[None]]
Stream = Callable[[Send], Awaitable[None]]

# The maximum time to wait for the next part of a request body, in seconds.
BODY_PATIENCE = 30.0

READS = frozenset({"GET", "HEAD", "OPTIONS"})

Answer = tuple[int, list[tuple[str, str]], bytes]


class DisconnectWatcher(Protocol):
    """The interface of the object that Granian passes for each request."""

    scope: Any
    proto: Any

    def done(self) -> None: ...
    def err(self, error: BaseException) -> None: ...


class RequestBody(io.RawIOBase):
    """A request body, fetched from the event loop while it is read. A view that ignores it does not wait for it."""

    def __init__(self, proto: Any, loop: asyncio.AbstractEventLoop) -> None:
        self.parts = proto.__aiter__()
        self.loop = loop
        self.rest = b""

    @classmethod
    def of(cls, watcher: DisconnectWatcher, loop: asyncio.AbstractEventLoop) -> io.BufferedIOBase:
        headers = watcher.scope.headers
        has_one = "content-length" in headers or "transfer-encoding" in headers or watcher.scope.http_version == "2"
        return io.BufferedReader(cls(watcher.proto, loop)) if has_one else io.BytesIO()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self.rest:
            try:
                self.rest = asyncio.run_coroutine_threadsafe(self._next(), self.loop).result(BODY_PATIENCE)
            except StopAsyncIteration:
                return 0
        count = min(len(buffer), len(self.rest))
        buffer[:count], self.rest = self.rest[:count], self.rest[count:]
        return count

    async def _next(self) -> bytes:
        part: bytes = await self.parts.__anext__()
        return part


def environ_of(scope: Any, body: io.BufferedIOBase) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of a request."""
    server, _, port = scope.server.rpartition(":")
    environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # percent-decoded, as PEP 3333 requires
        "QUERY_STRING": scope.query_string,
        "SERVER_NAME": server.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": scope.client.rpartition(":")[0].strip("[]"),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": body,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        STREAM: None,
    }
    for name, value in scope.headers.items():
        # Otherwise `X_Real_Ip` would look like `X-Real-Ip`, which a reverse proxy may have removed.
        if "_" in name:
            continue
        key = name.upper().replace("-", "_")
        key = key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"
        glue = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{glue}{value}" if key in environ else value
    if scope.authority:  # HTTP/2 has no Host header
        environ.setdefault("HTTP_HOST", scope.authority)
    return environ


class WsgiBridge:
    """Serve a WSGI application with a fixed number of threads, of which all but one may be busy with writes."""

    def __init__(self, app: Callable[..., Iterable[bytes]], threads: int) -> None:
        self.app = app
        self.waiting: SimpleQueue[DisconnectWatcher] = SimpleQueue()
        self.lock = Lock()
        self.writers = max(1, threads - 1)  # threads that may still begin a write
        self.held: deque[DisconnectWatcher] = deque()  # writes for which there was no thread
        for number in range(threads):  # a ThreadPoolExecutor would double the overhead per request
            Thread(target=self._work, name=f"request-{number}", daemon=True).start()
        self.streams: set[asyncio.Task[None]] = set()

    def scheduler(self, loop: asyncio.AbstractEventLoop, *_: Any, **__: Any) -> CallbackScheduler:
        """Return the scheduler that Granian calls with each request. It replaces the one that uses the event loop."""
        self.loop = loop

        class Scheduler(CallbackScheduler):
            def __init__(scheduler, *_: Any) -> None:  # noqa: N805
                super().__init__()
                scheduler._schedule_fn = self.waiting.put

            def cancel(self) -> bool:
                return False

            def cancelling(self) -> int:
                return 0

            uncancel = cancelling

        return Scheduler(loop, None, None, None, None)

    def stop_streams(self, seconds: float) -> None:
        """End all streaming responses. Call it before the event loop stops."""
        if self.streams:
            asyncio.run_coroutine_threadsafe(self._end_streams(), self.loop).result(seconds)

    async def _end_streams(self) -> None:
        for stream in self.streams:
            stream.cancel()
        await asyncio.gather(*self.streams, return_exceptions=True)

    def _work(self) -> None:
        while True:
            watcher = self.waiting.get()
            if watcher.scope.method in READS:
                self._serve(watcher)
            elif self._may_write(watcher):
                self._serve_writes(watcher)

    def _may_write(self, watcher: DisconnectWatcher) -> bool:
        """Return False, and hold the request, if only the thread for reads is left."""
        with self.lock:
            if self.writers == 0:
                self.held.append(watcher)
                return False
            self.writers -= 1
            return True

    def _serve_writes(self, watcher: DisconnectWatcher) -> None:
        """Serve a write, and then the held ones."""
        while True:
            self._serve(watcher)
            with self.lock:
                if not self.held:
                    self.writers += 1
                    return
                watcher = self.held.popleft()

    def _serve(self, watcher: DisconnectWatcher) -> None:
        try:
            environ = environ_of(watcher.scope, RequestBody.of(watcher, self.loop))
            status, headers, body = self._call(environ)
            if environ[STREAM] is not None:
                going = self._go_on(watcher, (status, headers, body), environ[STREAM])
                asyncio.run_coroutine_threadsafe(going, self.loop)
                return
            watcher.proto.response_bytes(status, headers, body)
            watcher.done()
        except BaseException as error:
            log.exception("a request could not be answered")
            watcher.err(error)

    def _call(self, environ: dict[str, Any]) -> Answer:
        begun: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
            begun[:] = [int(status[:3]), headers]

        parts = self.app(environ, start_response)
        try:
            body = b"".join(parts)
        finally:
            getattr(parts, "close", lambda: None)()
        return begun[0], begun[1], body

    async def _go_on(self, watcher: DisconnectWatcher, answer: Answer, stream: Stream) -> None:
        status, headers, body = answer
        unbounded = [(name, value) for name, value in headers if name.lower() != "content-length"]
        task = asyncio.current_task()
        assert task is not None
        self.streams.add(task)
        try:
            transport = watcher.proto.response_stream(status, unbounded)
            await transport.send_bytes(body)
            await stream(transport.send_bytes)
        except asyncio.CancelledError:
            pass  # the server stops; a reference to the error would keep the response open
        finally:
            self.streams.discard(task)
            watcher.done()
