"""Parse an import file in a confined process (`formats/parse_worker.py`), which nothing in the file can leave."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from select import poll
from typing import Any, cast

from blogsvc.lib.workers import confined
from blogsvc.transfer.formats import FORMATS, Format
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_page import ParsedItem, ParsedPage
from blogsvc.transfer.formats.parsed_post import (
    ParsedAuthor,
    ParsedLinks,
    ParsedPost,
    ParsedRedirect,
    SkippedItem,
    UnreadableFile,
)

log = logging.getLogger(__name__)

WORKER = "blogsvc.transfer.formats.parse_worker"
MAX_MESSAGE_BYTES = 16 * 1024**2  # as the worker
MAX_ITEMS = 200_000
POLL_SECONDS = 0.5

TAKES_TOO_LONG = "This file takes too long to read. Split the export into several files."
ENDED = "This file could not be read: reading it took too much memory, or crashed. Split the export into several files."


@contextmanager
def parsed(
    file: Path,
    go_on: Callable[[], None],
    *,
    zone: str,
    max_unpacked: int,
    chosen_format: Format | None = None,
    filename: str = "",
) -> Iterator[tuple[Format, Iterator[ParsedItem]]]:
    """Parse a file: give its format, and an iterator of what is in it.

    Raises UnreadableFile, also during iteration.

    Args:
        go_on: called often, also while the process says nothing. What it raises ends the process.
        zone: the name of the time zone of dates without one.
        max_unpacked: how many bytes may be unpacked of a zip.
        chosen_format: the format that the user chose, None to detect it.
        filename: the name that the file had.
    """
    request = {"zone": zone, "max_unpacked": max_unpacked, "chosen_format": chosen_format, "filename": filename}
    with file.open("rb") as source:
        process = subprocess.Popen(  # noqa: S603
            confined.command(WORKER, json.dumps(request)),
            stdin=source,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            bufsize=0,
        )
    try:
        messages = _messages(process, go_on)
        kind, *values = next(messages)
        if kind != "form" or values[0] not in FORMATS:
            raise ValueError(f"the parser of imports began with {kind!r}")
        yield cast(Format, values[0]), _items(messages)
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def _items(messages: Iterator[list[Any]]) -> Iterator[ParsedItem]:
    for number, (kind, *values) in enumerate(messages):
        if number == MAX_ITEMS:
            raise UnreadableFile(f"This file has more than {MAX_ITEMS:,} entries. Split the export into several files.")
        match kind, values:
            case "post", [dict(fields)]:
                yield ParsedPost.of_json(fields)
            case "skipped", [str(title), str(reason), list(paths)]:
                yield SkippedItem(title, reason, tuple(map(str, paths)))
            case "author", [dict(fields)]:
                yield ParsedAuthor.of_json(fields)
            case "page", [dict(fields)]:
                yield ParsedPage(**fields)
            case "media", [dict(fields)]:
                yield ParsedMedia(**fields)
            case "blog", [dict(fields)]:
                yield ParsedBlog.of_json(fields)
            case "redirect", [str(path), str(target), int(status)]:
                yield ParsedRedirect(path, target, status)
            case "links", ["header" | "footer" | "social" as place, list(links)]:
                yield ParsedLinks.of(place, links)
            case "end", []:
                return
            case _:
                raise ValueError(f"the parser of imports sent {kind!r}")


def _messages(process: subprocess.Popen[bytes], go_on: Callable[[], None]) -> Iterator[list[Any]]:
    """Yield what the process sends. Raises UnreadableFile if it refuses the file, or ends too early."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    while True:
        length = int.from_bytes(_read(pipe, 4, process, go_on))
        if length > MAX_MESSAGE_BYTES:
            raise ValueError(f"the parser of imports sent {length} bytes")
        message: list[Any] = json.loads(_read(pipe, length, process, go_on))
        match message:
            case ["unreadable", str(why)]:
                raise UnreadableFile(why)
            case ["failed", trace]:
                raise RuntimeError(f"the parser of imports failed: {trace}")
        yield message


def _read(pipe: int, length: int, process: subprocess.Popen[bytes], go_on: Callable[[], None]) -> bytes:
    ready = poll()
    ready.register(pipe, 1)  # POLLIN
    data = bytearray()
    while len(data) < length:
        go_on()
        if not ready.poll(POLL_SECONDS * 1000):
            continue
        part = os.read(pipe, min(length - len(data), 1024 * 1024))
        if not part:
            code = process.wait()
            log.warning("the parser of imports ended with %s", code)
            raise UnreadableFile(TAKES_TOO_LONG if code == -signal.SIGXCPU else ENDED)
        data += part
    return bytes(data)
