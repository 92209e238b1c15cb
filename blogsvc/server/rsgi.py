"""Connect Granian to the Flask application: requests run on threads, streaming responses on the event loop.

Granian's WSGI interface keeps a thread for the whole response, so a few clients of an event stream would block the
service. Its RSGI interface passes each request through an event loop, which doubles the cost of a short request. This
module takes requests from Granian directly to a pool of threads; only those with a body wait on the event loop until it
has arrived. Writes may wait for the database, so one thread is left for requests that only read.

Some kinds of requests have a thread of their own, so that many of them hold up nothing else: health checks, sign-ins,
which hash a password (0.1 s of CPU time and 64 MiB), previews and other long texts (up to half a second in Python, and
more in the processes of `lib/text_jobs.py`), and requests whose bodies did not arrive.

To stream, a view stores a coroutine function under `STREAM` in the WSGI environment. After the view's body is sent, it
is called on the event loop with a `send` function. `send` never waits for the client, so a large file is stored under
`FILE` instead.
"""

from __future__ import annotations

import asyncio
import io
import logging
import os
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import IO, Any, BinaryIO, Protocol

from granian._granian import CallbackScheduler

from blogsvc.lib import blog_paths
from blogsvc.server.bodies import FAULT, IS_SECOND_CALL, Body, BodyWanted, Receiver, drain

log = logging.getLogger(__name__)

# The key of the WSGI environment for a streaming response. Its value is None if streaming is possible.
STREAM = "blogsvc.stream"
# The key for an open file to send in place of a body. It is missing if the system has no names for open files.
FILE = "blogsvc.file"
OPEN_FILES = "/dev/fd"
# How long an open file is kept for the HTTP server to open it by its name, in seconds.
FILE_PATIENCE = 60.0
Send = Callable[[bytes], Awaitable[None]]
Stream = Callable[[Send], Awaitable[None]]

HAS_OPEN_FILES = os.path.isdir(OPEN_FILES)
# Methods of requests that only read. Their bodies, if any, are ignored.
READS = frozenset({"GET", "HEAD", "OPTIONS"})
# Paths that a thread of their own answers, so that a monitor sees a busy server as a running one.
CHECKS = frozenset({"/health", "/ready"})
SIGN_IN = "/login"
# The answer of the API to an error outside of the application, which answers its own errors.
FAILED = b'{"title":"Internal error","status":500,"detail":"The server logged this error."}'
# What makes a request costly: a text of this size in bytes, or a path with this ending.
LONG_TEXT = 64 * 1024
PREVIEW = "/preview"

Headers = list[tuple[str, str]]
Answer = tuple[int, Headers, bytes]


class DisconnectWatcher(Protocol):
    """The interface of the object that Granian passes for each request."""

    scope: Any
    proto: Any

    def done(self) -> None: ...
    def err(self, error: BaseException) -> None: ...


Waiting = tuple[DisconnectWatcher, Body | None]


def environ_of(scope: Any, body: IO[bytes]) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of a request."""
    server, _, port = scope.server.rpartition(":")
    environ = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": scope.path.encode().decode("latin-1"),  # percent-decoded, as PEP 3333 requires
        "QUERY_STRING": scope.query_string.encode().decode("latin-1"),  # may have bytes that are not percent-encoded
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
    if HAS_OPEN_FILES:
        environ[FILE] = None
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


def _is_long_text(scope: Any, body: Body | None) -> bool:
    """Return True for a long body that is not a file: images are processed by a process that has its own limits."""
    if body is None or body.size < LONG_TEXT:
        return False
    return not scope.headers.get("content-type", "").startswith("multipart/")


class WsgiBridge:
    """Serve a WSGI application with a fixed number of threads, of which all but one may be busy with writes."""

    def __init__(self, app: Callable[..., Iterable[bytes]], threads: int, max_body: int, patience: float) -> None:
        """`max_body` is the size of ordinary bodies in bytes, `patience` how long any may take, in seconds."""
        self.app = app
        self.waiting: SimpleQueue[Waiting] = SimpleQueue()
        self.checks: SimpleQueue[Waiting] = SimpleQueue()
        self.refusals: SimpleQueue[Waiting] = SimpleQueue()  # requests whose bodies did not arrive
        self.sign_ins: SimpleQueue[Waiting] = SimpleQueue()
        self.costly: SimpleQueue[Waiting] = SimpleQueue()
        self.lock = Lock()
        self.writers = max(1, threads - 1)  # threads that may still begin a write
        self.held: deque[Waiting] = deque()  # writes for which there was no thread
        for number in range(threads):  # a ThreadPoolExecutor would double the overhead per request
            Thread(target=self._work, name=f"request-{number}", daemon=True).start()
        lanes = {"check": self.checks, "refusal": self.refusals, "sign-in": self.sign_ins, "costly": self.costly}
        for name, lane in lanes.items():
            Thread(target=self._serve_lane, args=(lane,), name=f"request-{name}", daemon=True).start()
        self.streams: set[asyncio.Task[None]] = set()
        self.receiver = Receiver(self._queue, max_body, patience)

    def take(self, watcher: DisconnectWatcher) -> None:
        """Take a request from Granian, on one of its threads."""
        scope = watcher.scope
        if scope.method in READS:
            self._lane(scope, None).put((watcher, None))
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

    def _queue(self, watcher: DisconnectWatcher, body: Body) -> None:
        self._lane(watcher.scope, body).put((watcher, body))

    def _lane(self, scope: Any, body: Body | None) -> SimpleQueue[Waiting]:
        path: str = scope.path
        if body is not None and body.fault is not None:
            return self.refusals
        if path in CHECKS:
            return self.checks
        if path == SIGN_IN and body is not None:
            return self.sign_ins
        return self.costly if path.endswith(PREVIEW) or _is_long_text(scope, body) else self.waiting

    def _serve_lane(self, lane: SimpleQueue[Waiting]) -> None:
        while True:
            self._serve(*lane.get())

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

    def _serve(self, watcher: DisconnectWatcher, body: Body | None) -> None:
        try:
            environ = environ_of(watcher.scope, io.BytesIO() if body is None else body.stream())
            if body is not None:
                environ[FAULT], environ[IS_SECOND_CALL] = body.fault, body.is_second
            status, headers, answer = self._call(environ)
            if environ[STREAM] is not None:
                going = self._go_on(watcher, (status, headers, answer), environ[STREAM])
                asyncio.run_coroutine_threadsafe(going, self.loop)
                return
            if body is not None and body.is_unread:
                going = self._answer_early(watcher, body, (status, headers, answer))
                asyncio.run_coroutine_threadsafe(going, self.loop)
                return
            if environ.get(FILE) is not None:
                self._send_file(watcher, status, headers, environ[FILE])
            else:
                watcher.proto.response_bytes(status, headers, answer)
            watcher.done()
        except BodyWanted as wanted:
            assert body is not None
            self.loop.call_soon_threadsafe(self.receiver.go_on, watcher, body, wanted.limit)
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

    def _send_file(self, watcher: DisconnectWatcher, status: int, headers: Headers, file: BinaryIO) -> None:
        """Have the HTTP server send an open file, which needs no name in a directory and so leaves nothing behind."""
        size = os.fstat(file.fileno()).st_size
        sized = [*((name, value) for name, value in headers if name != "Content-Length"), ("Content-Length", str(size))]
        watcher.proto.response_file(status, sized, f"{OPEN_FILES}/{file.fileno()}")
        self.loop.call_soon_threadsafe(self.loop.call_later, FILE_PATIENCE, file.close)

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

    async def _answer_early(self, watcher: DisconnectWatcher, body: Body, answer: Answer) -> None:
        """Answer a request whose body has not arrived completely, and drop the rest of the body.

        A client that is still sending would not see the answer if the connection broke. Granian ends the body with the
        response, which therefore stays open until then; its length tells the client that it is complete.
        """
        task = asyncio.current_task()
        assert task is not None
        self.streams.add(task)
        status, headers, said = answer
        try:
            source = body.source or watcher.proto.__aiter__()
            self.receiver.forget(body)
            transport = watcher.proto.response_stream(status, headers)
            await transport.send_bytes(said)
            await drain(source)
            del transport  # ends the response
        except asyncio.CancelledError:
            pass  # the server stops
        except Exception as error:
            log.debug("a client left before the answer: %r", error)
        finally:
            self.streams.discard(task)
            watcher.done()

    async def _go_on(self, watcher: DisconnectWatcher, answer: Answer, stream: Stream) -> None:
        status, headers, body = answer
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
