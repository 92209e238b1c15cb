"""Parse an import file in a confined process, started by `transfer/import_parse.py`.

Standard input is the file. Standard output gets messages: four bytes of length, then a JSON array of a word and its
values:

- `["form", "ghost"]`, the format of the file, first
- `["post", {...}]`, with the fields of a `ParsedPost`
- `["skipped", title, reason, [path, ...]]`, a `SkippedItem`
- `["author", {...}]`, with the fields of a `ParsedAuthor`
- `["page", {...}]`, with the fields of a `ParsedPage`
- `["redirect", path, target, status]`, a `ParsedRedirect`
- `["blog", {...}]`, with the fields of a `ParsedBlog`
- `["links", place, [[label, target, is_me], ...]]`, a `ParsedLinks`
- `["end"]`, after the last item, or `["unreadable", why]`, or `["failed", traceback]`
"""

from __future__ import annotations

import json
import os
import resource
import signal
import struct
import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, BinaryIO

from blogsvc.lib.sizes import MIB
from blogsvc.lib.time import zone
from blogsvc.lib.workers import text_jobs
from blogsvc.lib.workers.confined import confine, end_with_parent
from blogsvc.transfer.formats import detect
from blogsvc.transfer.formats.parsed_blog import ParsedBlog
from blogsvc.transfer.formats.parsed_media import ParsedMedia
from blogsvc.transfer.formats.parsed_page import ParsedPage
from blogsvc.transfer.formats.parsed_post import ParsedAuthor, ParsedLinks, ParsedPost, ParsedRedirect, UnreadableFile

# Memory and CPU time, at least, for each MiB of the file, and at most. A MiB of a zip can be 100 MiB of text.
# Measured: 541 MiB for 90 MiB of JSON with characters outside of the Basic Multilingual Plane, the worst known file.
MEMORY_BYTES = 512 * MIB, 64 * MIB, 1024 * MIB
# Measured: 6 s for 90 MiB of JSON. Each text has its own, lower limit.
CPU_SECONDS = 30, 120, 30 * 60
MAX_MESSAGE_BYTES = 16 * MIB
MAX_ADDRESS = 4000  # characters; longer ones are refused later
MAX_DESCRIPTION = 20_000  # characters; longer ones are cut later
MAX_TAGS_READ = 1000  # of one post, which can have fewer
LENGTH = struct.Struct(">I")
TOO_LARGE = "This file needs too much memory to read. Split the export into several files."


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the server
    out = os.dup(1)
    os.dup2(2, 1)  # nothing else may write between the messages
    end_with_parent()
    size = os.fstat(0).st_size
    confine(_limit(MEMORY_BYTES, size), _limit(CPU_SECONDS, size))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    text_jobs.use_this_process()
    for message in _messages(sys.stdin.buffer, json.loads(sys.argv[1])):
        _write(out, message)


def _limit(limits: tuple[int, int, int], size: int) -> int:
    """Return the limit for a file of this size."""
    minimum, for_each_mib, maximum = limits
    return min(minimum + for_each_mib * size // MIB, maximum)


def _messages(file: BinaryIO, request: dict[str, Any]) -> Iterator[bytes]:
    try:
        form, items = detect.read(
            file, zone(request["zone"]), request["max_unpacked"], request["chosen_format"], request["filename"]
        )
        yield _message("form", form)
        for item in items:
            if isinstance(item, ParsedPost):
                item = replace(item, tags=item.tags[:MAX_TAGS_READ])
                message = _message("post", item.to_json())
                is_small = len(message) <= MAX_MESSAGE_BYTES
                yield message if is_small else _skipped(item.title, "Its text and its addresses are too large.")
            elif isinstance(item, ParsedAuthor):
                yield _message("author", asdict(replace(item, bio=item.bio[:MAX_DESCRIPTION])))
            elif isinstance(item, ParsedPage):
                yield _message("page", replace(item, description=item.description[:MAX_DESCRIPTION]).to_json())
            elif isinstance(item, ParsedMedia):
                yield _message("media", item.to_json())
            elif isinstance(item, ParsedBlog):
                yield _message("blog", item.to_json())
            elif isinstance(item, ParsedRedirect):
                yield _message("redirect", item.path[:MAX_ADDRESS], item.target[:MAX_ADDRESS], item.status)
            elif isinstance(item, ParsedLinks):
                yield _message("links", item.place, item.items)
            else:
                yield _skipped(item.title, item.reason, *item.paths)
    except UnreadableFile as error:
        yield _message("unreadable", str(error))
    except MemoryError:
        yield _message("unreadable", TOO_LARGE)
    except Exception:
        yield _message("failed", traceback.format_exc()[-2000:])
    else:
        yield _message("end")


def _skipped(title: str, reason: str, *paths: str) -> bytes:
    message = _message("skipped", title[:1000], reason[:1000], paths)
    return message if len(message) <= MAX_MESSAGE_BYTES else _message("skipped", title[:1000], reason[:1000], ())


def _message(*values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode("utf-8", "replace")


def _write(out: int, message: bytes) -> None:
    view = memoryview(LENGTH.pack(len(message)) + message)
    while view:
        view = view[os.write(out, view) :]
