"""Connect Granian to the Flask application: requests run on threads, streaming responses on the event loop.

Granian's WSGI interface keeps a thread for the whole response, so a few clients of an event stream would block the
service. Its RSGI interface passes each request through an event loop, which doubles the cost of a short request. This
module takes requests from Granian directly to a pool of threads; only those with a body wait on the event loop until it
has arrived. Writes may wait for the database, so one thread is left for requests that only read.

Some kinds of requests have a thread of their own, so that many of them hold up nothing else: health checks, requests
whose bodies did not arrive, and the costly work of `lanes.py`. A request begins on an ordinary thread; where its view
enters a lane, that call ends, and the application is called again in the lane.

A large response is sent from a file, part by part, as fast as the client reads it: from memory, it would take as much
for each client. These are the files that Flask's `send_file` sends (as the file wrapper of PEP 3333 has them), and
large responses from the cache.

To stream, a view stores a coroutine function under `STREAM` in the WSGI environment. After the view's body is sent, it
is called on the event loop with a `send` function, which never waits for the client.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread, get_native_id
from typing import Any

from granian._granian import CallbackScheduler

from blogsvc.http.body_limits import FAULT, IS_SECOND_CALL
from blogsvc.http.lanes import LANE, LANES, Lane, LaneWanted
from blogsvc.http.streams import STREAM, Stream
from blogsvc.lib import blog_paths
from blogsvc.server.bodies import MAX_UNASKED, Body, BodyWanted, Drain, Receiver
from blogsvc.server.disconnect_watcher import DisconnectWatcher
from blogsvc.server.file_parts import IS_SHARED, OPEN_FILES, Content, FilePart, file_with, from_file, in_memory
from blogsvc.server.large_body import MAX_FROM_MEMORY
from blogsvc.server.wsgi_environ import address_of, environ_of

log = logging.getLogger(__name__)

# How long an open file is kept for the HTTP server to open it by its name, in seconds.
FILE_PATIENCE = 10.0

# Methods of requests that only read. Their bodies, if any, are ignored.
READS = frozenset({"GET", "HEAD", "OPTIONS"})
# Paths that a thread of their own answers, so that a monitor sees a busy server as a running one.
CHECKS = frozenset({"/health", "/ready"})
# The answer of the API to an error outside of the application, which answers its own errors.
FAILED = b'{"title":"Internal error","status":500,"detail":"The server logged this error."}'

# The answer to a client that leaves too many responses unread.
BUSY = b"Too many responses to your network wait to be read. Read them, or try again in a moment.\n"

Act = Callable[[], None]
Headers = list[tuple[str, str]]


Waiting = tuple[DisconnectWatcher, Body | None]


def _is_long_text(scope: Any, body: Body) -> bool:
    """Return True for a long body that is not a file: images are processed by a process that has its own limits."""
    return body.size > MAX_UNASKED and not scope.headers.get("content-type", "").startswith("multipart/")


def _yield_to_others() -> None:
    """Give this thread a lower priority. It hashes passwords, for which it doesn't need Python's lock."""
    if sys.platform == "linux":  # where a thread has a priority of its own
        os.setpriority(os.PRIO_PROCESS, get_native_id(), 10)


class WsgiBridge:
    """Serve a WSGI application with a fixed number of threads, of which all but one may be busy with writes."""

    def __init__(
        self,
        app: Callable[..., Iterable[bytes]],
        threads: int,
        patience: float,
        folder: Path | None = None,
        send: Callable[[str, int, Act, Act], None] = lambda _address, _size, act, _decline: act(),
    ) -> None:
        """`patience` is how long any request body may take, in seconds; `folder` is for large responses.

        `send` gets the address of a client, the size of a response, and two functions that hand it, or a refusal, to
        the HTTP server. It calls one of them, now or soon.
        """
        self.app, self.folder, self.send = app, folder, send
        self.waiting: SimpleQueue[Waiting] = SimpleQueue()
        self.checks: SimpleQueue[Waiting] = SimpleQueue()
        self.refusals: SimpleQueue[Waiting] = SimpleQueue()  # requests whose bodies did not arrive
        self.lanes: dict[Lane, SimpleQueue[Waiting]] = {lane: SimpleQueue() for lane in LANES}
        self.lock = Lock()
        self.writers = max(1, threads - 1)  # threads that may still begin a write
        self.held: deque[Waiting] = deque()  # writes for which there was no thread
        for number in range(threads):  # a ThreadPoolExecutor would double the overhead per request
            Thread(target=self._work, name=f"request-{number}", daemon=True).start()
        for name, queue in [("check", self.checks), ("refusal", self.refusals), *self.lanes.items()]:
            Thread(target=self._serve_queue, args=(queue, name), name=f"request-{name}", daemon=True).start()
        self.streams: set[asyncio.Task[None]] = set()
        self.receiver, self.drain = Receiver(self._put, patience), Drain()

    def take(self, watcher: DisconnectWatcher) -> None:
        """Take a request from Granian, on one of its threads."""
        scope = watcher.scope
        if scope.method in READS:
            (self.checks if scope.path in CHECKS else self.waiting).put((watcher, None))
            return
        headers = scope.headers
        declared = headers.get("content-length")
        if declared is None:
            size, is_empty = None, "transfer-encoding" not in headers
        else:
            size = int(declared.partition(",")[0])  # Granian passes on only numbers, and lists of the same number
            is_empty = size == 0
        if is_empty:
            self.waiting.put((watcher, None))
        else:
            self.loop.call_soon_threadsafe(self.receiver.begin, watcher, size)

    def scheduler(self, loop: asyncio.AbstractEventLoop, *_: Any, **__: Any) -> CallbackScheduler:
        """Return the scheduler that Granian calls with each request. It replaces the one that uses the event loop."""
        self.loop = loop

        class Scheduler(CallbackScheduler):
            def __init__(scheduler, *_: Any) -> None:  # noqa: N805
                super().__init__()
                scheduler._schedule_fn = self.take

            def cancel(self) -> bool:
                return False

            def cancelling(self) -> int:
                return 0

            uncancel = cancelling

        return Scheduler(loop, None, None, None, None)

    def stop(self, seconds: float) -> None:
        """Give up request bodies and end all streaming responses. Call it before the event loop stops."""
        if self.streams or self.receiver.arriving:
            asyncio.run_coroutine_threadsafe(self._stop(), self.loop).result(seconds)

    async def _stop(self) -> None:
        self.receiver.stop()
        for stream in self.streams:
            stream.cancel()
        await asyncio.gather(*self.streams, return_exceptions=True)

    def _put(self, watcher: DisconnectWatcher, body: Body) -> None:
        """Put a request in the queue for its body. The application has wanted a long one, so it knows who asks."""
        if body.fault is not None:
            self.refusals.put((watcher, body))
        elif body.is_second and _is_long_text(watcher.scope, body):
            self.lanes["costly"].put((watcher, body))
        else:
            self.waiting.put((watcher, body))

    def _serve_queue(self, queue: SimpleQueue[Waiting], name: str) -> None:
        lane = name if name in self.lanes else ""
        if lane == "sign-in":
            _yield_to_others()
        while True:
            self._serve(*queue.get(), lane)

    def _work(self) -> None:
        while True:
            watcher, body = self.waiting.get()
            if watcher.scope.method in READS:
                self._serve(watcher, body)
            elif self._may_write(watcher, body):
                self._serve_writes(watcher, body)

    def _may_write(self, watcher: DisconnectWatcher, body: Body | None) -> bool:
        """Return False, and hold the request, if only the thread for reads is left."""
        with self.lock:
            if self.writers == 0:
                self.held.append((watcher, body))
                return False
            self.writers -= 1
            return True

    def _serve_writes(self, watcher: DisconnectWatcher, body: Body | None) -> None:
        """Serve a write, and then the held ones."""
        while True:
            self._serve(watcher, body)
            with self.lock:
                if not self.held:
                    self.writers += 1
                    return
                watcher, body = self.held.popleft()

    def _serve(self, watcher: DisconnectWatcher, body: Body | None, lane: str = "") -> None:
        try:
            environ = environ_of(watcher.scope, io.BytesIO() if body is None else body.stream())
            environ[LANE], environ[IS_SECOND_CALL] = lane, lane != ""
            if body is not None:
                environ[FAULT] = body.fault
                environ[IS_SECOND_CALL] |= body.is_second
            status, headers, content = self._call(environ)
            if environ[STREAM] is not None:
                going = self._go_on(watcher, status, headers, in_memory(content), environ[STREAM])
                asyncio.run_coroutine_threadsafe(going, self.loop)
                return
            if body is not None and body.is_unread:
                going = self._answer_early(watcher, body, status, headers, in_memory(content))
                asyncio.run_coroutine_threadsafe(going, self.loop)
                return
            self._send(watcher, status, headers, content)
        except BodyWanted as wanted:
            assert body is not None
            self.loop.call_soon_threadsafe(self.receiver.go_on, watcher, body, wanted.limit)
            return
        except LaneWanted as wanted:
            self.lanes[wanted.lane].put((watcher, body))
            return
        except BaseException as error:
            log.exception("a request could not be answered")
            self._fail(watcher, error)
        if body is not None:
            self.receiver.forget(body)

    def _fail(self, watcher: DisconnectWatcher, error: BaseException) -> None:
        """Answer a request that failed outside of the application, unless its answer has begun."""
        try:
            if blog_paths.is_api(watcher.scope.path):
                watcher.proto.response_bytes(500, [("content-type", "application/problem+json")], FAILED)
                watcher.done()
            else:
                watcher.err(error)
        except Exception:
            log.exception("the client was not told that its request failed")

    def _send(self, watcher: DisconnectWatcher, status: int, headers: Headers, content: Content) -> None:
        """Send a response. It takes memory until the client has read it: its size, or a part of its file."""
        if isinstance(content, bytes) and len(content) > MAX_FROM_MEMORY and IS_SHARED:
            with suppress(OSError):  # the disk is full: it is sent from memory
                content = FilePart(file_with(content, self.folder))
        if isinstance(content, FilePart):
            size, send = MAX_FROM_MEMORY, self._sending(watcher, status, headers, content)
        else:
            size, send = len(content), partial(watcher.proto.response_bytes, status, headers, content)

        def act() -> None:
            try:
                send()
                watcher.done()
            except Exception as error:
                log.exception("a response could not be sent")
                self._fail(watcher, error)

        def decline() -> None:
            watcher.proto.response_bytes(503, [("content-type", "text/plain"), ("retry-after", "1")], BUSY)
            watcher.done()

        self.send(address_of(watcher.scope), size, act, decline)

    def _sending(self, watcher: DisconnectWatcher, status: int, headers: Headers, part: FilePart) -> Callable[[], None]:
        """Return the function with which the HTTP server sends a file, and keep the file until it can open it."""
        if not any(name == "Content-Length" for name, _ in headers):
            headers = [*headers, ("Content-Length", str(os.fstat(part.file.fileno()).st_size))]
        if isinstance(part.file.name, str):  # its path
            name = part.file.name
            part.file.close()
        else:
            name = f"{OPEN_FILES}/{part.file.fileno()}"

        def send() -> None:
            if part.end is None:
                watcher.proto.response_file(status, headers, name)
            else:
                watcher.proto.response_file_range(status, headers, name, part.start, part.end)
            # A file without a name closes with its last reference.
            self.loop.call_soon_threadsafe(self.loop.call_later, FILE_PATIENCE, lambda: part)

        return send

    def _call(self, environ: dict[str, Any]) -> tuple[int, Headers, Content]:
        begun: list[Any] = []

        def start_response(status: str, headers: list[tuple[str, str]], _error: Any = None) -> None:
            begun[:] = [int(status[:3]), headers]

        parts = self.app(environ, start_response)
        if (content := from_file(parts)) is not None:
            return begun[0], begun[1], content
        try:
            body = b"".join(parts)
        finally:
            getattr(parts, "close", lambda: None)()
        return begun[0], begun[1], body

    async def _answer_early(
        self, watcher: DisconnectWatcher, body: Body, status: int, headers: Headers, said: bytes
    ) -> None:
        """Answer a request whose body has not arrived completely, and drop the rest of the body.

        A client that is still sending would not see the answer if the connection broke. Granian ends the body with the
        response, which therefore stays open until then; its length tells the client that it is complete.
        """
        task = asyncio.current_task()
        assert task is not None
        self.streams.add(task)
        try:
            source = body.source or watcher.proto.__aiter__()
            self.receiver.forget(body)
            transport = watcher.proto.response_stream(status, headers)
            await transport.send_bytes(said)
            await self.drain.drop(source)
            del transport  # ends the response
        except asyncio.CancelledError:
            pass  # the server stops
        except Exception as error:
            log.debug("a client left before the answer: %r", error)
        finally:
            self.streams.discard(task)
            watcher.done()

    async def _go_on(
        self, watcher: DisconnectWatcher, status: int, headers: Headers, body: bytes, stream: Stream
    ) -> None:
        unbounded = [(name, value) for name, value in headers if name.lower() != "content-length"]
        task = asyncio.current_task()
        assert task is not None
        self.streams.add(task)
        leaving = asyncio.ensure_future(watcher.proto.client_disconnect())
        leaving.add_done_callback(lambda _: task.cancel())
        try:
            transport = watcher.proto.response_stream(status, unbounded)
            transport.send_bytes(body)  # at once: the stream is always called, and notices that a client has left
            await stream(transport.send_bytes)
        except asyncio.CancelledError:
            pass  # the client left, or the server stops; a reference to the error would keep the response open
        finally:
            leaving.cancel()
            self.streams.discard(task)
            watcher.done()
