"""Render, convert and compare texts in a confined process, started by `lib/workers/text_jobs.py`.

Standard input gets requests, standard output their results: four bytes of length, then JSON. A request is the name of
a function, such as `blogsvc.lib.markdown.render:render`, and its arguments. It is confirmed with one byte as soon as it
was read, so that the server knows whether a worker that ended has seen it. Objects in the result become lists. The
worker ends when its standard input is closed, or after some time without requests.
"""

from __future__ import annotations

import gc
import json
import os
import resource
import signal
import struct
import time
import traceback
from collections.abc import Collection, Sequence
from dataclasses import astuple, is_dataclass
from importlib import import_module
from select import select
from typing import Any

from blogsvc.errors import TextRefused
from blogsvc.lib.workers.confined import confine

MAX_MEMORY_BYTES = 512 * 1024**2  # measured: 250 MiB for the worst text of tests/siege/texts.py
MAX_CPU_SECONDS = 15  # for each request; measured: 4 s for the worst text, 0.5 s for a mebibyte of prose
IDLE_SECONDS = 300
LENGTH = struct.Struct(">I")
CONFIRMED = b"+"


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C in a terminal is for the server
    confine(MAX_MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))  # image decoders may start threads, text needs none
    out = os.dup(1)
    os.dup2(2, 1)  # nothing else may write between the results
    gc.set_threshold(50_000)  # texts take many objects and few cycles
    while select([0], [], [], IDLE_SECONDS)[0]:
        head = _read(LENGTH.size)
        if len(head) < LENGTH.size:
            return
        job, arguments = json.loads(_read(*LENGTH.unpack(head)).decode("utf-8", "surrogatepass"))
        _write(out, CONFIRMED)
        _limit_time()
        result = _result(job, arguments)
        _write(out, LENGTH.pack(len(result)) + result)
        del result, arguments


def _result(job: str, arguments: Sequence[Any]) -> bytes:
    try:
        module, _, name = job.partition(":")
        result = ("done", getattr(import_module(module), name)(*arguments))
    except TextRefused as error:
        result = ("refused", str(error))
    except MemoryError:
        os._exit(1)  # as the system does for the time
    except Exception:
        result = ("failed", traceback.format_exc()[-2000:])
    return json.dumps([*result, _resident_kib()], ensure_ascii=False, default=astuple).encode("utf-8", "surrogatepass")


def run_here(job: str, arguments: Collection[Any]) -> Any:
    """Run a job in this process, which is confined itself, and return its result.

    Raises TextRefused, also if the job takes more CPU time than a job may.
    """

    def stop(*_: Any) -> None:
        raise TextRefused("This text takes more time than is allowed.")

    module, _, name = job.partition(":")
    function = getattr(import_module(module), name)
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_CPU_SECONDS)
    try:
        value = function(*arguments)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return astuple(value) if is_dataclass(value) and not isinstance(value, type) else value


def _resident_kib() -> int:
    """Return the memory that this process keeps, 0 if unknown. `ru_maxrss` would include that of the server."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * resource.getpagesize() // 1024
    except OSError:
        return 0


def _limit_time() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + MAX_CPU_SECONDS, hard))


def _read(length: int) -> bytes:
    parts = bytearray()
    while len(parts) < length and (part := os.read(0, min(length - len(parts), 1024 * 1024))):
        parts += part
    return bytes(parts)


def _write(out: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(out, view) :]
