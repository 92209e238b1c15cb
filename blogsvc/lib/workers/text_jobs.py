"""Render, convert and compare texts of any size, without letting one hold up or end the server.

Small texts are processed here: the limits of `lib/markdown/limits.py` keep the worst of them to a fraction of a second,
and most texts that pages show are small. Others go to a confined process (`text_worker.py`), which is started when it
is first needed, and kept: a request to it takes 0.1 to 0.3 ms more than its work, and other threads run meanwhile. If a
text takes more time or memory than allowed, its process ends, and another one is started for the next text.

There are two processes for requesters, of which each (`requester`) has one place, so that nobody's texts take both, and
one for the server itself: readers and deliveries. A requester waits only for short jobs. While long ones have all
places, it is refused at once, because a thread that waits can serve nobody else.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import subprocess
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from contextvars import ContextVar
from select import poll
from threading import Condition
from typing import TYPE_CHECKING, Any

from blogsvc.errors import Busy, TextRefused
from blogsvc.lib.workers import confined

if TYPE_CHECKING:
    from blogsvc.lib.html_to_markdown import Converted, Pasted
    from blogsvc.lib.text.diff import DiffHunk
    from blogsvc.lib.text.losses import Comparison, Part
    from blogsvc.lib.text.outline import Heading

log = logging.getLogger(__name__)

SMALL = 4 * 1024  # characters; up to this length, texts are processed in the calling thread
WORKERS = 2  # for requesters
SHORT_SECONDS = 0.25  # a job that takes longer is not waited for ...
START_SECONDS = 2.0  # ... unless its process has to start
WAIT_SECONDS = 20.0  # for the place of the server itself
JOB_SECONDS = 60.0  # the worker stops after 15 s of CPU time; on a machine too busy to provide that, Busy is raised
_MAX_KEPT_KIB = 64 * 1024  # a process that keeps more memory than this is replaced

# Who asks, such as the id of a user or a key; "" for the server itself.
requester: ContextVar[str] = ContextVar("requester", default="")


def render(text: str, language: str = "en") -> str:
    """Render Markdown as `lib/markdown/render.py` does. Raises TextRefused, Busy."""
    from blogsvc.lib.markdown import render as markdown

    if len(text) <= SMALL:
        return markdown.render(text, language)
    html: str = run(markdown.render, text, language)
    return html


def convert(html: str, *, breaks: bool = False, linked: Sequence[str] = ()) -> Converted:
    """Convert HTML as `html_to_markdown.convert` does. What takes too much becomes plain text. Raises Busy."""
    from blogsvc.lib import html_to_markdown

    if len(html) <= SMALL:
        return html_to_markdown.convert(html, breaks=breaks, linked=linked)
    try:
        markdown, warnings = run(html_to_markdown.convert, html, breaks, linked)
    except TextRefused:
        return html_to_markdown.plain_text(html)
    return html_to_markdown.Converted(markdown, tuple(warnings))


def convert_pasted(html: str) -> Pasted:
    """Convert HTML as `html_to_markdown.convert_pasted` does. Raises TextRefused, Busy."""
    from blogsvc.lib import html_to_markdown

    return html_to_markdown.Pasted(*run(html_to_markdown.convert_pasted, html))


def changes(old: str, new: str) -> list[DiffHunk]:
    """Compare two texts as `lib/text/diff.py` does. Raises TextRefused, Busy."""
    from blogsvc.lib.text.diff import DiffHunk, DiffLine, DiffRun
    from blogsvc.lib.text.diff import changes as compare

    if max(len(old), len(new)) <= SMALL:
        return compare(old, new)
    found = run(compare, old, new)
    return [
        DiffHunk(skipped, tuple(DiffLine(kind, tuple(DiffRun(*one) for one in runs), *at) for kind, runs, *at in lines))
        for skipped, lines in found
    ]


def outline(text: str) -> list[Heading]:
    """Return the headings as `outline.outline` does. Raises TextRefused, Busy."""
    from blogsvc.lib.text.outline import Heading
    from blogsvc.lib.text.outline import outline as headings

    if len(text) <= SMALL:
        return headings(text)
    return [Heading(*one) for one in run(headings, text)]


def losses(sent: Sequence[Part], shown: Sequence[Part]) -> Comparison:
    """Compare what was sent with what a platform shows, as `lib/text/losses.py` does. Raises TextRefused, Busy."""
    from blogsvc.lib.text.losses import Comparison, Loss, compare

    pairs, kinds = run(compare, sent, shown)
    return Comparison([Loss(*one) for one in pairs], kinds)


def article_in(page: str) -> str | None:
    """Find the article in a page as `article_in_page.article_in` does. Raises TextRefused, Busy."""
    from blogsvc.lib.text import article_in_page

    found: str | None = run(article_in_page.article_in, page)
    return found


def kinds(parts: Sequence[Part]) -> list[str]:
    """Return the kinds of elements as `losses.kinds` does. Raises TextRefused, Busy."""
    from blogsvc.lib.text import losses

    if sum(len(text) for _, text in parts) <= SMALL:
        return losses.kinds(parts)
    found: list[str] = run(losses.kinds, parts)
    return found


def run(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of a function of a module in a confined process. Raises TextRefused, Busy."""
    return _pool.run(f"{function.__module__}:{function.__name__}", arguments)


class _Ended(Exception):
    """The process ended. `has_begun` is False if it had not read the request."""

    def __init__(self, has_begun: bool) -> None:
        super().__init__("the text worker ended")
        self.has_begun = has_begun


class _Worker:
    """A confined process, used by one thread at a time."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603
            confined.command("blogsvc.lib.workers.text_worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            bufsize=0,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.to, self.back = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self.to, False)

    def ask(self, job: str, arguments: Collection[Any]) -> tuple[str, Any, int]:
        """Return the result: "done", "refused" or "failed", its value, and the memory of the process, in KiB."""
        end = time.monotonic() + JOB_SECONDS
        request = json.dumps([job, arguments], ensure_ascii=False).encode("utf-8", "surrogatepass")
        begun = False
        try:
            self._write(len(request).to_bytes(4) + request, end)
            self._read(1, end)
            begun = True
            kind, value, kept_kib = json.loads(self._read(int.from_bytes(self._read(4, end)), end))
        except (OSError, EOFError, TimeoutError) as error:
            self.end()
            raise _Ended(begun or isinstance(error, TimeoutError)) from error
        return kind, value, kept_kib

    def _write(self, data: bytes, end: float) -> None:
        view = memoryview(data)
        while view:
            _wait(self.to, 4, end)  # POLLOUT
            with suppress(BlockingIOError):
                view = view[os.write(self.to, view) :]

    def _read(self, length: int, end: float) -> bytes:
        data = bytearray()
        while len(data) < length:
            _wait(self.back, 1, end)  # POLLIN
            part = os.read(self.back, min(length - len(data), 1024 * 1024))
            if not part:
                raise EOFError
            data += part
        return bytes(data)

    def end(self) -> int:
        """End the process and return its exit code."""
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]
        self.process.kill()
        return self.process.wait()


def _wait(descriptor: int, event: int, end: float) -> None:
    ready = poll()
    ready.register(descriptor, event)
    if not ready.poll(max(0.0, end - time.monotonic()) * 1000):
        raise TimeoutError


class _ThisProcess:
    """Runs jobs in this process, which is confined itself, within the same CPU time for each."""

    def run(self, job: str, arguments: Collection[Any]) -> Any:
        from blogsvc.lib.workers import text_worker

        return text_worker.run_here(job, arguments)

    def end(self) -> None:
        """There is nothing to end."""


class _Pool:
    def __init__(self) -> None:
        self.changed = Condition()
        self.idle: list[_Worker] = []
        self.served: dict[str, float] = {}  # the requesters that have a place, and since when

    def run(self, job: str, arguments: Collection[Any]) -> Any:
        name = requester.get()
        with self.changed:
            self._wait_for_place(name)
            worker = self.idle.pop() if self.idle else None
            self.served[name] = time.monotonic() + (0.0 if worker else START_SECONDS)
        try:
            worker, (kind, value, kept_kib) = self._asked(worker, job, arguments)
            if kept_kib > _MAX_KEPT_KIB:
                worker.end()
                worker = None
        except _Ended as ended:
            worker = None
            if isinstance(ended.__cause__, TimeoutError):
                raise Busy("The server is too busy for this text. Try again in a moment.", retry_after=30) from ended
            log.warning("a text ended its worker: %s", job)
            raise TextRefused(
                "This text takes more time or memory than is allowed. Split it, or remove deeply nested HTML, lists and"
                " tables."
            ) from ended
        finally:
            with self.changed:
                del self.served[name]
                if worker is not None:
                    self.idle.append(worker)
                self.changed.notify_all()
        if kind == "refused":
            raise TextRefused(value)
        if kind == "failed":
            raise RuntimeError(f"{job} failed in the text worker: {value}")
        return value

    def _wait_for_place(self, name: str) -> None:
        """Wait until no job is in the way, or raise Busy. `changed` must be held."""
        began = time.monotonic()
        while in_the_way := self._in_the_way(name):
            ends = began + WAIT_SECONDS if name == "" else max(in_the_way) + SHORT_SECONDS
            if not self.changed.wait(max(0.0, ends - time.monotonic())) and time.monotonic() >= ends:
                raise Busy("Other long texts are being processed. Try again in a moment.", retry_after=5)

    def _in_the_way(self, name: str) -> list[float]:
        """Return since when the jobs run of which one must end first."""
        if name in self.served:
            return [self.served[name]]
        others = [since for other, since in self.served.items() if other != ""]
        return others if name != "" and len(others) >= WORKERS else []

    def _asked(
        self, worker: _Worker | None, job: str, arguments: Collection[Any]
    ) -> tuple[_Worker, tuple[str, Any, int]]:
        if worker is not None:
            try:
                return worker, worker.ask(job, arguments)
            except _Ended as ended:  # it has been idle for long, or was ended by somebody
                if ended.has_begun:
                    raise
        worker = _Worker()
        return worker, worker.ask(job, arguments)

    def end(self) -> None:
        while self.idle:
            self.idle.pop().end()


def use_this_process() -> None:
    """Run all jobs in this process from now on. For a process that is confined itself, and may start no others."""
    global _pool
    _pool = _ThisProcess()


def _forget() -> None:
    """Leave the processes to the parent after a fork."""
    global _pool
    _pool = _Pool()


_pool: _Pool | _ThisProcess = _Pool()
atexit.register(lambda: _pool.end())
os.register_at_fork(after_in_child=_forget)
