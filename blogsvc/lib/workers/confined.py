"""Confined processes for untrusted images, texts and import files: the command that starts one, and its first steps.

A worker is a module with a function `main`. Its process has no secrets: it starts from a new interpreter,
without environment variables and open files of the server, and imports only the modules that it needs, not the
application. It writes no files, and is limited in memory and CPU time.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import ModuleType

# Packages whose `__init__` imports more than workers need.
_PACKAGES = ("blogsvc", "blogsvc.connectors", "blogsvc.connectors._kit", "blogsvc.transfer")
_PR_SET_PDEATHSIG = 1  # of prctl(2)


def command(worker: str, *arguments: str) -> list[str]:
    """Return the command that runs a worker, such as `blogsvc.lib.workers.text_worker`. Start it with `env={}`."""
    return [sys.executable, "-I", "-B", str(Path(__file__).resolve()), worker, *arguments]


def confine(memory_bytes: int, cpu_seconds: int | None = None, niceness: int = 10) -> None:
    """Set limits of the operating system: no file writes, no core dumps, limited memory and time, low priority."""
    os.nice(niceness)
    limits = [
        (resource.RLIMIT_CORE, 0, 0),
        (resource.RLIMIT_FSIZE, 0, 0),
        (resource.RLIMIT_AS, memory_bytes, memory_bytes),
    ]
    if cpu_seconds is not None:
        # The first limit sends SIGXCPU, which tells why the process ended; the second one SIGKILL.
        limits.append((resource.RLIMIT_CPU, cpu_seconds, cpu_seconds + 5))
    for limit, soft, hard in limits:
        with suppress(ValueError, OSError):  # macOS has no memory limit; a lower limit stays
            resource.setrlimit(limit, (soft, hard))


def end_with_parent() -> None:
    """End this process with the thread that started it, even if that is killed. Has an effect only on Linux."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _start() -> None:
    folder = Path(__file__).resolve().parents[2]
    for name in _PACKAGES:
        package = ModuleType(name)
        package.__path__ = [str(folder.joinpath(*name.split(".")[1:]))]
        sys.modules[name] = package
    worker = sys.argv.pop(1)
    import_module(worker).main()


if __name__ == "__main__":
    _start()
